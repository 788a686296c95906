package stripetest

import (
	"fmt"
	"slices"
	"strings"
)

func (s *Server) portal(id string) (*portal, error) {
	if found, ok := find(s.portals, id); ok {
		return found, nil
	}
	return nil, missing("billing_portal.session", id, "")
}

// current returns the subscription that a portal is about, or nil.
func (s *Server) current(of *portal) *subscription {
	if of.sub != nil {
		return of.sub
	}
	for _, sub := range slices.Backward(s.subscriptions) {
		if sub.Customer == of.Customer && !sub.over() {
			return sub
		}
	}
	return nil
}

func (s *Server) showPortal(id string) (pageView, error) {
	of, err := s.portal(id)
	if err != nil {
		return pageView{}, err
	}
	view := pageView{Title: "Billing", Text: "There is no subscription.", Back: string(of.ReturnURL)}
	sub := s.current(of)
	switch {
	case sub == nil || sub.over():
		return view, nil
	case of.flow == updateConfirm:
		view.Text = fmt.Sprintf("Change to %s for %s.", s.nameOf(of.to), amount(of.to))
		view.Buttons = []button{{"confirm", "Confirm"}}
		return view, nil
	}
	view.Text = fmt.Sprintf("%s for %s is %s.", s.nameOf(sub.price()), amount(sub.price()), sub.Status)
	view.Buttons = []button{{"card", "Update the payment method"}}
	if of.settings.cancels && !sub.CancelAtPeriodEnd {
		view.Buttons = append(view.Buttons, button{"cancel", "Cancel the plan"})
	}
	if sub.CancelAtPeriodEnd {
		view.Buttons = append(view.Buttons, button{"resume", "Do not cancel the plan"})
	}
	for _, offered := range of.settings.prices {
		if offered != sub.price() && sub.Schedule == "" {
			view.Buttons = append(view.Buttons, button{"change:" + string(offered.LookupKey), "Change to " + s.nameOf(offered) + " for " + amount(offered)})
		}
	}
	return view, nil
}

func (s *Server) nameOf(of *price) string {
	found, _ := find(s.products, string(of.Product))
	return found.Name
}

// pressPortal performs the action of a shown button.
func (s *Server) pressPortal(id, action string) (next string, err error) {
	of, err := s.portal(id)
	if err != nil {
		return "", err
	}
	view, err := s.showPortal(id)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(view.Buttons, func(b button) bool { return b.Action == action }) {
		return "", invalid("action", "This page has no button %q.", action)
	}
	if err := s.act(of, s.current(of), action); err != nil {
		return "", err
	}
	if of.flow != "" {
		return of.after, nil
	}
	return string(of.URL), nil
}

func (s *Server) act(of *portal, sub *subscription, action string) error {
	switch action {
	case "cancel":
		s.endWithPeriod(sub, true)
		return nil
	case "resume":
		s.endWithPeriod(sub, false)
		return nil
	case "card":
		s.takeNewCard(sub)
		return nil
	case "confirm":
		return s.move(of, sub, of.to)
	}
	key, _ := strings.CutPrefix(action, "change:")
	to, err := s.priceByKey(key)
	if err != nil {
		return err
	}
	return s.move(of, sub, to)
}

// move changes a price immediately, or a lower one later if the portal is configured so.
func (s *Server) move(of *portal, sub *subscription, to *price) error {
	if of.settings.downgradesLater && to.UnitAmount*int64(sub.price().months()) < sub.price().UnitAmount*int64(to.months()) {
		s.schedulePrice(sub, to)
		return nil
	}
	if err := s.changePriceOf(sub, to, prorateAtOnce, pendingIncomplete); err != nil {
		return err
	}
	s.emit("customer.subscription.updated", sub)
	return nil
}

// endWithPeriod makes a subscription end with its period, or continue.
func (s *Server) endWithPeriod(sub *subscription, ends bool) {
	if of, ok := find(s.schedules, string(sub.Schedule)); ok {
		s.release(of)
	}
	s.changeEnd(sub, params{"cancel_at_period_end": {fmt.Sprint(ends)}})
	s.emit("customer.subscription.updated", sub)
}

// takeNewCard gives a customer a working card, and collects the latest invoice.
func (s *Server) takeNewCard(sub *subscription) {
	c, _ := find(s.customers, string(sub.Customer))
	c.failing, c.InvoiceSettings.DefaultPaymentMethod, sub.DefaultPaymentMethod = false, "pm_card_visa", ""
	s.emit("customer.updated", c)
	if latest, ok := find(s.invoices, string(sub.LatestInvoice)); ok && latest.Status == open {
		s.attempt(latest)
	}
}
