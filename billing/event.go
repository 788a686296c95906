package billing

import (
	"context"

	"parley/billing/notice"
	"parley/core/fault"
	"parley/core/subscription"
)

// handle treats an event as a hint and stores what Stripe answers when asked, so that
// neither order nor repetition matters.
func (s listener) handle(ctx context.Context, h notice.Notice) (outcome string, err error) {
	seen, err := s.books.Ledger.SawEvent(ctx, h.ID)
	if err != nil {
		return Failed, err
	}
	if seen {
		return Duplicate, nil
	}
	var whose payer
	var reversals []subscription.Reversal
	if h.Reversed.Any() {
		if whose, reversals, err = s.reversals(ctx, h.Reversed); err != nil {
			return Failed, err
		}
		h.Customer = whose.customer
	}
	if h.Customer == "" {
		return s.ignore(ctx, h)
	}
	workspaceID, err := s.books.Customers.WorkspaceOf(ctx, h.Customer)
	if err == nil && len(reversals) > 0 {
		err = s.record(ctx, workspaceID, reversals)
	}
	if fault.Is(err, fault.NotFound) { // including one that is being deleted right now
		if err := s.ringForGone(ctx, h, whose, reversals); err != nil {
			return Failed, err
		}
		return s.ignore(ctx, h)
	}
	if err != nil {
		return Failed, err
	}
	applied, err := s.Refresh(ctx, workspaceID, subscription.Cause{EventID: h.ID, EventType: h.Kind})
	switch {
	case fault.Is(err, fault.NotFound): // the workspace was deleted meanwhile
		return s.ignore(ctx, h)
	case err != nil:
		return Failed, err
	case applied.Changed:
		return Applied, nil
	}
	return Unchanged, nil
}

// ignore records an event that concerns no workspace.
func (s listener) ignore(ctx context.Context, h notice.Notice) (outcome string, err error) {
	if err := s.books.Ledger.NoteEvent(ctx, h.ID, h.Kind); err != nil {
		return Failed, err
	}
	return Ignored, nil
}
