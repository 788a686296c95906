package billing

import (
	"slices"
	"sync"
	"time"
)

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
