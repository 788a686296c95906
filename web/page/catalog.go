package page

import (
	"time"

	"parley/core/plan"
)

// Catalog is the plans at a time.
type Catalog struct {
	Plans []plan.Plan
	Now   time.Time
	// sold says that plans are bought here, so that one that was given is
	// something special.
	Sold bool
}

// Title is what people call a plan.
func (k Catalog) Title(name plan.Name) string { return k.Find(name).Title }

func (k Catalog) Rank(name plan.Name) int { return k.Find(name).Rank }

// Find returns a plan. One that is not there has its name for a title.
func (k Catalog) Find(name plan.Name) plan.Plan {
	for _, p := range k.Plans {
		if p.Name == name {
			return p
		}
	}
	return plan.Plan{Name: name, Title: string(name), Rank: -1}
}

// Offer is what a plan costs who buys it now.
func (k Catalog) Offer(p plan.Plan) plan.Price {
	if k.Sold {
		return p.Offer()
	}
	return p.Price
}

// Price is what a plan costs, such as 79.00 USD a month; empty if it has no
// price for the interval.
func (k Catalog) Price(name plan.Name, interval plan.Interval) string {
	price := k.Offer(k.Find(name))
	return plan.Every(price.Of(interval), price.Currency, interval)
}

// Date writes a day in UTC, with its year if that is another one than now.
func (k Catalog) Date(t time.Time) string {
	if t.UTC().Year() != k.Now.UTC().Year() {
		return t.UTC().Format("January 2, 2006")
	}
	return t.UTC().Format("January 2")
}

// CheapestWith is the lowest plan above the present one that includes a feature
// and can be bought.
func (k Catalog) CheapestWith(feature plan.Feature, above plan.Name) (plan.Plan, bool) {
	for _, p := range k.Plans {
		if p.Rank > k.Rank(above) && p.Limits.Has(feature) && k.Offer(p).Sold() {
			return p, true
		}
	}
	return plan.Plan{}, false
}

// Intervals are those at which people pay, by name.
var Intervals = []struct {
	Interval plan.Interval
	Name     string
}{{plan.Monthly, "Monthly"}, {plan.Yearly, "Yearly"}}
