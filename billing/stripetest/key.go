package stripetest

import (
	"fmt"
	"net/http"
	"strings"
)

// Rights are the permissions of a restricted key, by resource:
// https://docs.stripe.com/keys/restricted-api-keys.
type Rights map[string]Level

// Level is the extent of a permission.
type Level int

// The levels, each including the one before.
const (
	None Level = iota
	Read
	Write
)

// parts maps the prefixes of paths to the resources that they need. No prefix starts with
// another.
var parts = map[string]string{
	"/v1/account": "account", "/v1/balance": "balance", "/v1/billing_portal/": "customer_portal",
	"/v1/charges": "charges", "/v1/refunds": "charges", "/v1/disputes": "disputes",
	"/v1/checkout/sessions": "checkout_sessions", "/v1/customers": "customers", "/v1/events": "events",
	"/v1/invoices": "invoices", "/v1/payment_methods": "payment_methods", "/v1/prices": "prices", "/v1/products": "products",
	"/v1/subscription_schedules": "subscriptions", "/v1/subscriptions": "subscriptions",
	"/v1/webhook_endpoints": "webhook_endpoints",
}

// Restrict adds a restricted key, or changes its permissions.
func (s *Server) Restrict(key string, rights Rights) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restricted[key] = rights
}

// admits refuses a key of another account, and one without permission for the request.
func (s *Server) admits(r *Request, key string) error {
	if key == s.Key {
		return nil
	}
	rights, known := s.restricted[key]
	if !known {
		return failure{Status: http.StatusUnauthorized, Type: invalidRequest, Message: "Invalid API Key provided: sk_test_****"}
	}
	needed := Write
	if r.Method == http.MethodGet {
		needed = Read
	}
	for path, part := range parts {
		if strings.HasPrefix(r.Path, path) && rights[part] >= needed {
			return nil
		}
	}
	return failure{
		Status: http.StatusForbidden, Type: invalidRequest,
		Message: fmt.Sprintf("The provided key 'rk_test_****' does not have the required permissions for this endpoint on account '%s'.", s.Account),
	}
}
