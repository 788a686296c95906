package billing

import (
	"cmp"
	"slices"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/setup"
	"parley/core/plan"
)

// candidate is one of a customer's subscriptions, with its plan.
type candidate struct {
	subscription *stripe.Subscription
	// item is the one with the plan, or the first; nil if there is none.
	item *stripe.SubscriptionItem
	// plan is empty if no item is a plan, and the subscription has not kept one: see
	// [Service.lastPlan].
	plan plan.Name
}

func (c candidate) status() plan.Status { return plan.Status(c.subscription.Status) }

func (c candidate) price() *stripe.Price {
	if c.item == nil {
		return nil
	}
	return c.item.Price
}

// costs returns what a period costs. It is zero for a tiered price, which depends on
// usage.
func (c candidate) costs() (amount int, currency string) {
	price := c.price()
	if price == nil || price.UnitAmount == 0 {
		return 0, ""
	}
	return int(price.UnitAmount * max(1, c.item.Quantity)), string(price.Currency)
}

// choose returns the subscription that counts: paid ones before unpaid ones, whatever
// their plans, so that a failed payment never hides a successful one; then the higher
// plan, then the later one. One to something else hides none that gives a plan.
func choose(candidates []candidate) candidate {
	return slices.MaxFunc(candidates, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(a.certainty(), b.certainty()),
			cmp.Compare(setup.Rank(a.plan), setup.Rank(b.plan)),
			cmp.Compare(a.subscription.Created, b.subscription.Created),
			cmp.Compare(a.subscription.ID, b.subscription.ID),
		)
	})
}

// certainty ranks subscriptions by how certain it is that somebody pays for a plan.
func (c candidate) certainty() int {
	if c.plan == "" {
		return min(certainty(c.status()), certainty(plan.None))
	}
	return certainty(c.status())
}

// certainty ranks statuses by how certain it is that somebody pays.
func certainty(status plan.Status) int {
	switch status {
	case plan.Active, plan.Trialing:
		return 4
	case plan.PastDue:
		return 3
	case plan.Unpaid, plan.Paused, plan.Incomplete, plan.None:
		return 1
	case plan.Canceled, plan.IncompleteExpired:
		return 0
	}
	return 2 // an unknown status
}

// paid counts the subscriptions for which Stripe takes or may take money.
func paid(candidates []candidate) int {
	count := 0
	for _, c := range candidates {
		if certainty(c.status()) > certainty(plan.Incomplete) || c.status() == plan.Unpaid {
			count++
		}
	}
	return count
}
