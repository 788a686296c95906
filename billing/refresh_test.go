package billing

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"parley/billing/setup"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/internal/intx"
)

func TestRefresh(t *testing.T) {
	t.Run("a workspace that was never a customer stays as it is, and Stripe is not asked", func(t *testing.T) {
		s := newEmptyShop(t)
		applied, err := s.Refresh(t.Context(), workspace, subscription.Cause{})
		if err != nil || applied.Changed || len(s.stripe.Requests()) != 0 {
			t.Errorf("got %+v, %v, after %v", applied, err, s.stripe.Requests())
		}
	})
	t.Run("a customer without subscriptions has none", func(t *testing.T) {
		s := newEmptyShop(t)
		s.become(t)
		if row := s.refresh(t); row.Status != plan.None || row.Access.Plan != plan.Free {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a paid subscription is read", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Standard)
		row := s.row(t)
		if row.Status != plan.Active || row.Plan != plan.Standard || row.Interval != plan.Monthly || row.TrialUsed {
			t.Errorf("got %+v", row)
		}
		if !sameTime(row.PeriodEnd, later(s, 0, 1, 0)) || row.EndsAt != nil || row.Access.Plan != plan.Standard {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a trial is read, and counts as used", func(t *testing.T) {
		s := newShop(t)
		if err := s.stripe.Subscribe(s.become(t), setup.LookupKey(plan.Basic, plan.Yearly), 14); err != nil {
			t.Fatal(err)
		}
		row := s.refresh(t)
		if row.Status != plan.Trialing || !row.TrialUsed || row.Interval != plan.Yearly || !sameTime(row.TrialEnd, later(s, 0, 0, 14)) {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a canceled subscription ends with its period", func(t *testing.T) {
		s := newShop(t)
		s.stripe.CancelAtPeriodEnd(s.subscribe(t, plan.Basic), true)
		if row := s.refresh(t); !sameTime(row.EndsAt, later(s, 0, 1, 0)) || row.Access.Plan != plan.Basic {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a scheduled change is read, and is gone once it has happened", func(t *testing.T) {
		s := newShop(t)
		if err := s.stripe.SchedulePrice(s.subscribe(t, plan.Standard), setup.LookupKey(plan.Basic, plan.Monthly)); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.NextPlan != plan.Basic || !sameTime(row.NextAt, later(s, 0, 1, 0)) || row.Plan != plan.Standard {
			t.Errorf("got %+v", row)
		}
		s.stripe.Advance(32 * 24 * time.Hour)
		if row := s.refresh(t); row.NextPlan != "" || row.NextAt != nil || row.Plan != plan.Basic {
			t.Errorf("afterward got %+v", row)
		}
	})
	t.Run("a change of the interval is scheduled, too", func(t *testing.T) {
		s := newShop(t)
		if err := s.stripe.SchedulePrice(s.subscribe(t, plan.Basic), setup.LookupKey(plan.Basic, plan.Yearly)); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.NextPlan != plan.Basic || !sameTime(row.NextAt, later(s, 0, 1, 0)) || row.Interval != plan.Monthly {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a subscription that ended has no next payment", func(t *testing.T) {
		s := newShop(t)
		s.stripe.Cancel(s.subscribe(t, plan.Basic))
		if row := s.refresh(t); row.Status != plan.Canceled || row.PeriodEnd != nil || !sameTime(row.EndsAt, later(s, 0, 0, 0)) || row.Plan != plan.Basic {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("whoever pays for two gets the higher plan, with an alarm", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Premium)
		if err := s.stripe.Subscribe(customerID, setup.LookupKey(plan.Basic, plan.Monthly), 0); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.Plan != plan.Premium || s.watcher.of("alarm "+TwoSubscriptions) != 1 {
			t.Errorf("got %+v, the observer was told %v", row, s.watcher.counts)
		}
	})
	t.Run("an unknown status leaves access unchanged, with an alarm", func(t *testing.T) {
		s := newShop(t)
		s.stripe.SetStatus(s.subscribe(t, plan.Basic), "frozen")
		if row := s.refresh(t); row.Access.Plan != plan.Basic || s.watcher.of("alarm "+UnknownStatus) != 1 {
			t.Errorf("got %+v, the observer was told %v", row, s.watcher.counts)
		}
	})
}

// later is a time after the present of a shop's Stripe.
func later(s *shop, years, months, days int) *time.Time {
	at := s.stripe.Now().AddDate(years, months, days)
	return &at
}

func TestPastDue(t *testing.T) {
	s := newShop(t)
	customerID := s.subscribe(t, plan.Basic)
	s.stripe.FailPayments(customerID, true)
	s.stripe.Advance(s.row(t).PeriodEnd.Sub(s.stripe.Now()) + 2*time.Hour)
	failed := s.refresh(t)
	if failed.Status != plan.PastDue || failed.PastDueSince == nil || failed.PastDueSince.After(s.stripe.Now()) {
		t.Fatalf("got %+v", failed)
	}
	t.Run("it keeps the time of the first failure", func(t *testing.T) {
		s.stripe.Advance(4 * 24 * time.Hour)
		if row := s.refresh(t); row.Status != plan.PastDue || !sameTime(row.PastDueSince, failed.PastDueSince) {
			t.Errorf("got %+v, want since %v", row, failed.PastDueSince)
		}
	})
	t.Run("without earlier events the result is the same", func(t *testing.T) {
		heard := s.row(t)
		forgotten := heard
		forgotten.Billed = subscription.Billed{}
		s.ledger.rows[workspace] = forgotten
		if row := s.refresh(t); !same(row.Billed, heard.Billed) {
			t.Errorf("got %+v, want %+v", row.Billed, heard.Billed)
		}
	})
	t.Run("it ends when the payment succeeds", func(t *testing.T) {
		s.stripe.FailPayments(customerID, false)
		s.stripe.Advance(6 * 24 * time.Hour)
		if row := s.refresh(t); row.Status != plan.Active || row.PastDueSince != nil {
			t.Errorf("got %+v", row)
		}
	})
}

func TestRefreshRaces(t *testing.T) {
	t.Run("a writer that loses the race re-reads", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		s.ledger.overtake = 4
		if row := s.refresh(t); row.Revision != 6 {
			t.Errorf("the revision is %d, want 6: 1, the 4 of others, and this", row.Revision)
		}
	})
	t.Run("a writer that keeps losing is told to try later", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		s.ledger.overtake = 5
		if _, err := s.Refresh(t.Context(), workspace, subscription.Cause{}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("got %v, want Unavailable", err)
		}
	})
	t.Run("fifty concurrent writers in one process do not race one another", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := s.Refresh(t.Context(), workspace, subscription.Cause{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := s.row(t).Revision; got != 51 {
			t.Errorf("the revision is %d, want 51", got)
		}
	})
	t.Run("Stripe is not called inside a transaction", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		before := len(s.stripe.Requests())
		if _, err := s.Refresh(intx.Mark(t.Context()), workspace, subscription.Cause{}); !fault.Is(err, fault.Internal) {
			t.Errorf("got %v, want Internal", err)
		}
		if len(s.stripe.Requests()) != before {
			t.Error("Stripe was called")
		}
	})
}

// TestOddAnswers covers responses that the stateful Stripe does not give: a server with fixed
// responses by path.
func TestOddAnswers(t *testing.T) {
	const (
		nothing = `{"object":"list","data":[],"has_more":false}`
		unknown = `{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such customer: 'cus_1'"}}`
	)
	known := subscription.Subscription{
		WorkspaceID: workspace, CustomerID: "cus_1", Access: plan.Access{Plan: plan.Basic},
		Billed: subscription.Billed{ID: "sub_1", Status: plan.Active, Plan: plan.Basic, Interval: plan.Monthly},
	}
	ask := func(t *testing.T, answers map[string]string) (*shop, error) {
		s := newEmptyShop(t)
		config := s.configured()
		config.BaseURL = answering(t, answers)
		s.Service = New(config, s.ledger.books(), s.now, s.log, s.watcher)
		s.ledger.rows[workspace] = known
		_, err := s.Refresh(t.Context(), workspace, subscription.Cause{})
		return s, err
	}
	t.Run("a customer that Stripe never had changes nothing: the key belongs to another account", func(t *testing.T) {
		s, err := ask(t, map[string]string{"/v1/subscriptions": unknown, "/v1/customers/cus_1": unknown})
		if !fault.Is(err, fault.Conflict) || s.row(t).Access.Plan != plan.Basic || s.watcher.of("alarm "+MissingCustomer) != 1 {
			t.Errorf("got %v, %+v, the observer was told %v", err, s.row(t), s.watcher.counts)
		}
	})
	t.Run("a deleted customer pays for nothing", func(t *testing.T) {
		s, err := ask(t, map[string]string{"/v1/subscriptions": unknown, "/v1/customers/cus_1": `{"id":"cus_1","deleted":true}`})
		if row := s.row(t); err != nil || row.Status != plan.Canceled || row.ID != "sub_1" || row.Access.Plan != plan.Free {
			t.Errorf("got %v, %+v", err, row)
		}
	})
	t.Run("a subscription that no longer exists has ended, with an alarm", func(t *testing.T) {
		s, err := ask(t, map[string]string{"/v1/subscriptions": nothing})
		if row := s.row(t); err != nil || row.Status != plan.Canceled || s.watcher.of("alarm "+MissingSubscription) != 1 {
			t.Errorf("got %v, %+v, the observer was told %v", err, row, s.watcher.counts)
		}
	})
	t.Run("a price without a plan keeps the last plan, with an alarm", func(t *testing.T) {
		s, err := ask(t, map[string]string{
			"/v1/subscriptions":   `{"data":[{"id":"sub_1","status":"active","current_period_end":1800000000,"items":{"data":[{"id":"si_1","quantity":1,"price":{"id":"price_1","product":"prod_1"}}]}}]}`,
			"/v1/products/prod_1": `{"id":"prod_1"}`,
		})
		if row := s.row(t); err != nil || row.Plan != plan.Basic || row.Status != plan.Active || s.watcher.of("alarm "+UnknownPrice) != 1 {
			t.Errorf("got %v, %+v, the observer was told %v", err, row, s.watcher.counts)
		}
	})
	t.Run("a price created by hand is recognized by its product's metadata", func(t *testing.T) {
		s, err := ask(t, map[string]string{
			"/v1/subscriptions":   `{"data":[{"id":"sub_1","status":"active","current_period_end":1800000000,"items":{"data":[{"id":"si_1","quantity":1,"price":{"id":"price_1","product":"prod_1"}}]}}]}`,
			"/v1/products/prod_1": `{"id":"prod_1","metadata":{"plan":"premium"}}`,
		})
		if row := s.row(t); err != nil || row.Plan != plan.Premium {
			t.Errorf("got %v, %+v", err, row)
		}
	})
	t.Run("the end of the period is read from the items if it is only there", func(t *testing.T) {
		one := `{"id":"sub_1","status":"active","items":{"data":[{"id":"si_1","quantity":1,"current_period_end":1800000000,"price":{"id":"price_1","lookup_key":"parley_basic_monthly"}}]}}`
		s, err := ask(t, map[string]string{"/v1/subscriptions": `{"data":[` + one + `]}`, "/v1/subscriptions/sub_1": one})
		if row := s.row(t); err != nil || row.PeriodEnd == nil || row.PeriodEnd.Unix() != 1_800_000_000 {
			t.Errorf("got %v, %+v", err, row)
		}
	})
	t.Run("an invoice with a due date is overdue since that date", func(t *testing.T) {
		s, err := ask(t, map[string]string{
			"/v1/subscriptions": `{"data":[{"id":"sub_1","status":"past_due","current_period_end":1800000000,"items":{"data":[{"id":"si_1","quantity":1,"price":{"lookup_key":"parley_basic_monthly"}}]}}]}`,
			"/v1/invoices": `{"data":[{"id":"in_2","created":1790000000,"due_date":1793000000,"status":"open"},
				{"id":"in_1","created":1780000000,"due_date":1783000000,"status":"open","status_transitions":{"finalized_at":1780003600}}]}`,
		})
		if row := s.row(t); err != nil || row.PastDueSince == nil || row.PastDueSince.Unix() != 1_783_000_000 {
			t.Errorf("got %v, %+v", err, row)
		}
	})
	t.Run("a payment that Stripe gave up on is overdue since it failed", func(t *testing.T) {
		s, err := ask(t, map[string]string{
			"/v1/subscriptions": `{"data":[{"id":"sub_1","status":"past_due","current_period_end":1800000000,"items":{"data":[{"id":"si_1","quantity":1,"price":{"lookup_key":"parley_basic_monthly"}}]},
				"latest_invoice":{"id":"in_1","created":1780000000,"status":"uncollectible"}}]}`,
			"/v1/invoices": nothing,
		})
		if row := s.row(t); err != nil || row.PastDueSince == nil || row.PastDueSince.Unix() != 1_780_000_000 {
			t.Errorf("got %v, %+v", err, row)
		}
	})
	t.Run("a schedule that ends the subscription says when", func(t *testing.T) {
		s, err := ask(t, map[string]string{
			"/v1/subscriptions": `{"data":[{"id":"sub_1","status":"active","current_period_end":1800000000,"items":{"data":[{"id":"si_1","quantity":1,"price":{"id":"price_1","lookup_key":"parley_basic_monthly"}}]},
				"schedule":{"id":"sched_1","status":"active","end_behavior":"cancel","current_phase":{"start_date":1790000000,"end_date":1810000000},
				"phases":[{"start_date":1790000000,"end_date":1810000000,"items":[{"price":"price_1"}]}]}}]}`,
		})
		if row := s.row(t); err != nil || row.EndsAt == nil || row.EndsAt.Unix() != 1_810_000_000 || row.NextAt != nil {
			t.Errorf("got %v, %+v", err, row)
		}
	})
	t.Run("of several items the one with a plan counts", func(t *testing.T) {
		s, err := ask(t, map[string]string{
			"/v1/subscriptions": `{"data":[{"id":"sub_1","status":"active","current_period_end":1800000000,"items":{"data":[
				{"id":"si_1","quantity":1,"price":{"id":"price_1","lookup_key":"support","recurring":{"interval":"month"}}},
				{"id":"si_2","quantity":1,"price":{"id":"price_2","lookup_key":"parley_premium_yearly","recurring":{"interval":"year"}}}]}}]}`,
		})
		if row := s.row(t); err != nil || row.Plan != plan.Premium || row.Interval != plan.Yearly {
			t.Errorf("got %v, %+v", err, row)
		}
	})
	t.Run("a response that is not JSON changes nothing", func(t *testing.T) {
		s, err := ask(t, map[string]string{"/v1/subscriptions": `<html>`})
		if !fault.Is(err, fault.Upstream) || s.row(t).Revision != 0 {
			t.Errorf("got %v, %+v", err, s.row(t))
		}
	})
}

// answering returns the address of a server with fixed responses.
func answering(t *testing.T, answers map[string]string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if r.URL.Path == "/v1/account" {
			answer, ok = `{"id":"acct_1","object":"account"}`, true
		}
		if !ok {
			t.Errorf("%s %s was not expected", r.Method, r.URL.Path)
		}
		var failed struct{ Error json.RawMessage }
		if json.Unmarshal([]byte(answer), &failed) == nil && failed.Error != nil {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
