package stripetest

import (
	"net/http"
	"slices"
)

func (s *Server) routeAccount(mux *http.ServeMux) {
	s.handle(mux, "GET /v1/account", func(*Request) (any, error) {
		return map[string]any{"id": s.Account, "object": "account", "type": "standard"}, nil
	})
	s.handle(mux, "GET /v1/balance", func(*Request) (any, error) {
		return map[string]any{"object": "balance", "available": []any{}, "pending": []any{}, "livemode": false}, nil
	})
}

// Forget removes a customer without a trace, as if it belonged to another
// account. Stripe still knows a customer that was merely deleted.
func (s *Server) Forget(customerID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.customers = slices.DeleteFunc(s.customers, func(c *customer) bool { return c.ID == customerID })
	s.subscriptions = slices.DeleteFunc(s.subscriptions, func(sub *subscription) bool { return sub.Customer == ref(customerID) })
	s.checkouts = slices.DeleteFunc(s.checkouts, func(c *checkout) bool { return c.Customer == ref(customerID) })
	delete(s.byID, customerID)
}

// Refuse makes the API answer its next requests with a status, such as 429.
func (s *Server) Refuse(requests, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusing, s.refusal = requests, status
}

// Delete deletes a customer, as somebody does by hand in Stripe's dashboard.
func (s *Server) Delete(customerID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.deleteCustomer(&Request{id: customerID}); err != nil {
		panic("stripetest: " + err.Error())
	}
}
