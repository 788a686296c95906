package billing

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/event"

	"parley/billing/notice"
	"parley/billing/stripeapi"
	"parley/core/audit"
)

// missedFor is how far back CatchUp looks for undelivered events. Stripe keeps them for
// 30 days; the nightly reconciliation covers older ones.
const missedFor = 3 * 24 * time.Hour

// CatchUp handles the events that Stripe could not deliver, and returns how many there
// were. It continues after a failure, unless Stripe is down.
func (s listener) CatchUp(ctx context.Context) (handled int, err error) {
	missed, err := s.undelivered(ctx)
	if err != nil {
		return 0, err
	}
	read := map[string]bool{}
	err = each(ctx, s.common, stripeapi.Listed(missed), func(h notice.Notice) error {
		news, err := s.catchUp(ctx, h, read)
		if news && err == nil {
			handled++
		}
		return err
	})
	return handled, err
}

// catchUp handles one event unless it was already handled. Read holds the customers read
// after all of these events had happened.
func (s listener) catchUp(ctx context.Context, h notice.Notice, read map[string]bool) (news bool, err error) {
	if read[h.Customer] && !h.Reversed.Any() {
		seen, err := s.books.Ledger.SawEvent(ctx, h.ID)
		if err != nil || seen {
			return false, err
		}
		return true, s.books.Ledger.NoteEvent(ctx, h.ID, h.Kind)
	}
	outcome, err := s.handle(audit.As(ctx, audit.Reconciliation), h)
	if outcome == Duplicate {
		return false, err
	}
	s.observer.Event(h.Label(), outcome)
	read[h.Customer] = outcome == Applied || outcome == Unchanged
	return true, err
}

// undelivered returns the latest undelivered events.
func (s listener) undelivered(ctx context.Context) ([]notice.Notice, error) {
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
