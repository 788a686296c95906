package billing

import (
	"context"
	"strings"

	"github.com/stripe/stripe-go/v76"

	"parley/core/fault"
	"parley/core/subscription"
)

// families are the beginnings of the types of events after which a
// subscription may be another.
var families = []string{"checkout.session.", "customer.subscription.", "customer.deleted", "invoice.", "subscription_schedule.", chargeRefunded, refundUpdated, disputeFamily}

const (
	otherKind       = "other"
	customerDeleted = "customer.deleted"
	// maxKind is the length of the longest type of event that is stored.
	maxKind = 100
)

// hint is what is taken from an event.
type hint struct {
	id, kind string
	// customer is the one that it is about, or empty.
	customer string
	// reversed is the money that went back, whose customer is asked for.
	reversed reversed
}

func hintOf(e *stripe.Event) hint {
	h := hint{id: e.ID, kind: string(e.Type), customer: concerned(e), reversed: reversedBy(e)}
	if h.reversed.any() {
		h.customer = ""
	}
	if len(h.kind) > maxKind {
		h.kind = otherKind
	}
	return h
}

func ours(kind string) bool {
	for _, family := range families {
		if strings.HasPrefix(kind, family) {
			return true
		}
	}
	return false
}

// label is the type of the event for metrics.
func (h hint) label() string {
	if ours(h.kind) {
		return h.kind
	}
	return otherKind
}

// handle takes an event as a hint: what is stored is what Stripe says when
// asked, so that neither order nor repetition matters.
func (s *Service) handle(ctx context.Context, h hint) (outcome string, err error) {
	seen, err := s.books.Ledger.SawEvent(ctx, h.id)
	if err != nil {
		return Failed, err
	}
	if seen {
		return Duplicate, nil
	}
	var whose payer
	var reversals []subscription.Reversal
	if h.reversed.any() {
		if whose, reversals, err = s.reversals(ctx, h.reversed); err != nil {
			return Failed, err
		}
		h.customer = whose.customer
	}
	if h.customer == "" {
		return s.ignore(ctx, h)
	}
	workspaceID, err := s.books.Customers.WorkspaceByCustomer(ctx, h.customer)
	if err == nil && len(reversals) > 0 {
		err = s.record(ctx, workspaceID, reversals)
	}
	if fault.Is(err, fault.NotFound) { // also when it is deleted at this moment
		if err := s.ringForGone(ctx, h, whose, reversals); err != nil {
			return Failed, err
		}
		return s.ignore(ctx, h)
	}
	if err != nil {
		return Failed, err
	}
	applied, err := s.Refresh(ctx, workspaceID, subscription.Cause{EventID: h.id, EventType: h.kind})
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

// ignore remembers an event that concerns nobody.
func (s *Service) ignore(ctx context.Context, h hint) (outcome string, err error) {
	if err := s.books.Ledger.NoteEvent(ctx, h.id, h.kind); err != nil {
		return Failed, err
	}
	return Ignored, nil
}

// concerned is the customer that an event is about, or empty.
func concerned(e *stripe.Event) string {
	if !ours(string(e.Type)) || e.Data == nil {
		return ""
	}
	named := e.Data.Object["customer"]
	if e.Type == customerDeleted {
		named = e.Data.Object["id"]
	}
	return idOf(named)
}

// idOf is the id of an object of an event, which may be there whole; empty for
// what is none.
func idOf(named any) string {
	if whole, ok := named.(map[string]any); ok {
		named = whole["id"]
	}
	id, _ := named.(string)
	if len(id) > maxID {
		return ""
	}
	return id
}
