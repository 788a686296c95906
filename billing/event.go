package billing

import (
	"context"
	"log/slog"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/event"

	"parley/billing/notice"
	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/subscription"
)

// receiveTimeout bounds the handling of one event. Stripe does not wait much longer.
const receiveTimeout = 30 * time.Second

// Receive handles what Stripe sent to the webhook: the body as it came, and the
// header Stripe-Signature. It returns nil once the effect is stored, and for
// events that concern nobody here. It is Invalid if Stripe did not sign the body
// within the last five minutes, TooLarge above [notice.MaxEvent], and otherwise a
// failure after which Stripe should send the event again.
func (s *Service) Receive(ctx context.Context, body []byte, signature string) error {
	ctx, cancel := context.WithTimeout(ctx, receiveTimeout)
	defer cancel()
	e, err := notice.Verify(body, signature, s.config.WebhookSecret, s.now())
	if err != nil {
		s.observer.Event(notice.OtherKind, Refused)
		return err
	}
	if e.APIVersion != stripe.APIVersion {
		s.alarm(APIVersion, slog.String("event", e.ID), slog.String("version", e.APIVersion))
	}
	h := notice.Of(e)
	outcome, err := s.handleEvent(audit.As(ctx, audit.Stripe), h)
	s.observer.Event(h.Label(), outcome)
	return err
}

// handleEvent treats an event as a hint and stores what Stripe answers when asked, so that
// neither order nor repetition matters.
func (s *Service) handleEvent(ctx context.Context, h notice.Notice) (outcome string, err error) {
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
		if whose, reversals, err = s.readReversals(ctx, h.Reversed); err != nil {
			return Failed, err
		}
		h.Customer = whose.customer
	}
	if h.Customer == "" {
		return s.ignoreEvent(ctx, h)
	}
	workspaceID, err := s.books.Customers.WorkspaceOf(ctx, h.Customer)
	if err == nil && len(reversals) > 0 {
		err = s.recordReversals(ctx, workspaceID, reversals)
	}
	if fault.Is(err, fault.NotFound) { // including one that is being deleted right now
		if err := s.alarmForGone(ctx, h, whose, reversals); err != nil {
			return Failed, err
		}
		return s.ignoreEvent(ctx, h)
	}
	if err != nil {
		return Failed, err
	}
	applied, err := s.Refresh(ctx, workspaceID, subscription.Cause{EventID: h.ID, EventType: h.Kind})
	switch {
	case fault.Is(err, fault.NotFound): // the workspace was deleted meanwhile
		return s.ignoreEvent(ctx, h)
	case err != nil:
		return Failed, err
	case applied.Changed:
		return Applied, nil
	}
	return Unchanged, nil
}

// ignoreEvent records an event that concerns no workspace.
func (s *Service) ignoreEvent(ctx context.Context, h notice.Notice) (outcome string, err error) {
	if err := s.books.Ledger.NoteEvent(ctx, h.ID, h.Kind); err != nil {
		return Failed, err
	}
	return Ignored, nil
}

// missedFor is how far back CatchUp looks for undelivered events. Stripe keeps them for
// 30 days; the nightly reconciliation covers older ones.
const missedFor = 3 * 24 * time.Hour

// CatchUp handles the events that Stripe could not deliver, and returns how many there
// were. It continues after a failure, unless Stripe is down.
func (s *Service) CatchUp(ctx context.Context) (handled int, err error) {
	missed, err := s.listUndelivered(ctx)
	if err != nil {
		return 0, err
	}
	read := map[string]bool{}
	err = each(ctx, s, stripeapi.Listed(missed), func(h notice.Notice) error {
		news, err := s.catchUpEvent(ctx, h, read)
		if news && err == nil {
			handled++
		}
		return err
	})
	return handled, err
}

// catchUpEvent handles one event unless it was already handled. Read holds the customers read
// after all of these events had happened.
func (s *Service) catchUpEvent(ctx context.Context, h notice.Notice, read map[string]bool) (news bool, err error) {
	if read[h.Customer] && !h.Reversed.Any() {
		seen, err := s.books.Ledger.SawEvent(ctx, h.ID)
		if err != nil || seen {
			return false, err
		}
		return true, s.books.Ledger.NoteEvent(ctx, h.ID, h.Kind)
	}
	outcome, err := s.handleEvent(audit.As(ctx, audit.Reconciliation), h)
	if outcome == Duplicate {
		return false, err
	}
	s.observer.Event(h.Label(), outcome)
	read[h.Customer] = outcome == Applied || outcome == Unchanged
	return true, err
}

// listUndelivered returns the latest undelivered events.
func (s *Service) listUndelivered(ctx context.Context) ([]notice.Notice, error) {
	client := event.Client{B: s.api.Backend, Key: s.api.Key}
	return stripeapi.AskFor(ctx, stripeapi.ListTimeout, func(ctx context.Context) ([]notice.Notice, error) {
		params := &stripe.EventListParams{
			DeliverySuccess: stripe.Bool(false),
			CreatedRange:    &stripe.RangeQueryParams{GreaterThanOrEqual: s.now().Add(-missedFor).Unix()},
		}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		var hints []notice.Notice
		events := client.List(params)
		for len(hints) < stripeapi.MaxListed && events.Next() {
			hints = append(hints, notice.Of(events.Event()))
		}
		return hints, events.Err()
	})
}
