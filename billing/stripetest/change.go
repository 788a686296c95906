package stripetest

// The behaviors of a change of price:
// https://docs.stripe.com/api/subscriptions/update.
const (
	prorateAtOnce     = "always_invoice"
	prorateNot        = "none"
	errorIfIncomplete = "error_if_incomplete"
	pendingIncomplete = "pending_if_incomplete"
)

// changePriceOf moves a subscription to another price immediately. Another interval starts
// another period, which is paid immediately; otherwise the difference for the rest of the
// period is paid immediately or with the next invoice.
func (s *Server) changePriceOf(sub *subscription, to *price, proration, payment string) error {
	from := sub.price()
	switch {
	case from == to:
		return nil
	case !to.Active:
		return invalid("items[0][price]", "The price specified is inactive. This field only accepts active prices.")
	case from.Currency != to.Currency:
		return invalid("items[0][price]", "The currency of a subscription cannot be changed.")
	}
	otherInterval := from.months() != to.months()
	paysNow := sub.Status != trialing && (otherInterval || proration == prorateAtOnce)
	if paysNow && s.fails(sub) && payment == pendingIncomplete {
		return declined()
	}
	unused, rest := sub.share(from, s.moment()), sub.share(to, s.moment())
	if proration == prorateNot {
		unused, rest = 0, 0
	}
	sub.Items.Data[0].Price = to
	switch {
	case sub.Status == trialing:
	case otherInterval:
		s.anchor(sub)
		s.attempt(s.bill(sub, "subscription_update", to.UnitAmount-unused))
	case paysNow:
		s.attempt(s.bill(sub, "subscription_update", rest-unused))
	default:
		sub.proration += rest - unused
	}
	return nil
}

// share returns the price for the rest of the period.
func (sub *subscription) share(of *price, now moment) int64 {
	whole := int64(sub.CurrentPeriodEnd - sub.CurrentPeriodStart)
	return of.UnitAmount * int64(sub.CurrentPeriodEnd-now) / whole
}
