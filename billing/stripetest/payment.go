package stripetest

// paymentMethod is https://docs.stripe.com/api/payment_methods/object.
type paymentMethod struct {
	head
	Customer ref    `json:"customer"`
	Type     string `json:"type"`
	Card     card   `json:"card"`
}

type card struct {
	Brand       string `json:"brand"`
	Fingerprint string `json:"fingerprint"`
}

// PayWith sets the card that a customer uses at the next checkout. By default every customer
// has a different card.
func (s *Server) PayWith(customerID, fingerprint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustFind(customerID).card = fingerprint
}

// AskAuthentication makes a customer's bank require or stop requiring confirmation of each
// payment. Only the page of the invoice can confirm one.
func (s *Server) AskAuthentication(customerID string, asks bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustFind(customerID).authenticates = asks
}

// newMethod returns the card with which a customer pays.
func (s *Server) newMethod(c *customer) *paymentMethod {
	print := c.card
	if print == "" {
		print = "card_of_" + c.ID
	}
	made := &paymentMethod{head: s.newHead("pm", "payment_method"), Customer: ref(c.ID), Type: "card", Card: card{"visa", print}}
	s.byID[made.ID] = made
	return made
}

// know makes a payment method of Stripe's tests, such as pm_card_visa, expandable.
func (s *Server) know(id string) {
	if _, known := s.byID[id]; !known && id != "" {
		s.byID[id] = &paymentMethod{head: head{ID: id, Object: "payment_method", Created: s.moment()}, Type: "card", Card: card{"visa", id}}
	}
}

// showInvoice returns the page of an invoice.
func (s *Server) showInvoice(id string) (pageView, error) {
	inv, err := s.invoice(id)
	if err != nil {
		return pageView{}, err
	}
	view := pageView{Title: "Invoice " + string(inv.Number), Text: "This invoice is " + inv.Status + "."}
	if inv.Status == open {
		view.Buttons = []button{{"pay", "Pay"}}
	}
	return view, nil
}

// pressInvoice pays an invoice, and confirms the payment at the bank.
func (s *Server) pressInvoice(id, action string) (next string, err error) {
	inv, err := s.invoice(id)
	switch {
	case err != nil:
		return "", err
	case action != "pay" || inv.Status != open:
		return "", invalid("", "This invoice is %s.", inv.Status)
	}
	sub, _ := find(s.subscriptions, string(inv.Subscription))
	if s.declines(sub) {
		return "", declined()
	}
	s.paid(sub, inv)
	return string(inv.HostedInvoiceURL), nil
}
