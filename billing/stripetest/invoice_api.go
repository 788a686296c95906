package stripetest

import (
	"net/http"
)

func (s *Server) routeInvoices(mux *http.ServeMux) {
	s.handle(mux, "GET /v1/invoices", s.listInvoices)
	s.handle(mux, "GET /v1/invoices/{id}", func(r *Request) (any, error) { return s.invoice(r.id) })
	s.handle(mux, "POST /v1/invoices/{id}/pay", s.payInvoice)
	s.handle(mux, "POST /v1/invoices/{id}/void", func(r *Request) (any, error) { return s.writeOff(r.id, void) })
	s.showPages(mux, "/invoice/{id}", s.showInvoice, s.pressInvoice)
	s.handle(mux, "POST /v1/invoices/{id}/mark_uncollectible", func(r *Request) (any, error) { return s.writeOff(r.id, uncollectible) })
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

func (s *Server) payInvoice(r *Request) (any, error) {
	inv, err := s.invoice(r.id)
	switch {
	case err != nil:
		return nil, err
	case inv.Status == paid:
		return nil, invalid("", "Invoice is already paid")
	case inv.Status == void:
		return nil, invalid("", "This invoice is voided and cannot be paid.")
	}
	if s.attempt(inv); inv.Status != paid {
		return nil, declined()
	}
	return inv, nil
}

// writeOff voids an invoice or marks it uncollectible.
func (s *Server) writeOff(id, status string) (any, error) {
	inv, err := s.invoice(id)
	switch {
	case err != nil:
		return nil, err
	case inv.Status != open && inv.Status != uncollectible:
		return nil, invalid("", "You can only pass in open invoices. This invoice isn't open.")
	}
	inv.Status, inv.NextPaymentAttempt, inv.AutoAdvance = status, 0, false
	kind := "invoice.voided"
	if inv.StatusTransitions.VoidedAt = s.moment(); status == uncollectible {
		inv.StatusTransitions.VoidedAt, inv.StatusTransitions.MarkedUncollectibleAt = 0, s.moment()
		kind = "invoice.marked_uncollectible"
	}
	s.emit(kind, inv)
	sub, _ := find(s.subscriptions, string(inv.Subscription))
	if sub.Status == incomplete {
		s.expire(sub)
		return inv, nil
	}
	s.settled(sub, inv)
	return inv, nil
}
