package stripetest

import "fmt"

func (s *Server) showCheckout(id string) (pageView, error) {
	session, err := s.checkout(id)
	if err != nil {
		return pageView{}, err
	}
	view := pageView{Title: "Checkout", Text: "This checkout is " + session.Status + ".", Back: string(session.CancelURL)}
	if session.Status == open {
		of, _ := find(s.products, string(session.price.Product))
		view.Text = "Subscribe to " + of.Name + " for " + amount(session.price) + "."
		if session.trialDays > 0 {
			view.Text += fmt.Sprintf(" The first %d days are free.", session.trialDays)
		}
		view.Buttons = []button{{"pay", "Pay"}}
	}
	return view, nil
}

func (s *Server) pressCheckout(id, action string) (next string, err error) {
	session, err := s.checkout(id)
	switch {
	case err != nil:
		return "", err
	case action != "pay":
		return "", invalid("action", "This page has no button %q.", action)
	case session.Status == complete:
		return session.destination(), nil
	case session.Status != open:
		return "", invalid("", "This checkout is %s.", session.Status)
	}
	if err := s.complete(session); err != nil {
		return "", err
	}
	return session.destination(), nil
}
