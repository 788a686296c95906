package stripetest

import (
	"net/http"
	"strings"
)

// checkout is https://docs.stripe.com/api/checkout/sessions/object.
type checkout struct {
	head
	URL               ref               `json:"url"`
	Mode              string            `json:"mode"`
	Status            string            `json:"status"`
	PaymentStatus     string            `json:"payment_status"`
	Customer          ref               `json:"customer"`
	Subscription      ref               `json:"subscription"`
	Invoice           ref               `json:"invoice"`
	ClientReferenceID ref               `json:"client_reference_id"`
	SuccessURL        ref               `json:"success_url"`
	CancelURL         ref               `json:"cancel_url"`
	ExpiresAt         moment            `json:"expires_at"`
	AmountTotal       int64             `json:"amount_total"`
	Currency          string            `json:"currency"`
	AutomaticTax      map[string]any    `json:"automatic_tax"`
	Metadata          map[string]string `json:"metadata"`

	price     *price
	trialDays int64
	trialEnd  moment
	given     map[string]string
	// asks says what else the page asks the customer for, besides a card.
	asks struct{ address, taxID bool }
}

// The statuses of a checkout session, besides open.
const (
	complete = "complete"
	expired  = "expired"
)

// checkoutLasts is how long a session can be paid.
const checkoutLasts = day

func (s *Server) routeCheckout(mux *http.ServeMux) {
	s.handle(mux, "POST /v1/checkout/sessions", s.createCheckout)
	s.handle(mux, "GET /v1/checkout/sessions", s.listCheckouts)
	s.handle(mux, "GET /v1/checkout/sessions/{id}", func(r *Request) (any, error) { return s.checkout(r.id) })
	s.handle(mux, "POST /v1/checkout/sessions/{id}/expire", func(r *Request) (any, error) {
		session, err := s.checkout(r.id)
		if err == nil && session.Status != open {
			err = invalid("", "Only Checkout Sessions with a status in [\"open\"] can be expired.")
		}
		if err != nil {
			return nil, err
		}
		s.expireCheckout(session)
		return session, nil
	})
	s.showPages(mux, "/pay/{id}", s.showCheckout, s.pressCheckout)
}

func (s *Server) checkout(id string) (*checkout, error) {
	if session, ok := find(s.checkouts, id); ok {
		return session, nil
	}
	return nil, missing("checkout.session", id, "")
}

func (s *Server) createCheckout(r *Request) (any, error) {
	p := r.params()
	lines := p.hashes("line_items")
	switch {
	case p.get("mode") != "subscription":
		return nil, invalid("mode", "This Stripe supports only the mode subscription.")
	case p.get("success_url") == "":
		return nil, required("success_url")
	case len(lines) != 1:
		return nil, invalid("line_items", "This Stripe supports only subscriptions to one price.")
	}
	of, err := s.price(lines[0].get("price"), "line_items[0][price]")
	if err != nil {
		return nil, err
	}
	if !of.Active {
		return nil, invalid("line_items[0][price]", "The price specified is inactive. This field only accepts active prices.")
	}
	c, err := s.living(p.get("customer"), "customer")
	if err != nil {
		return nil, err
	}
	if err := allowsTax(p); err != nil {
		return nil, err
	}
	session := s.newCheckout(c, of, p)
	s.checkouts = append(s.checkouts, session)
	s.byID[session.ID] = session
	return session, nil
}

// allowsTax refuses what Stripe refuses for a customer without an address.
func allowsTax(p params) error {
	update := p.hash("customer_update")
	if p.hash("automatic_tax").yes("enabled") && update.get("address") != "auto" && update.get("shipping") != "auto" {
		return failure{
			Status: http.StatusBadRequest, Type: invalidRequest, Code: "customer_tax_location_invalid", Param: "automatic_tax",
			Message: "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto'.",
		}
	}
	if p.hash("tax_id_collection").yes("enabled") && update.get("name") != "auto" {
		return invalid("tax_id_collection", "Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.")
	}
	return nil
}

func (s *Server) newCheckout(c *customer, of *price, p params) *checkout {
	data := p.hash("subscription_data")
	session := &checkout{
		head: s.newHead("cs_test", "checkout.session"), Mode: p.get("mode"), Status: open, PaymentStatus: unpaid, Customer: ref(c.ID),
		ClientReferenceID: ref(p.get("client_reference_id")), SuccessURL: ref(p.get("success_url")), CancelURL: ref(p.get("cancel_url")),
		ExpiresAt: s.moment().add(checkoutLasts), AmountTotal: of.UnitAmount, Currency: of.Currency,
		AutomaticTax: map[string]any{"enabled": p.hash("automatic_tax").yes("enabled"), "status": nil},
		Metadata:     p.mergeMetadata(nil), price: of,
		trialDays: data.number("trial_period_days"), trialEnd: data.moment("trial_end"), given: data.mergeMetadata(nil),
	}
	session.asks.address = p.get("billing_address_collection") == "required" && p.hash("customer_update").get("address") == "auto"
	session.asks.taxID = p.hash("tax_id_collection").yes("enabled")
	session.URL = ref(s.pageURL("/pay/" + session.ID))
	return session
}

func (s *Server) listCheckouts(r *Request) (any, error) {
	p := r.params()
	return page(r, s.checkouts, func(session *checkout) bool {
		return p.is("customer", string(session.Customer)) && p.is("subscription", string(session.Subscription)) && p.is("status", session.Status)
	})
}

func (s *Server) expireCheckout(session *checkout) {
	session.Status, session.URL = expired, ""
	s.emit("checkout.session.expired", session)
}

// What the business in tests enters at a checkout.
var (
	businessAddress = address{"Hauptstrasse 1", "Berlin", "DE"}
	businessTaxID   = taxID{"eu_vat", "DE123456789"}
)

// complete creates the subscription that was paid for. A refused card leaves the session
// open, and so does a bank that wants the payment confirmed; in that case there is a
// subscription whose first payment is missing.
func (s *Server) complete(session *checkout) error {
	c, err := s.living(string(session.Customer), "customer")
	if err != nil {
		return err
	}
	if session.asks.address {
		c.Address = &businessAddress
	}
	if session.asks.taxID {
		c.taxIDs = []taxID{businessTaxID}
	}
	trialEnd := session.trialEnd
	if session.trialDays > 0 {
		trialEnd = s.moment() + moment(session.trialDays)*momentOfDay
	}
	behavior := errorIfIncomplete
	if c.authenticates && !c.failing {
		behavior = ""
	}
	sub, err := s.open(opening{c, session.price, trialEnd, session.given, behavior, ref(s.newMethod(c).ID)})
	if err != nil {
		return err
	}
	if sub.Status == incomplete {
		return failure{Status: http.StatusPaymentRequired, Type: cardError, Code: "authentication_required", Message: "Your bank wants this payment confirmed."}
	}
	session.Status, session.URL, session.Subscription, session.Invoice = complete, "", ref(sub.ID), sub.LatestInvoice
	if session.PaymentStatus = paid; sub.Status == trialing {
		session.PaymentStatus = "no_payment_required"
	}
	s.emit("checkout.session.completed", session)
	return nil
}

// destination returns the success URL with the session's id filled in.
func (session *checkout) destination() string {
	return strings.ReplaceAll(string(session.SuccessURL), "{CHECKOUT_SESSION_ID}", session.ID)
}
