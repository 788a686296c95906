package setup

import (
	"slices"
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripeapi"
	"parley/billing/stripetest"
	"parley/core/plan"
)

// everyCall lists every call for the setup at Stripe.
var everyCall = []string{
	"DELETE /v1/subscriptions/{id}",
	"DELETE /v1/webhook_endpoints/{id}",
	"GET /v1/account",
	"GET /v1/billing_portal/configurations",
	"GET /v1/billing_portal/configurations/{id}",
	"GET /v1/disputes",
	"GET /v1/events",
	"GET /v1/payment_methods/{id}",
	"GET /v1/prices",
	"GET /v1/products",
	"GET /v1/refunds",
	"GET /v1/webhook_endpoints",
	"POST /v1/billing_portal/configurations",
	"POST /v1/billing_portal/configurations/{id}",
	"POST /v1/checkout/sessions/{id}/expire",
	"POST /v1/customers/{id}",
	"POST /v1/invoices/{id}/void",
	"POST /v1/prices",
	"POST /v1/prices/{id}",
	"POST /v1/products",
	"POST /v1/products/{id}",
	"POST /v1/webhook_endpoints",
	"POST /v1/webhook_endpoints/{id}",
}

// TestEveryRequestIsAccepted sends each request that the package makes, with all its
// parameters. The responses are examples: package billing tests their consequences with a
// stateful Stripe.
func TestEveryRequestIsAccepted(t *testing.T) {
	m := stripetest.NewMock(t, "../..")
	ctx := t.Context()
	s := New(stripeapi.Connect("sk_test_123", m.URL, nil), Config{TaxInclusive: true, TaxCode: "txcd_10103001"}, Ports{})
	const address = "https://parley.example/api/webhooks/stripe"

	t.Run("of the rights", func(t *testing.T) {
		_, err := s.Check(ctx)
		check(t, err)
	})
	t.Run("of the webhook endpoint", func(t *testing.T) {
		made, err := s.newEndpoint(ctx, address)
		check(t, err)
		_, err = s.updateEndpoint(ctx, &stripe.WebhookEndpoint{ID: made.ID})
		check(t, err)
		_, err = s.endpoints(ctx, address)
		check(t, err)
		check(t, s.deleteEndpoints(ctx, []*stripe.WebhookEndpoint{{ID: "we_1"}}))
	})
	t.Run("of the plans", func(t *testing.T) {
		_, err := s.Sync(ctx, plan.Defaults(), false)
		check(t, err)
	})
	t.Run("of the plans when objects differ", func(t *testing.T) {
		r := &syncRun{setup: s, plans: plan.Defaults(), prices: map[string][]string{}}
		check(t, r.syncProduct(ctx, plan.Defaults()[1], &stripe.Product{ID: "parley_basic"}))
		r.products = map[string]*stripe.Product{"parley_basic": {}}
		check(t, r.archivePrices(ctx))
		check(t, r.activatePrice(ctx, Change{}, "price_1", false))
		check(t, r.savePortal(ctx, "bpc_1", wantedPortal(map[string][]string{"parley_basic": {"price_1"}})))
		check(t, r.savePortal(ctx, "bpc_1", wantedPortal(nil)))
		_, err := r.readPortal(ctx, "bpc_1")
		check(t, err)
	})
	if sent := m.Calls(); !slices.Equal(sent, everyCall) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(sent, "\n"), strings.Join(everyCall, "\n"))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
