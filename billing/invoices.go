package billing

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/invoice"

	"parley/billing/stripeapi"
)

// Invoice is an invoice that Stripe created for a workspace.
type Invoice struct {
	Number    string
	CreatedAt time.Time
	// Total is in the currency's smallest unit, taxes included.
	Total int64
	// Currency is an ISO 4217 code in lower case.
	Currency string
	// Status is Stripe's: "open", "paid", "uncollectible" or "void".
	Status string
	// URL is its page at Stripe, PDF the file; either may be empty.
	URL, PDF string
}

// Invoices returns a workspace's latest invoices, the latest first: at most limit, which is
// from 1 to 100, without drafts. There are none if the workspace was never a customer, or
// its customer is not at this Stripe. They may be a minute old.
func (s statements) Invoices(ctx context.Context, workspaceID string, limit int) ([]Invoice, error) {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil || known.CustomerID == "" {
		return nil, err
	}
	if kept, fresh := s.invoices.of(workspaceID, known.CustomerID, limit, s.now()); fresh {
		return kept, nil
	}
	client := invoice.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Invoice, error) {
		params := &stripe.InvoiceListParams{Customer: stripe.String(known.CustomerID)}
		params.Context = ctx
		params.Limit = stripe.Int64(int64(min(max(limit, 1), stripeapi.PageSize)))
		params.Single = true
		return stripeapi.All[*stripe.Invoice](client.List(params).Iter)
	})
	if stripeapi.Missing(err) { // the customer is not at this Stripe
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	invoices := make([]Invoice, 0, len(found))
	for _, i := range found {
		if i.Status != stripe.InvoiceStatusDraft {
			invoices = append(invoices, Invoice{
				Number: i.Number, CreatedAt: time.Unix(i.Created, 0).UTC(), Total: i.Total, Currency: string(i.Currency),
				Status: string(i.Status), URL: i.HostedInvoiceURL, PDF: i.InvoicePDF,
			})
		}
	}
	s.invoices.keep(workspaceID, known.CustomerID, limit, s.now(), invoices)
	return invoices, nil
}
