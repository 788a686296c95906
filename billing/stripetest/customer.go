package stripetest

import (
	"net/http"
	"slices"
)

// failingMethod is the payment method of Stripe's tests that can be attached but refuses
// each payment: https://docs.stripe.com/testing#declined-payments.
const failingMethod = "pm_card_chargeCustomerFail"

// customer is https://docs.stripe.com/api/customers/object.
type customer struct {
	head
	Email    ref               `json:"email"`
	Name     ref               `json:"name"`
	Metadata map[string]string `json:"metadata"`
	// Balance is added to the next invoice; a negative one is deducted.
	Balance         int64           `json:"balance"`
	Currency        ref             `json:"currency"`
	InvoiceSettings invoiceSettings `json:"invoice_settings"`
	Address         *address        `json:"address"`

	// failing refuses each payment; authenticates requires confirming each one.
	failing, authenticates, deleted bool
	// card is the card for the next checkout.
	card   string
	taxIDs []taxID
}

type invoiceSettings struct {
	DefaultPaymentMethod ref   `json:"default_payment_method"`
	CustomFields         []any `json:"custom_fields"`
}

type address struct {
	Line1   string `json:"line1"`
	City    string `json:"city"`
	Country string `json:"country"`
}

type taxID struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

func (s *Server) routeCustomers(mux *http.ServeMux) {
	s.handle(mux, "POST /v1/customers", s.createCustomer)
	s.handle(mux, "GET /v1/customers", s.listCustomers)
	s.handle(mux, "GET /v1/customers/{id}", s.retrieveCustomer)
	s.handle(mux, "POST /v1/customers/{id}", s.updateCustomer)
	s.handle(mux, "DELETE /v1/customers/{id}", s.deleteCustomer)
}

func (s *Server) createCustomer(r *Request) (any, error) {
	c := &customer{head: s.newHead("cus", "customer")}
	c.change(r.params())
	s.customers = append(s.customers, c)
	s.byID[c.ID] = c
	s.emit("customer.created", c)
	return c, nil
}

func (c *customer) change(p params) {
	if p.has("email") {
		c.Email = ref(p.get("email"))
	}
	if p.has("name") {
		c.Name = ref(p.get("name"))
	}
	if method := p.hash("invoice_settings"); method.has("default_payment_method") {
		c.InvoiceSettings.DefaultPaymentMethod = ref(method.get("default_payment_method"))
	}
	if fields := p.hash("invoice_settings").hashes("custom_fields"); len(fields) > 0 {
		c.InvoiceSettings.CustomFields = nil
		for _, field := range fields {
			c.InvoiceSettings.CustomFields = append(c.InvoiceSettings.CustomFields, field.tree())
		}
	}
	c.Metadata = p.mergeMetadata(c.Metadata)
}

// living finds a customer that is not deleted. Param is the parameter that names it, or "".
func (s *Server) living(id, param string) (*customer, error) {
	c, ok := find(s.customers, id)
	switch {
	case id == "":
		return nil, required(param)
	case !ok || c.deleted:
		return nil, missing("customer", id, param)
	}
	return c, nil
}

func (s *Server) retrieveCustomer(r *Request) (any, error) {
	c, ok := find(s.customers, r.id)
	switch {
	case !ok:
		return nil, missing("customer", r.id, "")
	case c.deleted:
		return deletion{c.ID, "customer", true}, nil
	}
	return c, nil
}

func (s *Server) listCustomers(r *Request) (any, error) {
	p := r.params()
	return page(r, s.customers, func(c *customer) bool {
		return !c.deleted && p.is("email", string(c.Email)) && p.within("created", c.Created)
	})
}

func (s *Server) updateCustomer(r *Request) (any, error) {
	c, err := s.living(r.id, "")
	if err != nil {
		return nil, err
	}
	c.change(r.params())
	s.emit("customer.updated", c)
	return c, nil
}

func (s *Server) deleteCustomer(r *Request) (any, error) {
	c, err := s.living(r.id, "")
	if err != nil {
		return nil, err
	}
	for _, sub := range slices.Clone(s.subscriptions) {
		if sub.Customer == ref(c.ID) && !sub.over() {
			s.cancel(sub)
		}
	}
	c.deleted = true
	s.emit("customer.deleted", c)
	return deletion{c.ID, "customer", true}, nil
}
