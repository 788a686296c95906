package workspace

import (
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// sentences say how a workspace pays.
type sentences struct{ page.Catalog }

// standing says in sentences how a workspace pays for its plan, and whether
// its owner has to do something.
func (k sentences) standing(w tenant.Workspace, s subscription.Subscription) views.Standing {
	says := views.Standing{Badge: badge(s), Tone: badgeTones[badge(s)], Sentences: []string{"This workspace is on the " + k.Title(w.Plan) + " plan."}}
	sentence, urgent := k.paying(s)
	says.Urgent = urgent
	if sentence != "" {
		says.Sentences = append(says.Sentences, sentence)
	}
	if sentence := k.earlierPrice(s); sentence != "" {
		says.Sentences = append(says.Sentences, sentence)
	}
	if s.NextPlan != "" && s.NextAt != nil && !s.Status.Terminal() {
		says.Sentences = append(says.Sentences, "Changes to "+k.Title(s.NextPlan)+" on "+k.Date(*s.NextAt)+".")
	}
	if s.UnverifiedUntil != nil && k.Rank(s.Access.Plan) > k.Rank(plan.Free) {
		says.Sentences = append(says.Sentences, "This server can no longer check payments. Ask its operator. The plan you paid for stays active until "+k.Date(*s.UnverifiedUntil)+" at the latest.")
	}
	if granted := k.granted(w, s); granted != "" {
		says.Sentences = append(says.Sentences, granted)
	}
	return says
}

// granted is the sentence about a plan that was given by hand.
func (k sentences) granted(w tenant.Workspace, s subscription.Subscription) string {
	switch {
	case w.Granted == plan.Free || w.Granted != w.Plan || k.Rank(w.Granted) <= k.Rank(s.Access.Plan):
		return ""
	case w.GrantedUntil != nil:
		return "It was granted to this workspace until " + k.Date(*w.GrantedUntil) + ". After that, the workspace has the plan it pays for, or the " + k.Title(plan.Free) + " plan."
	case k.Sold:
		return "It was granted to this workspace, regardless of payments."
	}
	return ""
}

// paying is the sentence about a subscription's status.
func (k sentences) paying(s subscription.Subscription) (sentence string, urgent bool) {
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
		return "The first payment has not succeeded yet. Finish it to get the " + k.Title(s.Plan) + " plan.", true
	case plan.IncompleteExpired:
		return "The first payment was not finished in time. Choose a plan to try again.", false
	case plan.Unpaid:
		return "The payments for the " + k.Title(s.Plan) + " plan have failed, and access has ended. Pay the open invoice to get it back.", true
	case plan.Paused:
		return "The " + k.Title(s.Plan) + " plan is paused. Add a payment method to get it back.", true
	case plan.Canceled:
		return k.canceled(s), false
	}
	return "Stripe reports a state that this server does not know. Access stays as it was.", false
}

func (k sentences) trialing(s subscription.Subscription) string {
	end := s.TrialEnd
	if end == nil {
		end = s.PeriodEnd
	}
	price := s.Costs()
	switch {
	case s.EndsAt != nil:
		return "Trial until " + k.Date(*s.EndsAt) + ". It has been canceled: it ends then, and nothing is paid."
	case end == nil:
		return "This is a trial."
	case price == "":
		return "Trial until " + k.Date(*end) + "."
	}
	return "Trial until " + k.Date(*end) + "; then " + price + "."
}

func (k sentences) active(s subscription.Subscription) string {
	price := s.Costs()
	switch {
	case s.EndsAt != nil:
		return "Canceled; access until " + k.Date(*s.EndsAt) + "."
	case s.PeriodEnd == nil && price == "":
		return "It is paid for."
	case s.PeriodEnd == nil:
		return "It costs " + price + "."
	case price == "":
		return "The next payment is due on " + k.Date(*s.PeriodEnd) + "."
	}
	return "It costs " + price + ". The next payment is due on " + k.Date(*s.PeriodEnd) + "."
}

// earlierPrice is for who pays another price than the plan is sold for now.
func (k sentences) earlierPrice(s subscription.Subscription) string {
	if s.Status != plan.Active && s.Status != plan.Trialing && s.Status != plan.PastDue || s.EndsAt != nil {
		return ""
	}
	today := k.Price(s.Plan, s.Interval)
	if s.Costs() == "" || s.Costs() == today || k.Rank(s.Plan) < 0 {
		return ""
	}
	keeps := "You pay an earlier price of " + s.Costs() + ", and keep it while you stay on this plan. "
	if today == "" {
		return keeps + "Once you leave it, you cannot buy it again."
	}
	return keeps + "If you leave and come back, " + k.Title(s.Plan) + " costs " + today + "."
}

func (k sentences) pastDue(s subscription.Subscription) string {
	failed := "A payment failed"
	if s.PastDueSince != nil {
		failed = "Payment failed on " + k.Date(*s.PastDueSince)
	}
	switch {
	case s.Access.Plan != s.Plan:
		return failed + ", and access has ended. Update the payment method to get it back."
	case s.Access.Until == nil:
		return failed + ". Update the payment method."
	}
	return failed + "; access until " + k.Date(*s.Access.Until) + ". Update the payment method."
}

func (k sentences) canceled(s subscription.Subscription) string {
	if s.PastDueSince != nil {
		return "The subscription to " + k.Title(s.Plan) + " has ended, because the payment that failed on " + k.Date(*s.PastDueSince) + " was not made."
	}
	if s.EndsAt != nil && !s.EndsAt.After(k.Now) {
		return "The subscription to " + k.Title(s.Plan) + " ended on " + k.Date(*s.EndsAt) + "."
	}
	return "The subscription to " + k.Title(s.Plan) + " has ended."
}

// badge is a subscription's state in a word or two, empty for none.
func badge(s subscription.Subscription) string {
	switch s.Status {
	case plan.Trialing, plan.Active:
		if s.EndsAt != nil {
			return "Canceled"
		}
		if s.Status == plan.Trialing {
			return "Trial"
		}
		return "Active"
	case plan.PastDue, plan.Unpaid, plan.Incomplete:
		return "Payment due"
	case plan.Paused:
		return "Paused"
	case plan.Canceled, plan.IncompleteExpired:
		return "Ended"
	}
	return ""
}

var badgeTones = map[string]ui.Tone{"Canceled": ui.Warn, "Trial": ui.Accent, "Active": ui.Good, "Payment due": ui.Bad, "Paused": ui.Warn}
