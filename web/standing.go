package web

import (
	"time"

	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/views"
)

// catalogue is the plans at a time.
type catalogue struct {
	plans []plan.Plan
	now   time.Time
	// sold says that plans are bought here, so that one that was given is
	// something special.
	sold bool
}

// standing says in sentences how a workspace pays for its plan, and whether
// its owner has to do something.
func (k catalogue) standing(w tenant.Workspace, s subscription.Subscription) views.Standing {
	says := views.Standing{Sentences: []string{"This workspace is on the " + k.title(w.Plan) + " plan."}}
	sentence, urgent := k.paying(s)
	says.Urgent = urgent
	if sentence != "" {
		says.Sentences = append(says.Sentences, sentence)
	}
	if sentence := k.earlierPrice(s); sentence != "" {
		says.Sentences = append(says.Sentences, sentence)
	}
	if s.NextPlan != "" && s.NextAt != nil && !s.Status.Terminal() {
		says.Sentences = append(says.Sentences, "Changes to "+k.title(s.NextPlan)+" on "+k.date(*s.NextAt)+".")
	}
	if s.UnverifiedUntil != nil && k.rank(s.Access.Plan) > k.rank(plan.Free) {
		says.Sentences = append(says.Sentences, "This server can no longer check payments. Ask its operator. The plan you paid for stays active until "+k.date(*s.UnverifiedUntil)+" at the latest.")
	}
	if granted := k.granted(w, s); granted != "" {
		says.Sentences = append(says.Sentences, granted)
	}
	return says
}

// granted is the sentence about a plan that was given by hand.
func (k catalogue) granted(w tenant.Workspace, s subscription.Subscription) string {
	switch {
	case w.Granted == plan.Free || w.Granted != w.Plan || k.rank(w.Granted) <= k.rank(s.Access.Plan):
		return ""
	case w.GrantedUntil != nil:
		return "It was granted to this workspace until " + k.date(*w.GrantedUntil) + ". After that, the workspace has the plan it pays for, or the " + k.title(plan.Free) + " plan."
	case k.sold:
		return "It was granted to this workspace, regardless of payments."
	}
	return ""
}

// paying is the sentence about a subscription's status.
func (k catalogue) paying(s subscription.Subscription) (sentence string, urgent bool) {
	switch s.Status {
	case plan.None:
		return "", false
	case plan.Trialing:
		return k.trialing(s), false
	case plan.Active:
		return k.active(s), false
	case plan.PastDue:
		return k.pastDue(s), true
	case plan.Incomplete:
		return "The first payment has not succeeded yet. Finish it to get the " + k.title(s.Plan) + " plan.", true
	case plan.IncompleteExpired:
		return "The first payment was not finished in time. Choose a plan to try again.", false
	case plan.Unpaid:
		return "The payments for the " + k.title(s.Plan) + " plan have failed, and access has ended. Pay the open invoice to get it back.", true
	case plan.Paused:
		return "The " + k.title(s.Plan) + " plan is paused. Add a payment method to get it back.", true
	case plan.Canceled:
		return k.canceled(s), false
	}
	return "Stripe reports a state that this server does not know. Access stays as it was.", false
}

func (k catalogue) trialing(s subscription.Subscription) string {
	end := s.TrialEnd
	if end == nil {
		end = s.PeriodEnd
	}
	price := s.Costs()
	switch {
	case s.EndsAt != nil:
		return "Trial until " + k.date(*s.EndsAt) + ". It has been canceled: it ends then, and nothing is paid."
	case end == nil:
		return "This is a trial."
	case price == "":
		return "Trial until " + k.date(*end) + "."
	}
	return "Trial until " + k.date(*end) + "; then " + price + "."
}

func (k catalogue) active(s subscription.Subscription) string {
	price := s.Costs()
	switch {
	case s.EndsAt != nil:
		return "Canceled; access until " + k.date(*s.EndsAt) + "."
	case s.PeriodEnd == nil && price == "":
		return "It is paid for."
	case s.PeriodEnd == nil:
		return "It costs " + price + "."
	case price == "":
		return "The next payment is due on " + k.date(*s.PeriodEnd) + "."
	}
	return "It costs " + price + ". The next payment is due on " + k.date(*s.PeriodEnd) + "."
}

// earlierPrice is for who pays another price than the plan is sold for now.
func (k catalogue) earlierPrice(s subscription.Subscription) string {
	if s.Status != plan.Active && s.Status != plan.Trialing && s.Status != plan.PastDue || s.EndsAt != nil {
		return ""
	}
	today := k.price(s.Plan, s.Interval)
	if s.Costs() == "" || s.Costs() == today || k.rank(s.Plan) < 0 {
		return ""
	}
	keeps := "You pay an earlier price of " + s.Costs() + ", and keep it while you stay on this plan. "
	if today == "" {
		return keeps + "Once you leave it, you cannot buy it again."
	}
	return keeps + "If you leave and come back, " + k.title(s.Plan) + " costs " + today + "."
}

func (k catalogue) pastDue(s subscription.Subscription) string {
	failed := "A payment failed"
	if s.PastDueSince != nil {
		failed = "Payment failed on " + k.date(*s.PastDueSince)
	}
	switch {
	case s.Access.Plan != s.Plan:
		return failed + ", and access has ended. Update the payment method to get it back."
	case s.Access.Until == nil:
		return failed + ". Update the payment method."
	}
	return failed + "; access until " + k.date(*s.Access.Until) + ". Update the payment method."
}

func (k catalogue) canceled(s subscription.Subscription) string {
	if s.PastDueSince != nil {
		return "The subscription to " + k.title(s.Plan) + " has ended, because the payment that failed on " + k.date(*s.PastDueSince) + " was not made."
	}
	if s.EndsAt != nil && !s.EndsAt.After(k.now) {
		return "The subscription to " + k.title(s.Plan) + " ended on " + k.date(*s.EndsAt) + "."
	}
	return "The subscription to " + k.title(s.Plan) + " has ended."
}

// title is what people call a plan.
func (k catalogue) title(name plan.Name) string { return k.find(name).Title }

func (k catalogue) rank(name plan.Name) int { return k.find(name).Rank }

// find returns a plan. One that is not there has its name for a title.
func (k catalogue) find(name plan.Name) plan.Plan {
	for _, p := range k.plans {
		if p.Name == name {
			return p
		}
	}
	return plan.Plan{Name: name, Title: string(name), Rank: -1}
}

// offer is what a plan costs who buys it now.
func (k catalogue) offer(p plan.Plan) plan.Price {
	if k.sold {
		return p.Offer()
	}
	return p.Price
}

// price is what a plan costs, such as 79.00 USD a month; empty if it has no
// price for the interval.
func (k catalogue) price(name plan.Name, interval plan.Interval) string {
	price := k.offer(k.find(name))
	return plan.Every(price.Of(interval), price.Currency, interval)
}

// date writes a day in UTC, with its year if that is another one than now.
func (k catalogue) date(t time.Time) string {
	if t.UTC().Year() != k.now.UTC().Year() {
		return t.UTC().Format("2 January 2006")
	}
	return t.UTC().Format("2 January")
}
