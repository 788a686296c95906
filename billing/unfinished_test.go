package billing

import (
	"strings"
	"sync"
	"testing"

	"parley/billing/setup"
	"parley/billing/stripetest"
	"parley/core/plan"
)

// unfinished is a shop whose workspace began to buy Basic and did not confirm
// the payment.
func unfinished(t *testing.T) (*shop, string) {
	t.Helper()
	s := newShop(t)
	s.config.TrialDays = 0
	customerID := s.become(t)
	s.stripe.AskAuthentication(customerID, true)
	page, _ := s.checkout(t, plan.Basic, sessions)
	if _, err := s.stripe.Press(page, "pay"); err == nil {
		t.Fatal("the bank did not ask")
	}
	if row := s.refresh(t); row.Status != plan.Incomplete || row.InvoiceURL == "" {
		t.Fatalf("got %+v", row)
	}
	return s, customerID
}

// payable counts the subscriptions of a customer that cost or can still be paid.
func (s *shop) payable(customerID string) (n int) {
	for _, sub := range s.stripe.Subscriptions(customerID) {
		if !plan.Status(sub.Status).Terminal() {
			n++
		}
	}
	return n
}

func TestAFirstPaymentThatIsNotFinished(t *testing.T) {
	t.Run("the same plan again resumes it, and is not sold a second time", func(t *testing.T) {
		s, customerID := unfinished(t)
		page, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Basic, Interval: plan.Monthly}, back)
		if err != nil || !strings.Contains(page, "/invoice/") || len(s.requests("POST", sessions)) != 1 {
			t.Fatalf("it leads to %s, %v", page, err)
		}
		if _, err := s.stripe.Press(page, "pay"); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.Status != plan.Active || row.Access.Plan != plan.Basic || s.payable(customerID) != 1 {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("another plan is sold, and the first payment is not possible any more", func(t *testing.T) {
		s, customerID := unfinished(t)
		invoice := s.row(t).InvoiceURL
		page, _ := s.checkout(t, plan.Premium, sessions)
		s.stripe.AskAuthentication(customerID, false)
		if _, err := s.stripe.Press(invoice, "pay"); err == nil {
			t.Error("the first payment is still taken")
		}
		if _, err := s.stripe.Press(page, "pay"); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.Access.Plan != plan.Premium || s.payable(customerID) != 1 || s.watcher.of("alarm "+TwoSubscriptions) != 0 {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("who pays the first while the second is asked for is not sold a second, nor loses the first", func(t *testing.T) {
		s, customerID := unfinished(t)
		var once sync.Once
		s.stripe.OnAnswer(func(r stripetest.Request) {
			if r.Method == "GET" && r.Path == "/v1/prices" { // just before it would be given up
				once.Do(func() { _, _ = s.stripe.Press(s.row(t).InvoiceURL, "pay") })
			}
		})
		page, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Premium, Interval: plan.Monthly}, back)
		s.stripe.OnAnswer(nil)
		if err != nil || strings.Contains(page, "/pay/") {
			t.Errorf("it leads to %s, %v", page, err)
		}
		if row := s.refresh(t); row.Status != plan.Active || row.Plan != plan.Basic || s.payable(customerID) != 1 {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("who pays between the look and the giving up keeps what was paid", func(t *testing.T) {
		s, customerID := unfinished(t)
		lists := 0
		s.stripe.OnAnswer(func(r stripetest.Request) {
			if r.Method == "GET" && r.Path == "/v1/subscriptions" {
				if lists++; lists == 2 {
					_, _ = s.stripe.Press(s.row(t).InvoiceURL, "pay")
				}
			}
		})
		page, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Premium, Interval: plan.Monthly}, back)
		s.stripe.OnAnswer(nil)
		if err != nil || strings.Contains(page, "/pay/") || s.payable(customerID) != 1 || s.refresh(t).Plan != plan.Basic {
			t.Errorf("it leads to %s, %v, with %d to pay", page, err, s.payable(customerID))
		}
	})
	t.Run("who owes a payment cannot buy a second on a page that was left open", func(t *testing.T) {
		s := newShop(t)
		s.config.TrialDays = 0
		page, _ := s.checkout(t, plan.Premium, sessions)
		customerID := s.row(t).CustomerID
		if err := s.stripe.Subscribe(customerID, setup.LookupKey(plan.Basic, plan.Monthly), 0); err != nil {
			t.Fatal(err)
		}
		s.stripe.SetStatus(customerID, string(plan.PastDue))
		s.checkout(t, plan.Standard, portals)
		if _, err := s.stripe.Press(page, "pay"); err == nil {
			t.Error("the page still takes money")
		}
	})
	t.Run("two that are not finished leave one", func(t *testing.T) {
		s, customerID := unfinished(t)
		s.stripe.AskAuthentication(customerID, true)
		if err := s.stripe.Subscribe(customerID, setup.LookupKey(plan.Basic, plan.Monthly), 0); err != nil {
			t.Fatal(err)
		}
		page, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Basic, Interval: plan.Monthly}, back)
		if err != nil || !strings.Contains(page, "/invoice/") || s.payable(customerID) != 1 {
			t.Errorf("it leads to %s, %v, with %d to pay", page, err, s.payable(customerID))
		}
	})
	t.Run("of two owners who go on at once, none makes a second", func(t *testing.T) {
		s, customerID := unfinished(t)
		var all sync.WaitGroup
		for _, name := range []plan.Name{plan.Basic, plan.Premium, plan.Standard, plan.Basic} {
			all.Go(func() {
				page, err := s.Checkout(t.Context(), workspace, Purchase{Plan: name, Interval: plan.Monthly}, back)
				if err == nil {
					_, _ = s.stripe.Press(page, "pay")
				}
			})
		}
		all.Wait()
		paid := 0
		for _, sub := range s.stripe.Subscriptions(customerID) {
			if sub.Status == "active" {
				paid++
			}
		}
		if paid > 1 {
			t.Errorf("%d are paid for", paid)
		}
	})
}
