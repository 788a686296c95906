package billing

import (
	"context"
	"log/slog"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/event"

	"parley/billing/stripeapi"
	"parley/billing/stripeevent"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/subscription"
)

// receiveTimeout bounds the handling of one event. Stripe does not wait much longer.
const receiveTimeout = 30 * time.Second

// Receive handles what Stripe sent to the webhook: the body as it came, and the
// header Stripe-Signature. It returns nil once the effect is stored, and for
// events that concern nobody here. It is Invalid if Stripe did not sign the body
// within the last five minutes, TooLarge above [stripeevent.MaxEvent], and otherwise a
// failure after which Stripe should send the event again.
func (s *Service) Receive(ctx context.Context, body []byte, signature string) error {
	ctx, cancel := context.WithTimeout(ctx, receiveTimeout)
	defer cancel()
	sent, err := stripeevent.Verify(body, signature, s.config.WebhookSecret, s.now())
	if err != nil {
		s.observer.Event(stripeevent.OtherKind, Refused)
		return err
	}
	if sent.APIVersion != stripe.APIVersion {
		s.alarm(APIVersion, slog.String("event", sent.ID), slog.String("version", sent.APIVersion))
	}
	e := stripeevent.Of(sent)
	outcome, err := s.handleEvent(audit.As(ctx, audit.Stripe), e)
	s.observer.Event(e.Label(), outcome)
	return err
}

// handleEvent treats an event as a hint and stores what Stripe answers when asked, so that
// neither order nor repetition matters.
func (s *Service) handleEvent(ctx context.Context, e stripeevent.Event) (outcome string, err error) {
	seen, err := s.books.Ledger.SawEvent(ctx, e.ID)
	if err != nil {
		return Failed, err
	}
	if seen {
		return Duplicate, nil
	}
	var whose payer
	var reversals []subscription.Reversal
	if e.Reversed.Any() {
		if whose, reversals, err = s.readReversals(ctx, e.Reversed); err != nil {
			return Failed, err
		}
		e.Customer = whose.customer
	}
	if e.Customer == "" {
		return s.ignoreEvent(ctx, e)
	}
	workspaceID, err := s.books.Customers.WorkspaceOf(ctx, e.Customer)
	if err == nil && len(reversals) > 0 {
		err = s.recordReversals(ctx, workspaceID, reversals)
	}
	if fault.Is(err, fault.NotFound) { // including one that is being deleted right now
		if err := s.alarmForGone(ctx, e, whose, reversals); err != nil {
			return Failed, err
		}
		return s.ignoreEvent(ctx, e)
	}
	if err != nil {
		return Failed, err
	}
	applied, err := s.Refresh(ctx, workspaceID, subscription.Cause{EventID: e.ID, EventType: e.Kind})
	switch {
	case fault.Is(err, fault.NotFound): // the workspace was deleted meanwhile
		return s.ignoreEvent(ctx, e)
	case err != nil:
		return Failed, err
	case applied.Changed:
		return Applied, nil
	}
	return Unchanged, nil
}

// ignoreEvent records an event that concerns no workspace.
func (s *Service) ignoreEvent(ctx context.Context, e stripeevent.Event) (outcome string, err error) {
	if err := s.books.Ledger.NoteEvent(ctx, e.ID, e.Kind); err != nil {
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
	err = each(ctx, s, stripeapi.Listed(missed), func(e stripeevent.Event) error {
		news, err := s.catchUpEvent(ctx, e, read)
		if news && err == nil {
			handled++
		}
		return err
	})
	return handled, err
}

// catchUpEvent handles one event unless it was already handled. Read holds the customers read
// after all of these events had happened.
func (s *Service) catchUpEvent(ctx context.Context, e stripeevent.Event, read map[string]bool) (news bool, err error) {
	if read[e.Customer] && !e.Reversed.Any() {
		seen, err := s.books.Ledger.SawEvent(ctx, e.ID)
		if err != nil || seen {
			return false, err
		}
		return true, s.books.Ledger.NoteEvent(ctx, e.ID, e.Kind)
	}
	outcome, err := s.handleEvent(audit.As(ctx, audit.Reconciliation), e)
	if outcome == Duplicate {
		return false, err
	}
	s.observer.Event(e.Label(), outcome)
	read[e.Customer] = outcome == Applied || outcome == Unchanged
	return true, err
}

// listUndelivered returns the latest undelivered events.
func (s *Service) listUndelivered(ctx context.Context) ([]stripeevent.Event, error) {
	client := event.Client{B: s.api.Backend, Key: s.api.Key}
	return stripeapi.AskFor(ctx, stripeapi.ListTimeout, func(ctx context.Context) ([]stripeevent.Event, error) {
		params := &stripe.EventListParams{
			DeliverySuccess: stripe.Bool(false),
			CreatedRange:    &stripe.RangeQueryParams{GreaterThanOrEqual: s.now().Add(-missedFor).Unix()},
		}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		var found []stripeevent.Event
		events := client.List(params)
		for len(found) < stripeapi.MaxListed && events.Next() {
			found = append(found, stripeevent.Of(events.Event()))
		}
		return found, events.Err()
	})
}
