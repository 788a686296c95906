package setup

import (
	"context"
	"net/http"
	"sync"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripeapi"
	"parley/core/fault"
)

// Right is a permission that a restricted key needs.
type Right struct {
	// Resource and Level are the names on Stripe's page about the key.
	Resource, Level string
	// probe is a request that needs the right and changes nothing, because its target
	// does not exist.
	method, path string
}

const (
	readRight  = "Read"
	writeRight = "Write"
)

// Rights returns all rights that a restricted key needs, in Stripe's order. A full secret key
// has all of them.
func Rights() []Right {
	return []Right{
		{"Charges and refunds", readRight, http.MethodGet, "/v1/refunds?limit=1"},
		{"Customers", writeRight, http.MethodPost, "/v1/customers/cus_parleydoctor"},
		{"Disputes", readRight, http.MethodGet, "/v1/disputes?limit=1"},
		{"Events", readRight, http.MethodGet, "/v1/events?limit=1"},
		{"PaymentMethods", readRight, http.MethodGet, "/v1/payment_methods/pm_parleydoctor"},
		{"Products", writeRight, http.MethodPost, "/v1/products/parley_doctor"},
		{"Checkout Sessions", writeRight, http.MethodPost, "/v1/checkout/sessions/cs_parleydoctor/expire"},
		{"Customer portal", writeRight, http.MethodPost, "/v1/billing_portal/configurations/bpc_parleydoctor"},
		{"Invoices", writeRight, http.MethodPost, "/v1/invoices/in_parleydoctor/void"},
		{"Prices", writeRight, http.MethodPost, "/v1/prices/price_parleydoctor"},
		{"Subscriptions", writeRight, http.MethodDelete, "/v1/subscriptions/sub_parleydoctor"},
		{"Webhook Endpoints", writeRight, http.MethodPost, "/v1/webhook_endpoints/we_parleydoctor"},
		{"Accounts", readRight, http.MethodGet, "/v1/account"},
	}
}

// Check returns which of [Rights] the key lacks. It is Unavailable if Stripe rejects the key
// or does not answer. The error never contains the key, although Stripe repeats a part of a
// wrong one.
func (s *Setup) Check(ctx context.Context) (lacking []Right, err error) {
	rights := Rights()
	results := make([]error, len(rights))
	var all sync.WaitGroup
	for i, right := range rights {
		all.Go(func() { results[i] = s.probe(ctx, right) })
	}
	all.Wait()
	for i, err := range results {
		switch {
		case stripeapi.Forbidden(err):
			lacking = append(lacking, rights[i])
		case stripeapi.Unauthorized(err):
			return nil, fault.New(fault.Unavailable, "Stripe rejects the key. Check STRIPE_SECRET_KEY.")
		case stripeapi.Away(err):
			return nil, fault.Wrap(fault.Unavailable, err, "Stripe does not answer. Try again later.")
		}
	}
	return lacking, nil
}

// nothing is an unused response.
type nothing struct{ stripe.APIResource }

// probe sends the request of a right. An error about a missing object or parameter shows that
// the key has the right.
func (s *Setup) probe(ctx context.Context, right Right) error {
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*nothing, error) {
		params, answer := &stripe.Params{Context: ctx}, &nothing{}
		return answer, s.api.Backend.Call(right.method, right.path, s.api.Key, params, answer)
	})
	return err
}
