package billing

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripetest"
	"parley/core/plan"
	"parley/core/subscription"
)

// everyCall lists every call to Stripe, except the calls of package setup.
var everyCall = []string{
	"DELETE /v1/subscriptions/{id}",
	"GET /v1/account",
	"GET /v1/billing_portal/configurations",
	"GET /v1/charges/{id}",
	"GET /v1/checkout/sessions",
	"GET /v1/customers/{id}",
	"GET /v1/disputes/{id}",
	"GET /v1/events",
	"GET /v1/invoices",
	"GET /v1/prices",
	"GET /v1/prices/{id}",
	"GET /v1/products/{id}",
	"GET /v1/refunds",
	"GET /v1/subscriptions",
	"GET /v1/subscriptions/{id}",
	"POST /v1/billing_portal/sessions",
	"POST /v1/checkout/sessions",
	"POST /v1/checkout/sessions/{id}/expire",
	"POST /v1/customers",
	"POST /v1/customers/{id}",
	"POST /v1/invoices/{id}/void",
	"POST /v1/subscriptions/{id}",
}

// TestEveryRequestIsAccepted sends each request that the program makes, with all its
// parameters. The responses are examples: other tests cover their consequences with a
// stateful Stripe.
func TestEveryRequestIsAccepted(t *testing.T) {
	m := stripetest.NewMock(t, "..")
	ledger := newLedger(time.Now)
	s := New(Config{Key: "sk_test_123", BaseURL: m.URL, TrialDays: 14, Tax: true, TaxInclusive: true, TaxCode: "txcd_10103001"}, ledger.books(), time.Now, slog.New(slog.DiscardHandler), Nop{})
	ctx := t.Context()
	known := subscription.Subscription{WorkspaceID: workspace, CustomerID: "cus_1", CustomerStale: true, Billed: subscription.Billed{ID: "sub_1", Status: plan.Active}}

	t.Run("of a purchase", func(t *testing.T) {
		_, err := s.ensureCustomer(ctx, workspace)
		check(t, err)
		_, err = s.newCheckoutSession(ctx, known, Purchase{Plan: plan.Basic, Interval: plan.Monthly, Buyer: "us_1"}, "price_1", back)
		check(t, err)
		_, err = s.priceOnSale(ctx, Purchase{Plan: plan.Basic, Interval: plan.Monthly})
		check(t, err)
	})
	t.Run("of the portal", func(t *testing.T) {
		item := &stripe.SubscriptionItem{ID: "si_1", Quantity: 2}
		_, err := s.newPortalSession(ctx, "cus_1", back.Canceled, confirmation("sub_1", item, "price_1", back.Done))
		check(t, err)
		_, err = s.planItem(ctx, "sub_1")
		check(t, err)
	})
	t.Run("of reading", func(t *testing.T) {
		_, err := s.listSubscriptions(ctx, "cus_1")
		check(t, err)
		_, _, err = s.openInvoices(ctx, known, &stripe.Subscription{ID: "sub_1"})
		check(t, err)
		_, err = s.periodEnd(ctx, &stripe.Subscription{ID: "sub_1"})
		check(t, err)
		_, err = s.getPrice(ctx, "price_1")
		check(t, err)
		_, _, err = s.planOf(ctx, &stripe.Price{Product: &stripe.Product{ID: "prod_1"}})
		check(t, err)
		_ = s.confirmCustomerDeleted(ctx, known) // the example is of one that is not
		_, err = s.listUndelivered(ctx)
		check(t, err)
		_, _, err = s.readRefunds(ctx, "ch_1")
		check(t, err)
		_, err = s.listRefunds(ctx, "ch_1")
		check(t, err)
		_, _, err = s.readDispute(ctx, "dp_1")
		check(t, err)
		ledger.rows[workspace] = known
		_, err = s.Invoices(ctx, workspace, 10)
		check(t, err)
	})
	t.Run("of housekeeping", func(t *testing.T) {
		check(t, s.PushCustomers(ctx))
		check(t, s.expireSessions(ctx, "cus_1"))
		check(t, s.cancelSubscription(ctx, "sub_1"))
		check(t, s.voidInvoice(ctx, "in_1"))
		check(t, s.endTrial(ctx, "sub_1"))
	})
	sent := m.Calls()
	if !slices.Equal(sent, everyCall) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(sent, "\n"), strings.Join(everyCall, "\n"))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
