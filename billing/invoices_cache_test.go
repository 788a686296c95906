package billing

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/core/plan"
	"parley/core/subscription"
)

func TestInvoicesAreKeptShortly(t *testing.T) {
	s := newShop(t)
	s.subscribe(t, plan.Basic)
	asked := map[string]string{"/v1/invoices": `{"data":[{"id":"in_1","status":"open","number":"A-1"}]}`}
	config := s.configured()
	config.BaseURL = answering(t, asked)
	at := s.now()
	shop := New(config, s.ledger.books(), func() time.Time { return at }, s.log, s.watcher)
	numberOf := func(limit int) string {
		t.Helper()
		invoices, err := shop.Invoices(t.Context(), workspace, limit)
		if err != nil || len(invoices) != 1 {
			t.Fatalf("got %+v, %v", invoices, err)
		}
		return invoices[0].Number
	}
	if got := numberOf(10); got != "A-1" {
		t.Fatalf("the invoice is %s", got)
	}
	asked["/v1/invoices"] = `{"data":[{"id":"in_2","status":"paid","number":"A-2"}]}`
	t.Run("Stripe is not asked again at once", func(t *testing.T) {
		if got := numberOf(10); got != "A-1" {
			t.Errorf("the invoice is %s", got)
		}
	})
	t.Run("who wants more of them asks", func(t *testing.T) {
		if got := numberOf(20); got != "A-2" {
			t.Errorf("the invoice is %s", got)
		}
	})
	t.Run("after a minute Stripe is asked again", func(t *testing.T) {
		asked["/v1/invoices"] = `{"data":[{"id":"in_3","status":"paid","number":"A-3"}]}`
		at = at.Add(invoicesCached)
		if got := numberOf(20); got != "A-3" {
			t.Errorf("the invoice is %s", got)
		}
	})
	t.Run("so it is when the subscription is read", func(t *testing.T) {
		asked["/v1/invoices"] = `{"data":[{"id":"in_4","status":"paid","number":"A-4"}]}`
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := shop.Refresh(ended, workspace, subscription.Cause{}); err == nil {
			t.Error("it was read, though nobody waits for it")
		}
		if got := numberOf(20); got != "A-4" {
			t.Errorf("the invoice is %s", got)
		}
	})
}

func TestKeptInvoices(t *testing.T) {
	var c invoiceCache
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	c.put("ws_1", "cus_1", 10, now, []Invoice{{Number: "A-1"}})
	t.Run("no other workspace and no other customer has them", func(t *testing.T) {
		for _, other := range [][2]string{{"ws_2", "cus_1"}, {"ws_1", "cus_2"}} {
			if got, known := c.get(other[0], other[1], 10, now); known {
				t.Errorf("%q has %+v", other, got)
			}
		}
	})
	t.Run("they are few", func(t *testing.T) {
		for i := range 2 * maxInvoicesCached {
			id := fmt.Sprintf("ws_new_%d", i)
			c.put(id, "cus", 10, now, nil)
			if _, known := c.get(id, "cus", 10, now); !known || len(c.cached) > maxInvoicesCached {
				t.Fatalf("%d are kept, the last one: %v", len(c.cached), known)
			}
		}
	})
}
