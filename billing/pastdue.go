package billing

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/invoice"

	"parley/billing/stripeapi"
	"parley/core/plan"
	"parley/core/subscription"
)

// overdue returns since when a payment of the subscription is due, and the page to pay on.
func (s *Service) overdue(ctx context.Context, known subscription.Subscription, found *stripe.Subscription) (since *time.Time, page string, err error) {
	switch plan.Status(found.Status) {
	case plan.PastDue, plan.Unpaid:
		return s.openInvoices(ctx, known, found)
	case plan.Incomplete:
		return nil, pageOf(found.LatestInvoice), nil
	}
	return nil, "", nil
}

// openInvoices returns when the oldest overdue payment failed, and the page for paying the
// newest, after which the subscription is active again.
func (s *Service) openInvoices(ctx context.Context, known subscription.Subscription, found *stripe.Subscription) (since *time.Time, page string, err error) {
	client := invoice.Client{B: s.api.Backend, Key: s.api.Key}
	open, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Invoice, error) {
		params := &stripe.InvoiceListParams{Subscription: stripe.String(found.ID), Status: stripe.String(string(stripe.InvoiceStatusOpen))}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.Invoice](client.List(params).Iter)
	})
	if err != nil {
		return nil, "", err
	}
	var oldest, newest int64
	for _, unpaid := range open {
		at := dueSince(unpaid)
		if oldest == 0 || at < oldest {
			oldest = at
		}
		if at > newest {
			newest, page = at, pageOf(unpaid)
		}
	}
	latest := found.LatestInvoice
	switch {
	case oldest != 0:
		return stripeapi.Moment(oldest), page, nil
	case latest != nil && latest.Status != stripe.InvoiceStatusPaid: // given up, but not forgiven
		return stripeapi.Moment(dueSince(latest)), "", nil
	case known.ID == found.ID:
		return known.PastDueSince, "", nil
	}
	return nil, "", nil
}

// maxURL is the length of the longest stored address.
const maxURL = 2048

// pageOf returns Stripe's page of an open invoice, or "".
func pageOf(unpaid *stripe.Invoice) string {
	if unpaid == nil || unpaid.Status != stripe.InvoiceStatusOpen || len(unpaid.HostedInvoiceURL) > maxURL {
		return ""
	}
	return unpaid.HostedInvoiceURL
}

// dueSince returns when an invoice was first charged: when it was finalized, or the day by
// which a person had to pay it.
func dueSince(unpaid *stripe.Invoice) int64 {
	switch {
	case unpaid.DueDate != 0:
		return unpaid.DueDate
	case unpaid.StatusTransitions != nil && unpaid.StatusTransitions.FinalizedAt != 0:
		return unpaid.StatusTransitions.FinalizedAt
	}
	return unpaid.Created
}
