package stripetest

import (
	"net/http"
)

func (s *Server) routeInvoices(mux *http.ServeMux) {
	s.handle(mux, "GET /v1/invoices", s.listInvoices)
	s.handle(mux, "POST /v1/invoices/{id}/void", s.voidInvoice)
	s.showPages(mux, "/invoice/{id}", s.showInvoice, s.pressInvoice)
}

func (s *Server) invoice(id string) (*invoice, error) {
	if inv, ok := find(s.invoices, id); ok {
		return inv, nil
	}
	return nil, missing("invoice", id, "")
}

func (s *Server) listInvoices(r *Request) (any, error) {
	p := r.params()
	if id := p.get("customer"); id != "" {
		if _, ok := find(s.customers, id); !ok {
			return nil, missing("customer", id, "customer")
		}
	}
	return page(r, s.invoices, func(inv *invoice) bool {
		return p.is("customer", string(inv.Customer)) && p.is("subscription", string(inv.Subscription)) &&
			p.is("status", inv.Status) && p.within("created", inv.Created)
	})
}

func (s *Server) voidInvoice(r *Request) (any, error) {
	inv, err := s.invoice(r.id)
	switch {
	case err != nil:
		return nil, err
	case inv.Status != open:
		return nil, invalid("", "You can only pass in open invoices. This invoice isn't open.")
	}
	inv.Status, inv.NextPaymentAttempt, inv.AutoAdvance = void, 0, false
	inv.StatusTransitions.VoidedAt = s.moment()
	s.emit("invoice.voided", inv)
	sub, _ := find(s.subscriptions, string(inv.Subscription))
	if sub.Status == incomplete {
		s.expire(sub)
		return inv, nil
	}
	s.settled(sub, inv)
	return inv, nil
}
