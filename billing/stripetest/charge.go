package stripetest

import (
	"net/http"
	"slices"
)

// charge is https://docs.stripe.com/api/charges/object.
type charge struct {
	head
	Amount         int64  `json:"amount"`
	AmountRefunded int64  `json:"amount_refunded"`
	Currency       string `json:"currency"`
	Customer       ref    `json:"customer"`
	Invoice        ref    `json:"invoice"`
	Status         string `json:"status"`
	Paid           bool   `json:"paid"`
	Refunded       bool   `json:"refunded"`
	Disputed       bool   `json:"disputed"`
}

// refund is https://docs.stripe.com/api/refunds/object.
type refund struct {
	head
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Charge   ref    `json:"charge"`
	Status   string `json:"status"`
}

// dispute is https://docs.stripe.com/api/disputes/object.
type dispute struct {
	head
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Charge   ref    `json:"charge"`
	Reason   string `json:"reason"`
	Status   string `json:"status"`
}

func (s *Server) routeCharges(mux *http.ServeMux) {
	s.handle(mux, "GET /v1/charges/{id}", func(r *Request) (any, error) {
		if found, ok := find(s.charges, r.id); ok {
			return found, nil
		}
		return nil, missing("charge", r.id, "")
	})
	s.handle(mux, "GET /v1/disputes/{id}", func(r *Request) (any, error) {
		found, ok := find(s.disputes, r.id)
		if !ok {
			return nil, missing("dispute", r.id, "")
		}
		return found, nil
	})
	s.handle(mux, "GET /v1/refunds", func(r *Request) (any, error) {
		p := r.params()
		return page(r, s.refunds, func(found *refund) bool { return p.is("charge", string(found.Charge)) })
	})
}

// charge collects the money of an invoice.
func (s *Server) charge(inv *invoice) {
	if inv.AmountDue == 0 {
		return
	}
	made := &charge{
		head: s.newHead("ch", "charge"), Amount: inv.AmountDue, Currency: inv.Currency, Customer: inv.Customer, Invoice: ref(inv.ID),
		Status: "succeeded", Paid: true,
	}
	s.charges = append(s.charges, made)
	s.byID[made.ID] = made
	s.emit("charge.succeeded", made)
}

// Refund refunds a part of a customer's latest payment.
func (s *Server) Refund(customerID string, amount int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.latestCharge(customerID)
	made := &refund{head: s.newHead("re", "refund"), Amount: amount, Currency: of.Currency, Charge: ref(of.ID), Status: "succeeded"}
	s.refunds = append(s.refunds, made)
	s.byID[made.ID] = made
	of.AmountRefunded += amount
	of.Refunded = of.AmountRefunded == of.Amount
	s.emit("charge.refunded", of)
}

// Dispute makes a customer's bank dispute the latest payment.
func (s *Server) Dispute(customerID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.latestCharge(customerID)
	made := &dispute{head: s.newHead("dp", "dispute"), Amount: of.Amount, Currency: of.Currency, Charge: ref(of.ID), Reason: "fraudulent", Status: "needs_response"}
	of.Disputed = true
	s.disputes = append(s.disputes, made)
	s.byID[made.ID] = made
	s.emit("charge.dispute.created", made)
}

// Decide closes the latest dispute: won or lost.
func (s *Server) Decide(status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	latest := s.disputes[len(s.disputes)-1]
	latest.Status = status
	s.emit("charge.dispute.closed", latest)
}

func (s *Server) latestCharge(customerID string) *charge {
	for _, c := range slices.Backward(s.charges) {
		if c.Customer == ref(customerID) {
			return c
		}
	}
	panic("stripetest: the customer " + customerID + " has paid nothing")
}
