package billing

import (
	"testing"
	"time"

	"parley/core/plan"
)

func TestInvoices(t *testing.T) {
	s := newShop(t)
	t.Run("a workspace that was never a customer has none", func(t *testing.T) {
		if invoices, err := s.Invoices(t.Context(), workspace, 10); err != nil || len(invoices) != 0 {
			t.Errorf("got %v, %v", invoices, err)
		}
	})
	t.Run("the latest come first, up to the limit", func(t *testing.T) {
		s.subscribe(t, plan.Basic)
		s.stripe.Advance(80 * 24 * time.Hour)
		invoices, err := s.Invoices(t.Context(), workspace, 2)
		if err != nil || len(invoices) != 2 || !invoices[0].CreatedAt.After(invoices[1].CreatedAt) {
			t.Fatalf("got %+v, %v", invoices, err)
		}
		if latest := invoices[0]; latest.Total != 19_00 || latest.Currency != "usd" || latest.Status != "paid" || latest.Number == "" {
			t.Errorf("got %+v", latest)
		}
	})
	t.Run("drafts are left out", func(t *testing.T) {
		config := s.configured()
		config.BaseURL = answering(t, map[string]string{"/v1/invoices": `{"data":[{"id":"in_2","status":"draft"},{"id":"in_1","status":"open","number":"A-1"}]}`})
		invoices, err := New(config, s.ledger.books(), s.now, s.log, s.watcher).Invoices(t.Context(), workspace, 10)
		if err != nil || len(invoices) != 1 || invoices[0].Number != "A-1" {
			t.Errorf("got %+v, %v", invoices, err)
		}
	})
}
