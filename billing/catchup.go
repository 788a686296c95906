package billing

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/event"

	"parley/core/audit"
)

// missedFor is how far back undelivered events are looked for. Stripe keeps
// them for 30 days; the nightly reconciliation sees to what is older.
const missedFor = 3 * 24 * time.Hour

// CatchUp handles the events that Stripe could not deliver, and returns how
// many those were. It goes on after a failure, unless Stripe is away.
func (s *Service) CatchUp(ctx context.Context) (handled int, err error) {
	missed, err := s.undelivered(ctx)
	if err != nil {
		return 0, err
	}
	read := map[string]bool{}
	err = each(ctx, s, missed, func(h hint) error {
		news, err := s.catchUp(ctx, h, read)
		if news && err == nil {
			handled++
		}
		return err
	})
	return handled, err
}

// catchUp handles one event unless it was handled. Read has the customers that
// were asked about after all of these events had happened.
func (s *Service) catchUp(ctx context.Context, h hint, read map[string]bool) (news bool, err error) {
	if read[h.customer] && !h.reversed.any() {
		seen, err := s.books.Ledger.SawEvent(ctx, h.id)
		if err != nil || seen {
			return false, err
		}
		return true, s.books.Ledger.NoteEvent(ctx, h.id, h.kind)
	}
	outcome, err := s.handle(audit.As(ctx, audit.Reconciliation), h)
	if outcome == Duplicate {
		return false, err
	}
	s.observer.Event(h.label(), outcome)
	read[h.customer] = outcome == Applied || outcome == Unchanged
	return true, err
}

// undelivered returns the latest such events.
func (s *Service) undelivered(ctx context.Context) ([]hint, error) {
	client := event.Client{B: s.account.backend, Key: s.account.key}
	return askFor(ctx, listTimeout, func(ctx context.Context) ([]hint, error) {
		params := &stripe.EventListParams{
			DeliverySuccess: stripe.Bool(false),
			CreatedRange:    &stripe.RangeQueryParams{GreaterThanOrEqual: s.now().Add(-missedFor).Unix()},
		}
		params.Context = ctx
		params.Limit = stripe.Int64(pageSize)
		var hints []hint
		events := client.List(params)
		for len(hints) < maxListed && events.Next() {
			hints = append(hints, hintOf(events.Event()))
		}
		return hints, events.Err()
	})
}
