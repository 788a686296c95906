package setup

import (
	"context"
	"net/http"
	"sync"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripeapi"
	"parley/core/fault"
)

// Right is something that a restricted key has to be allowed.
type Right struct {
	// Resource and Level are as Stripe's page about the key calls them.
	Resource, Level string
	// probe is a request that needs the right and changes nothing: what it
	// writes to is not there.
	method, path string
}

const (
	readRight  = "Read"
	writeRight = "Write"
)

// Rights returns all that a restricted key needs, as Stripe lists them. A full
// secret key has all of them.
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

// Check reports which of [Rights] the key lacks. It is Unavailable when Stripe
// does not take the key at all, or does not answer. The error never has the key
// in it: Stripe repeats a part of a wrong one.
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
			return nil, fault.New(fault.Unavailable, "Stripe does not take the key. Check STRIPE_SECRET_KEY.")
		case stripeapi.Away(err):
			return nil, fault.Wrap(fault.Unavailable, err, "Stripe does not answer. Try again later.")
		}
	}
	return lacking, nil
}

// nothing is an answer that nobody reads.
type nothing struct{ stripe.APIResource }

// probe makes the request of a right. That what it names is not there, or that
// it lacks a parameter, says that the key may make it.
func (s *Setup) probe(ctx context.Context, right Right) error {
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*nothing, error) {
		params, answer := &stripe.Params{Context: ctx}, &nothing{}
		return answer, s.api.Backend.Call(right.method, right.path, s.api.Key, params, answer)
	})
	return err
}
