package subscription

import (
	"fmt"
	"strings"
	"time"

	"parley/core/plan"
)

// describe returns the state of a subscription in a few words.
func describe(subscription Subscription) string {
	billed := subscription.Billed
	if billed.Status == plan.None {
		return "There is no subscription."
	}
	says := fmt.Sprintf("The subscription to %s is %s.", billed.Plan.Title(), strings.ReplaceAll(string(billed.Status), "_", " "))
	if billed.PastDueSince != nil {
		says += fmt.Sprintf(" A payment has been due since %s.", date(*billed.PastDueSince))
	}
	switch {
	case billed.EndsAt != nil && billed.Status.Terminal():
		says += fmt.Sprintf(" It ended on %s.", date(*billed.EndsAt))
	case billed.EndsAt != nil:
		says += fmt.Sprintf(" It ends on %s.", date(*billed.EndsAt))
	}
	if billed.NextAt != nil {
		says += fmt.Sprintf(" It changes to %s on %s.", billed.NextPlan.Title(), date(*billed.NextAt))
	}
	if subscription.UnverifiedUntil != nil {
		says += fmt.Sprintf(" Stripe is switched off on this server, so the plan ends on %s.", date(*subscription.UnverifiedUntil))
	}
	return says
}

// describeMove says how a workspace's plan changed, if it did.
func describeMove(from, to plan.Name) string {
	if from == to {
		return ""
	}
	how := "Downgraded"
	if to.Above(from) {
		how = "Upgraded"
	}
	return fmt.Sprintf(" %s from %s to %s.", how, from.Title(), to.Title())
}

// date formats a day in UTC for people.
func date(at time.Time) string { return at.UTC().Format("January 2, 2006") }
