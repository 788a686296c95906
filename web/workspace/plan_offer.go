package workspace

import (
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	views "parley/views/workspace"
	"parley/web/page"
)

// offer is what the plans are to one workspace.
type offer struct {
	page.Catalog
	workspace    tenant.Workspace
	subscription subscription.Subscription
	used         tenant.Usage
	// trialTaken says that the person has had their trial, in whatever workspace.
	trialTaken bool
}

// page is the part that says where the workspace stands.
func (o offer) page() views.Billing {
	current := o.Find(o.workspace.Plan).Limits
	m := views.Billing{Standing: sentences{o.Catalog}.standing(o.workspace, o.subscription), Usage: usage(current, o.used), Prices: o.priceList()}
	for i, p := range o.Plans {
		shown := views.Plan{Name: string(p.Name), Title: p.Title, Current: p.Name == o.workspace.Plan, Points: points(p.Limits)}
		shown.Price, shown.Other = o.cardPrice(p)
		shown.Plus, shown.Difference = difference(o.Plans, i)
		if !shown.Current {
			shown.Changes = changesTo(p.Limits, current, o.used)
			shown.Changes.Cost = o.cost(p)
		}
		m.Plans = append(m.Plans, shown)
	}
	m.Limits = comparison(o.Plans)
	return m
}

// cardPrice is what a plan costs a month, and what a year.
func (o offer) cardPrice(p plan.Plan) (price, other string) {
	offered := o.Offer(p)
	monthly, yearly := offered.Monthly > 0, offered.Yearly > 0
	switch {
	case monthly && yearly:
		return plan.Money(offered.Monthly, offered.Currency), "a month, or " + plan.Every(offered.Yearly, offered.Currency, plan.Yearly)
	case monthly:
		return plan.Money(offered.Monthly, offered.Currency), "a month"
	case yearly:
		return plan.Money(offered.Yearly, offered.Currency), "a year"
	}
	return o.priceText(p, plan.Monthly), ""
}

// choices are the ways to buy each plan.
func (o offer) choices(m *views.Billing) {
	for _, row := range o.prices() {
		interval := plan.Interval(row.Interval)
		for i, price := range row.Prices {
			if price.Button == "" {
				continue
			}
			p := &m.Plans[i]
			if p.Button == "" || price.Button == "Upgrade" {
				p.Button = price.Button
			}
			text := o.Price(plan.Name(price.Plan), interval)
			if paid := o.subscription.Costs(); p.Changes.Cost != "" && interval == o.subscription.Interval && paid != "" {
				text = p.Changes.Cost
			}
			p.Choices = append(p.Choices, views.Choice{Interval: row.Interval, Text: text})
		}
	}
}

// cost says what a subscriber would pay after a change.
func (o offer) cost(p plan.Plan) string {
	s := o.subscription
	if !o.hasSubscription() || s.Costs() == "" || p.Name == s.Plan {
		return ""
	}
	if then := o.Price(p.Name, s.Interval); then != "" {
		return then + " instead of " + s.Costs()
	}
	return ""
}

// comparison has a row for each limit and feature, with an amount for each plan.
func comparison(plans []plan.Plan) []views.Limit {
	var rows []views.Limit
	for _, limit := range limits {
		row := views.Limit{Name: limit.name}
		for _, p := range plans {
			row.Amounts = append(row.Amounts, amount(limit.of(p.Limits)))
		}
		rows = append(rows, row)
	}
	for _, f := range features {
		row := views.Limit{Name: f.name}
		for _, p := range plans {
			row.Amounts = append(row.Amounts, yesOrNo(p.Limits.Has(f.feature)))
		}
		rows = append(rows, row)
	}
	return rows
}

func yesOrNo(is bool) string {
	if is {
		return "Yes"
	}
	return "No"
}

// priceList has a row of prices for each interval.
func (o offer) priceList() []views.PriceRow {
	var rows []views.PriceRow
	for _, i := range page.Intervals {
		row := views.PriceRow{Interval: string(i.Interval), Name: i.Name + " price"}
		for _, p := range o.Plans {
			row.Prices = append(row.Prices, views.Price{Plan: string(p.Name), Text: o.priceText(p, i.Interval), Note: o.paysNow(p, i.Interval)})
		}
		rows = append(rows, row)
	}
	return rows
}

// prices is priceList with a word for the button of each price that can be
// bought.
func (o offer) prices() []views.PriceRow {
	rows := o.priceList()
	for i, row := range rows {
		for j, p := range o.Plans {
			rows[i].Prices[j].Button = o.button(p, plan.Interval(row.Interval))
		}
	}
	return rows
}

// button is empty for a price that cannot be bought, that is being paid, or
// that would give nothing above the granted plan.
func (o offer) button(p plan.Plan, interval plan.Interval) string {
	s := o.subscription
	switch {
	case o.Offer(p).Of(interval) <= 0 || p.Rank <= o.Rank(o.workspace.Granted):
		return ""
	case o.hasSubscription() && p.Name == s.Plan && interval == s.Interval:
		return ""
	case o.hasSubscription() && p.Name == s.Plan:
		return "Pay " + string(interval)
	case p.Rank < o.Rank(o.workspace.Plan):
		return "Change"
	}
	return "Upgrade"
}

// hasSubscription reports whether there is a subscription that gives, or can give
// again, what it is for.
func (o offer) hasSubscription() bool {
	switch o.subscription.Status {
	case plan.None, plan.Incomplete, plan.IncompleteExpired, plan.Canceled:
		return false
	}
	return true
}

// trial is how many days are free for a person and a workspace that had none.
func (o offer) trial(days int) int {
	if o.trialTaken || o.subscription.TrialUsed || o.hasSubscription() {
		return 0
	}
	return days
}

func (o offer) priceText(p plan.Plan, interval plan.Interval) string {
	price := o.Offer(p)
	switch amount := price.Of(interval); {
	case amount > 0:
		return plan.Money(amount, price.Currency)
	case p.Price.Of(interval) > 0: // the operator has yet to bring it to Stripe
		return "Not sold yet"
	case amount == plan.NotSold && !price.Sold():
		return "On request"
	case price.Sold():
		return "–"
	}
	return "Free"
}

// paysNow tells who pays an earlier price what that is, beside today's.
func (o offer) paysNow(p plan.Plan, interval plan.Interval) string {
	s := o.subscription
	if !o.hasSubscription() || p.Name != s.Plan || interval != s.Interval || s.Costs() == "" || s.Costs() == o.Price(p.Name, interval) {
		return ""
	}
	return "You pay " + plan.Money(s.Amount, s.Currency)
}
