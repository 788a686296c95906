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
	if cached, fresh := s.invoices.get(workspaceID, known.CustomerID, limit, s.now()); fresh {
		return cached, nil
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
	s.invoices.put(workspaceID, known.CustomerID, limit, s.now(), invoices)
	return invoices, nil
}

const (
	// invoicesCached is how long a workspace's invoices are cached, so that a person who
	// looks again does not wait for Stripe.
	invoicesCached = time.Minute
	// maxInvoicesCached is the number of workspaces whose invoices are cached.
	maxInvoicesCached = 1_000
)

// invoiceCache holds Stripe's answers by workspace. The zero value is empty.
type invoiceCache struct {
	mu     sync.Mutex
	cached map[string]cachedInvoices
}

// cachedInvoices is Stripe's answer about a customer: up to limit invoices.
type cachedInvoices struct {
	customerID string
	limit      int
	until      time.Time
	invoices   []Invoice
}

// get returns a workspace's invoices if they are fresh, of the same customer and limit.
func (c *invoiceCache) get(workspaceID, customerID string, limit int, now time.Time) ([]Invoice, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, known := c.cached[workspaceID]
	if !known || found.customerID != customerID || found.limit != limit || !now.Before(found.until) {
		return nil, false
	}
	return slices.Clone(found.invoices), true
}

// put empties a full cache first: it would be out of date in a minute anyway.
func (c *invoiceCache) put(workspaceID, customerID string, limit int, now time.Time, invoices []Invoice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cached == nil || len(c.cached) >= maxInvoicesCached {
		c.cached = map[string]cachedInvoices{}
	}
	c.cached[workspaceID] = cachedInvoices{customerID: customerID, limit: limit, until: now.Add(invoicesCached), invoices: slices.Clone(invoices)}
}

// forget drops a workspace's invoices, because something may have changed at Stripe.
func (c *invoiceCache) forget(workspaceID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.cached, workspaceID)
}
