package setup

import (
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v76"

	"parley/core/plan"
)

// The names of products and prices. Both carry the plan as metadata.
const (
	prefix       = "parley_"
	metadataPlan = "plan"
)

// intervals lists all intervals in the order in which they are shown.
var intervals = []plan.Interval{plan.Monthly, plan.Yearly}

// ProductID is the id of a plan's product.
func ProductID(name plan.Name) string { return prefix + string(name) }

// LookupKey names the price at which a plan is on sale.
func LookupKey(name plan.Name, interval plan.Interval) string {
	return prefix + string(name) + "_" + string(interval)
}

// PlanOf returns the plan of a price: by its lookup key, else by its product, else by the
// metadata of either. A price whose lookup key has moved to a newer one still has its
// product.
func PlanOf(p *stripe.Price) (plan.Name, bool) {
	if p == nil {
		return "", false
	}
	made := p.Product
	if made == nil {
		made = &stripe.Product{}
	}
	key, _, _ := strings.Cut(named(p.LookupKey), "_")
	for _, name := range []string{key, named(made.ID), p.Metadata[metadataPlan], made.Metadata[metadataPlan]} {
		if Rank(plan.Name(name)) >= 0 {
			return plan.Name(name), true
		}
	}
	return "", false
}

// named returns what follows our prefix in a name, or "".
func named(id string) string {
	name, ours := strings.CutPrefix(id, prefix)
	if !ours {
		return ""
	}
	return name
}

// IntervalOf returns "" for a price with an interval other than ours.
func IntervalOf(p *stripe.Price) plan.Interval {
	if p == nil || p.Recurring == nil || p.Recurring.IntervalCount > 1 {
		return ""
	}
	switch p.Recurring.Interval {
	case stripe.PriceRecurringIntervalMonth:
		return plan.Monthly
	case stripe.PriceRecurringIntervalYear:
		return plan.Yearly
	}
	return ""
}

// Rank orders plans; it is negative for unknown ones.
func Rank(name plan.Name) int { return slices.Index(plan.Names(), name) }
