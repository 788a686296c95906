package billing

import (
	"context"
	"slices"
	"sync"
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
func (s *Service) Invoices(ctx context.Context, workspaceID string, limit int) ([]Invoice, error) {
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

// How long invoices are kept for who looks again, and of how many workspaces.
const (
	invoicesKept    = time.Minute
	maxInvoicesKept = 1_000
)

// keptInvoices are answers of Stripe by the workspace. The zero value has none.
type keptInvoices struct {
	mu   sync.Mutex
	kept map[string]invoicesOf
}

// invoicesOf is what Stripe said of a customer: up to limit invoices.
type invoicesOf struct {
	customerID string
	limit      int
	until      time.Time
	invoices   []Invoice
}

// of returns what is kept of a workspace, if it is of the same customer and as many.
func (k *keptInvoices) of(workspaceID, customerID string, limit int, now time.Time) ([]Invoice, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, known := k.kept[workspaceID]
	if !known || found.customerID != customerID || found.limit != limit || !now.Before(found.until) {
		return nil, false
	}
	return slices.Clone(found.invoices), true
}

// keep forgets all where there is no room: it is a minute's work.
func (k *keptInvoices) keep(workspaceID, customerID string, limit int, now time.Time, invoices []Invoice) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= maxInvoicesKept {
		k.kept = map[string]invoicesOf{}
	}
	k.kept[workspaceID] = invoicesOf{customerID, limit, now.Add(invoicesKept), slices.Clone(invoices)}
}

// forget is called when something has changed at Stripe.
func (k *keptInvoices) forget(workspaceID string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, workspaceID)
}
