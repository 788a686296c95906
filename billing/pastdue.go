package billing

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/invoice"

	"parley/core/tenant"
)

// pastDueSince is when the oldest payment that is due failed.
func (s *Service) pastDueSince(ctx context.Context, known tenant.Subscription, found *stripe.Subscription) (*time.Time, error) {
	client := invoice.Client{B: s.account.backend, Key: s.account.key}
	open, err := ask(ctx, func(ctx context.Context) ([]*stripe.Invoice, error) {
		params := &stripe.InvoiceListParams{Subscription: stripe.String(found.ID), Status: stripe.String(string(stripe.InvoiceStatusOpen))}
		params.Context = ctx
		params.Limit = stripe.Int64(pageSize)
		return all[*stripe.Invoice](client.List(params).Iter)
	})
	if err != nil {
		return nil, err
	}
	var since int64
	for _, unpaid := range open {
		if at := dueSince(unpaid); since == 0 || at < since {
			since = at
		}
	}
	latest := found.LatestInvoice
	switch {
	case since != 0:
		return moment(since), nil
	case latest != nil && latest.Status != stripe.InvoiceStatusPaid: // given up, but not forgiven
		return moment(dueSince(latest)), nil
	case known.ID == found.ID:
		return known.PastDueSince, nil
	}
	return nil, nil
}

// dueSince is when an invoice was first tried: when it was made final, or the
// day until which a person had time to pay it.
func dueSince(unpaid *stripe.Invoice) int64 {
	switch {
	case unpaid.DueDate != 0:
		return unpaid.DueDate
	case unpaid.StatusTransitions != nil && unpaid.StatusTransitions.FinalizedAt != 0:
		return unpaid.StatusTransitions.FinalizedAt
	}
	return unpaid.Created
}
