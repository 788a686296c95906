package stripetest

import (
	"net/http"

	"github.com/stripe/stripe-go/v76"
)

// The statuses that the clock can handle. [Server.SetStatus] may set any other.
const (
	active            = string(stripe.SubscriptionStatusActive)
	trialing          = string(stripe.SubscriptionStatusTrialing)
	pastDue           = string(stripe.SubscriptionStatusPastDue)
	unpaid            = string(stripe.SubscriptionStatusUnpaid)
	canceled          = string(stripe.SubscriptionStatusCanceled)
	incomplete        = string(stripe.SubscriptionStatusIncomplete)
	incompleteExpired = string(stripe.SubscriptionStatusIncompleteExpired)
)

// subscription is https://docs.stripe.com/api/subscriptions/object.
type subscription struct {
	head
	Customer             ref               `json:"customer"`
	Status               string            `json:"status"`
	Items                list[*item]       `json:"items"`
	Currency             string            `json:"currency"`
	CollectionMethod     string            `json:"collection_method"`
	StartDate            moment            `json:"start_date"`
	BillingCycleAnchor   moment            `json:"billing_cycle_anchor"`
	CurrentPeriodStart   moment            `json:"current_period_start"`
	CurrentPeriodEnd     moment            `json:"current_period_end"`
	TrialStart           moment            `json:"trial_start"`
	TrialEnd             moment            `json:"trial_end"`
	CancelAtPeriodEnd    bool              `json:"cancel_at_period_end"`
	CancelAt             moment            `json:"cancel_at"`
	CanceledAt           moment            `json:"canceled_at"`
	EndedAt              moment            `json:"ended_at"`
	LatestInvoice        ref               `json:"latest_invoice"`
	Schedule             ref               `json:"schedule"`
	DefaultPaymentMethod ref               `json:"default_payment_method"`
	CancellationDetails  cancellation      `json:"cancellation_details"`
	Metadata             map[string]string `json:"metadata"`

	// periods counts the periods since the anchor, and proration is added to the
	// next invoice.
	periods   int
	proration int64
	// warned says that Stripe has announced the end of the trial.
	warned bool
}

// cancellation says why a subscription was canceled.
type cancellation struct {
	Reason ref `json:"reason"`
}

// item is https://docs.stripe.com/api/subscription_items/object.
type item struct {
	head
	Price        *price `json:"price"`
	Quantity     int    `json:"quantity"`
	Subscription string `json:"subscription"`
}

// incompleteFor is how long Stripe waits for a first payment.
const incompleteFor = 23 * hour

func (s *Server) routeSubscriptions(mux *http.ServeMux) {
	s.handle(mux, "GET /v1/subscriptions", s.listSubscriptions)
	s.handle(mux, "GET /v1/subscriptions/{id}", func(r *Request) (any, error) { return s.subscription(r.id, "") })
	s.handle(mux, "POST /v1/subscriptions/{id}", s.updateSubscription)
	s.handle(mux, "DELETE /v1/subscriptions/{id}", s.cancelSubscription)
}

func (s *Server) subscription(id, param string) (*subscription, error) {
	if sub, ok := find(s.subscriptions, id); ok {
		return sub, nil
	}
	return nil, missing("subscription", id, param)
}

func (sub *subscription) price() *price { return sub.Items.Data[0].Price }

// over reports whether the subscription has ended for good.
func (sub *subscription) over() bool {
	return sub.Status == canceled || sub.Status == incompleteExpired
}

// opening has the values with which a subscription begins.
type opening struct {
	customer *customer
	price    *price
	// trialEnd is zero if there is no trial.
	trialEnd moment
	metadata map[string]string
	// behavior is the payment_behavior.
	behavior string
	// method is the payment method; empty for the customer's own.
	method ref
}

// open makes a subscription and pays its first invoice, unless there is a trial.
func (s *Server) open(o opening) (*subscription, error) {
	if !o.price.Active {
		return nil, invalid("items[0][price]", "The price specified is inactive. This field only accepts active prices.")
	}
	sub := &subscription{
		head: s.newHead("sub", "subscription"), Customer: ref(o.customer.ID), Status: active, Currency: o.price.Currency,
		CollectionMethod: "charge_automatically", Metadata: o.metadata, DefaultPaymentMethod: o.method,
	}
	if s.fails(sub) && o.trialEnd == 0 && o.behavior == "error_if_incomplete" {
		return nil, declined()
	}
	sub.StartDate = sub.Created
	sub.Items = list[*item]{Object: "list", URL: "/v1/subscription_items", Data: []*item{{s.newHead("si", "subscription_item"), o.price, 1, sub.ID}}}
	s.anchor(sub)
	s.subscriptions = append(s.subscriptions, sub)
	s.byID[sub.ID] = sub
	if o.trialEnd > sub.Created {
		sub.Status, sub.TrialStart, sub.TrialEnd = trialing, sub.Created, o.trialEnd
		sub.BillingCycleAnchor, sub.CurrentPeriodEnd = o.trialEnd, o.trialEnd
	} else {
		sub.Status = incomplete
	}
	s.emit("customer.subscription.created", sub)
	first := s.bill(sub, "subscription_create", s.costs(sub))
	s.attempt(first)
	return sub, nil
}

// costs are the items of a subscription's first invoice.
func (s *Server) costs(sub *subscription) int64 {
	if sub.Status == trialing {
		return 0
	}
	return sub.price().UnitAmount
}

// anchor restarts the periods of a subscription now.
func (s *Server) anchor(sub *subscription) {
	sub.BillingCycleAnchor, sub.periods = s.moment(), 0
	sub.nextPeriod()
}

func (sub *subscription) nextPeriod() {
	months := sub.price().months()
	sub.CurrentPeriodStart = sub.BillingCycleAnchor.months(sub.periods * months)
	sub.periods++
	sub.CurrentPeriodEnd = sub.BillingCycleAnchor.months(sub.periods * months)
}

// fails reports whether Stripe refuses the next payment that it takes without the
// customer.
func (s *Server) fails(sub *subscription) bool {
	c, _ := find(s.customers, string(sub.Customer))
	return c.authenticates || s.declines(sub)
}

// declines reports whether Stripe refuses every payment.
func (s *Server) declines(sub *subscription) bool {
	c, _ := find(s.customers, string(sub.Customer))
	method := sub.DefaultPaymentMethod
	if method == "" {
		method = c.InvoiceSettings.DefaultPaymentMethod
	}
	return c.failing || method == failingMethod
}

func (s *Server) setStatus(sub *subscription, status string) {
	if sub.Status != status {
		sub.Status = status
		s.emit("customer.subscription.updated", sub)
	}
}

// cancel ends a subscription.
func (s *Server) cancel(sub *subscription) {
	if sub.CancellationDetails.Reason == "" {
		sub.CancellationDetails.Reason = "cancellation_requested"
	}
	s.end(sub, canceled)
	s.emit("customer.subscription.deleted", sub)
}

func (s *Server) end(sub *subscription, status string) {
	sub.Status, sub.EndedAt = status, s.moment()
	if sub.CanceledAt == 0 {
		sub.CanceledAt = s.moment()
	}
	for _, inv := range s.invoices {
		if inv.Subscription == ref(sub.ID) && !inv.closed() {
			inv.AutoAdvance, inv.NextPaymentAttempt = false, 0
		}
	}
	if schedule, ok := find(s.schedules, string(sub.Schedule)); ok {
		schedule.Status, schedule.CanceledAt, schedule.CurrentPhase = "canceled", s.moment(), nil
		s.emit("subscription_schedule.canceled", schedule)
	}
}
