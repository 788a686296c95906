package billing

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/invoice"

	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

// finishTries is how often Parley reads Stripe again after it abandoned a first
// payment.
const finishTries = 3

// finishPayment settles first payments that somebody began and did not finish, before
// Parley sells anything else: the customer would pay for two subscriptions. It
// returns the page that takes the payment for the wanted price, if there is one. It
// makes all others impossible to pay and re-reads the subscription. It is
// Unavailable while Stripe still processes such a payment.
func (s *Service) finishPayment(ctx context.Context, known subscription.Subscription, priceID string) (_ subscription.Subscription, page string, err error) {
	for range finishTries {
		page, abandoned, err := s.finishPaymentOnce(ctx, known, priceID)
		if err != nil || page != "" || !abandoned {
			return known, page, err
		}
		if _, err := s.Refresh(audit.As(ctx, audit.Stripe), known.WorkspaceID, subscription.Cause{}); err != nil {
			return known, "", err
		}
		if known, err = s.books.Ledger.Subscription(ctx, known.WorkspaceID); err != nil {
			return known, "", err
		}
	}
	return known, "", fault.New(fault.Unavailable, "A payment for this workspace is still being processed. Try again in some minutes.")
}

// finishPaymentOnce reports whether it abandoned a payment.
func (s *Service) finishPaymentOnce(ctx context.Context, known subscription.Subscription, priceID string) (page string, abandoned bool, err error) {
	subscriptions, err := s.listSubscriptions(ctx, known.CustomerID)
	if stripeapi.Missing(err) { // somebody deleted the customer at Stripe, so nothing can be paid
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	for _, found := range subscriptions {
		if found.Status != stripe.SubscriptionStatusIncomplete {
			continue
		}
		if page == "" && known.Status == plan.Incomplete && hasOnlyPrice(found, priceID) {
			page = pageOf(found.LatestInvoice)
		}
		if page != "" && page == pageOf(found.LatestInvoice) {
			continue
		}
		if err := s.abandonPayment(ctx, found); err != nil {
			return "", false, err
		}
		abandoned = true
	}
	switch known.Status {
	case plan.None, plan.IncompleteExpired, plan.Canceled: // Parley makes a new page, which closes older ones
		return page, abandoned, nil
	}
	return page, abandoned, s.expireSessions(ctx, known.CustomerID)
}

// hasOnlyPrice reports whether a subscription has one item of a price and nothing else.
func hasOnlyPrice(found *stripe.Subscription, priceID string) bool {
	if found.Items == nil || len(found.Items.Data) != 1 {
		return false
	}
	item := found.Items.Data[0]
	return item.Price != nil && item.Price.ID == priceID && item.Quantity <= 1
}

// abandonPayment makes the first payment of a subscription impossible. It voids the
// invoice first: canceling alone could hit a subscription that was paid for a
// moment ago, and Stripe refuses to void a paid invoice.
func (s *Service) abandonPayment(ctx context.Context, found *stripe.Subscription) error {
	if latest := found.LatestInvoice; latest != nil && latest.Status == stripe.InvoiceStatusOpen {
		if err := s.voidInvoice(ctx, latest.ID); err != nil {
			if stripeapi.Refused(err) { // the customer has paid meanwhile, or is paying
				return nil
			}
			return err
		}
	} else if latest != nil && latest.Status == stripe.InvoiceStatusPaid {
		return nil
	}
	if err := s.cancelSubscription(ctx, found.ID); err != nil && !stripeapi.Refused(err) { // refused: it ended with its invoice
		return err
	}
	return nil
}

func (s *Service) voidInvoice(ctx context.Context, invoiceID string) error {
	client := invoice.Client{B: s.api.Backend, Key: s.api.Key}
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Invoice, error) {
		params := &stripe.InvoiceVoidInvoiceParams{}
		params.Context = ctx
		return client.VoidInvoice(invoiceID, params)
	})
	return err
}
