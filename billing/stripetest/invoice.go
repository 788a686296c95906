package stripetest

import (
	"fmt"
	"time"
)

// invoice is https://docs.stripe.com/api/invoices/object.
type invoice struct {
	head
	Number             ref          `json:"number"`
	Customer           ref          `json:"customer"`
	CustomerEmail      ref          `json:"customer_email"`
	CustomerName       ref          `json:"customer_name"`
	CustomerAddress    *address     `json:"customer_address"`
	CustomerTaxIDs     []taxID      `json:"customer_tax_ids"`
	CustomFields       []any        `json:"custom_fields"`
	Subscription       ref          `json:"subscription"`
	Status             string       `json:"status"`
	BillingReason      string       `json:"billing_reason"`
	CollectionMethod   string       `json:"collection_method"`
	Currency           string       `json:"currency"`
	Subtotal           int64        `json:"subtotal"`
	Total              int64        `json:"total"`
	AmountDue          int64        `json:"amount_due"`
	AmountPaid         int64        `json:"amount_paid"`
	AmountRemaining    int64        `json:"amount_remaining"`
	AutoAdvance        bool         `json:"auto_advance"`
	Attempted          bool         `json:"attempted"`
	AttemptCount       int          `json:"attempt_count"`
	NextPaymentAttempt moment       `json:"next_payment_attempt"`
	Paid               bool         `json:"paid"`
	PeriodStart        moment       `json:"period_start"`
	PeriodEnd          moment       `json:"period_end"`
	HostedInvoiceURL   ref          `json:"hosted_invoice_url"`
	InvoicePDF         ref          `json:"invoice_pdf"`
	StatusTransitions  transitions  `json:"status_transitions"`
	Lines              list[string] `json:"lines"`
}

type transitions struct {
	FinalizedAt moment `json:"finalized_at"`
	PaidAt      moment `json:"paid_at"`
	VoidedAt    moment `json:"voided_at"`
}

// The statuses of an invoice.
const (
	draft = "draft"
	open  = "open"
	paid  = "paid"
	void  = "void"
)

// closed reports whether nobody tries to collect the invoice any more.
func (inv *invoice) closed() bool {
	return inv.Status == paid || inv.Status == void
}

// draftFor is how long a renewal's invoice stays a draft before it is paid.
const draftFor = time.Hour

// bill drafts the invoice of a subscription's current period.
func (s *Server) bill(sub *subscription, reason string, amount int64) *invoice {
	c, _ := find(s.customers, string(sub.Customer))
	inv := &invoice{
		head: s.newHead("in", "invoice"), Customer: sub.Customer, CustomerEmail: c.Email, Subscription: ref(sub.ID), Status: draft,
		BillingReason: reason, CollectionMethod: sub.CollectionMethod, Currency: sub.Currency, AutoAdvance: sub.Status != unpaid,
		PeriodStart: sub.CurrentPeriodStart, PeriodEnd: sub.CurrentPeriodEnd,
		Lines: list[string]{Object: "list", Data: []string{}},
	}
	inv.Total = amount + sub.proration
	sub.proration = 0
	inv.Subtotal = inv.Total
	inv.AmountDue = max(0, inv.Total+c.Balance)
	c.Balance += inv.Total - inv.AmountDue
	inv.AmountRemaining = inv.AmountDue
	s.invoices = append(s.invoices, inv)
	s.byID[inv.ID] = inv
	sub.LatestInvoice = ref(inv.ID)
	s.emit("invoice.created", inv)
	return inv
}

// finalize opens a draft.
func (s *Server) finalize(inv *invoice) {
	inv.Status, inv.StatusTransitions.FinalizedAt = open, s.moment()
	c, _ := find(s.customers, string(inv.Customer))
	inv.CustomerName, inv.CustomerAddress, inv.CustomerTaxIDs, inv.CustomFields = c.Name, c.Address, c.taxIDs, c.InvoiceSettings.CustomFields
	s.made["number"]++
	inv.Number = ref(fmt.Sprintf("PARLEY-%04d", s.made["number"]))
	page := s.pageURL("/invoice/" + inv.ID)
	inv.HostedInvoiceURL, inv.InvoicePDF = ref(page), ref(page+"/pdf")
	s.emit("invoice.finalized", inv)
}

// attempt tries to collect an invoice.
func (s *Server) attempt(inv *invoice) {
	if inv.Status == draft {
		s.finalize(inv)
	}
	sub, _ := find(s.subscriptions, string(inv.Subscription))
	inv.Attempted = true
	if inv.AmountDue > 0 {
		inv.AttemptCount++
		if s.fails(sub) {
			if !s.declines(sub) {
				s.emit("invoice.payment_action_required", inv)
			}
			s.paymentFailed(sub, inv)
			return
		}
	}
	s.paid(sub, inv)
}

func (s *Server) paid(sub *subscription, inv *invoice) {
	inv.Status, inv.Paid, inv.StatusTransitions.PaidAt = paid, true, s.moment()
	inv.AmountPaid, inv.AmountRemaining, inv.NextPaymentAttempt = inv.AmountDue, 0, 0
	s.charge(inv)
	s.emit("invoice.paid", inv)
	s.emit("invoice.payment_succeeded", inv)
	s.settled(sub, inv)
}

// settled makes a subscription active again once its latest invoice is settled.
func (s *Server) settled(sub *subscription, inv *invoice) {
	switch sub.Status {
	case incomplete, pastDue, unpaid:
		if sub.LatestInvoice == ref(inv.ID) {
			s.setStatus(sub, active)
		}
	}
}

// paymentFailed waits for the next retry, or gives up after the last.
func (s *Server) paymentFailed(sub *subscription, inv *invoice) {
	inv.NextPaymentAttempt = 0
	retries := s.options.Retries
	last := inv.AttemptCount > len(retries)
	switch {
	case sub.Status == incomplete || sub.over() || sub.Status == unpaid: // no retries
	case !last:
		inv.NextPaymentAttempt = s.moment().add(retries[inv.AttemptCount-1])
	}
	s.emit("invoice.payment_failed", inv)
	switch {
	case sub.LatestInvoice != ref(inv.ID): // the status is that of the latest invoice: see https://docs.stripe.com/billing/subscriptions/overview
		inv.AutoAdvance = inv.AutoAdvance && !last
	case sub.Status == active && !last:
		s.setStatus(sub, pastDue)
	case last && (sub.Status == active || sub.Status == pastDue):
		s.giveUp(sub, inv)
	}
}

func (s *Server) giveUp(sub *subscription, inv *invoice) {
	inv.AutoAdvance = false
	switch s.options.GivesUp {
	case "", "canceled":
		sub.CancellationDetails.Reason = "payment_failed"
		s.cancel(sub)
	default:
		s.setStatus(sub, string(s.options.GivesUp))
	}
}
