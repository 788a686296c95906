package subscription

import (
	"fmt"
	"time"

	"parley/core/plan"
	"parley/core/tenant"
)

// How long before a date people are reminded: warning before something ends, trialWarning
// before the first payment.
const (
	warning      = 3 * 24 * time.Hour
	trialWarning = 7 * 24 * time.Hour
)

// notice is a piece of news for owners about a subscription.
type notice struct {
	// key is the same for the same news.
	key string
	// due is when to send it.
	due     time.Time
	subject string
	// says holds the paragraphs.
	says []string
	// invoiceURL is where an open invoice can be paid, or empty.
	invoiceURL string
	// ended says that it announces the end of access. Only the change that ended it
	// makes this news: see announce.
	ended bool
}

// notices returns the news about a subscription at a time: what is to come, and what is wrong.
// The past is no news, except for an end that no mail has announced.
func notices(w tenant.Workspace, s Subscription, now time.Time) []notice {
	var all []notice
	all = append(all, declines(w, s, now)...)
	all = append(all, endOfTrial(w, s, now)...)
	all = append(all, failedPayment(w, s, now)...)
	return append(all, endForDebt(w, s, now)...)
}

// decline returns when a subscription ends or changes to a lower plan, and to which.
func (b Billed) decline() (at *time.Time, to plan.Name) {
	switch {
	case b.Status != plan.Trialing && b.Status != plan.Active && b.Status != plan.PastDue:
		return nil, ""
	case b.EndsAt != nil:
		return b.EndsAt, plan.Free
	case b.NextAt != nil && b.Plan.Above(b.NextPlan):
		return b.NextAt, b.NextPlan
	}
	return nil, ""
}

// declines announces that a subscription will end or change to a lower plan, at once and
// again before it does.
func declines(w tenant.Workspace, s Subscription, now time.Time) []notice {
	at, to := s.decline()
	if at == nil || !at.After(now) {
		return nil
	}
	then := plan.Higher(grantedAt(w, *at), to)
	news := notice{
		due:     now,
		subject: fmt.Sprintf("The %s plan of %s ends on %s", s.Plan.Title(), w.ShortName(), date(*at)),
		says: []string{fmt.Sprintf("The subscription of the workspace %s to the %s plan ends on %s. From then on the workspace is on the %s plan.",
			w.Name, s.Plan.Title(), date(*at), then.Title())},
	}
	if s.Plan.Above(then) {
		news.says = append(news.says, fmt.Sprintf("Nothing is deleted. What the %s plan does not include is suspended until the workspace is upgraded again. "+
			"There you can choose what stays active, or keep the plan:", then.Title()))
	}
	of := fmt.Sprintf(":%s:%s:%s", w.ID, at.UTC().Format(time.DateOnly), to)
	reminder := news
	news.key, reminder.key = "ends"+of, "ends-soon"+of
	reminder.due = at.Add(-warning)
	return []notice{news, reminder}
}

// endOfTrial says what will be paid after a trial.
func endOfTrial(w tenant.Workspace, s Subscription, now time.Time) []notice {
	if s.Status != plan.Trialing || s.TrialEnd == nil || s.EndsAt != nil || !s.TrialEnd.After(now) {
		return nil
	}
	on, payment := date(*s.TrialEnd), "After that, the plan is charged."
	if costs := s.Costs(); costs != "" {
		payment = fmt.Sprintf("From then on it costs %s; the first payment is taken on %s. Taxes and discounts, if any, are on the invoice.", costs, on)
	}
	return []notice{{
		key:     fmt.Sprintf("trial:%s:%s", w.ID, s.TrialEnd.UTC().Format(time.DateOnly)),
		due:     later(now, s.TrialEnd.Add(-trialWarning)),
		subject: fmt.Sprintf("The trial of %s ends on %s", w.ShortName(), on),
		says: []string{
			fmt.Sprintf("The trial of the %s plan for the workspace %s ends on %s. %s", s.Plan.Title(), w.Name, on, payment),
			"If you don't want that, cancel before then:",
		},
	}}
}

// failedPayment says until when access continues, at once and again before it ends.
func failedPayment(w tenant.Workspace, s Subscription, now time.Time) []notice {
	if s.Status != plan.PastDue || s.PastDueSince == nil || s.Access.Until == nil || !s.Access.Until.After(now) {
		return nil
	}
	of := fmt.Sprintf(":%s:%s", w.ID, s.PastDueSince.UTC().Format(time.DateOnly))
	failed := notice{
		key:     "unpaid" + of,
		due:     now,
		subject: "A payment for " + w.ShortName() + " failed",
		says: []string{fmt.Sprintf("A payment for the %s plan of the workspace %s failed on %s. The plan goes on until %s at the latest.",
			s.Plan.Title(), w.Name, date(*s.PastDueSince), date(*s.Access.Until)), howToPay(s)},
		invoiceURL: s.InvoiceURL,
	}
	if s.EndsAt != nil && !s.EndsAt.After(*s.Access.Until) {
		return []notice{failed} // another reminder already covers that end
	}
	reminder := failed
	reminder.key, reminder.due = "unpaid-soon"+of, s.Access.Until.Add(-warning)
	reminder.subject = fmt.Sprintf("The %s plan of %s ends on %s: a payment is missing", s.Plan.Title(), w.ShortName(), date(*s.Access.Until))
	return []notice{failed, reminder}
}

// howToPay says what to do about a failed payment. The link to it follows.
func howToPay(s Subscription) string {
	if s.InvoiceURL == "" {
		return "Please update the payment method before then:"
	}
	return "Please pay the invoice before then. If your bank asks you to confirm the payment, you do it here:"
}

// endForDebt says that the plan has ended because a payment was never made.
func endForDebt(w tenant.Workspace, s Subscription, now time.Time) []notice {
	if s.PastDueSince == nil || !s.Plan.Above(s.Access.Plan) {
		return nil
	}
	then := plan.Higher(w.Granted, s.Access.Plan)
	says := []string{fmt.Sprintf("The %s plan of the workspace %s has ended, because the payment that failed on %s was not made. The workspace is on the %s plan now.",
		s.Plan.Title(), w.Name, date(*s.PastDueSince), then.Title())}
	if s.Plan.Above(then) {
		says = append(says, fmt.Sprintf("Nothing was deleted. What the %s plan does not include is suspended until the workspace is upgraded again.", then.Title()))
	}
	invoice := ""
	switch s.Status {
	case plan.PastDue, plan.Unpaid:
		invoice = s.InvoiceURL
		if invoice != "" {
			says = append(says, "To get the plan back, pay the open invoice:")
		} else {
			says = append(says, "To get the plan back, update the payment method:")
		}
	case plan.Canceled:
		says = append(says, "You can buy a plan again:")
	default:
		return nil
	}
	return []notice{{
		key:     fmt.Sprintf("ended:%s:%s", w.ID, s.PastDueSince.UTC().Format(time.DateOnly)),
		due:     now,
		ended:   true,
		subject: fmt.Sprintf("The %s plan of %s has ended", s.Plan.Title(), w.ShortName()),
		says:    says, invoiceURL: invoice,
	}}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
