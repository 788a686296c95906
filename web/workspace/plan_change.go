package workspace

import (
	"fmt"
	"strings"

	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/workspace"
)

// changesTo says what a workspace would gain and lose by another plan, and
// what it has in use that the plan does not include.
func changesTo(to, from plan.Limits, used tenant.Usage) views.Changes {
	var c views.Changes
	for _, f := range features {
		switch has, had := to.Has(f.feature), from.Has(f.feature); {
		case has && !had:
			c.Gains = append(c.Gains, f.name)
		case had && !has:
			c.Loses = append(c.Loses, f.name)
		}
	}
	for _, l := range limits {
		now, then := l.of(from), l.of(to)
		if now == then {
			continue
		}
		sentence := fmt.Sprintf("%s instead of %s %s", amount(then), strings.ToLower(amount(now)), l.many)
		if more(then, now) {
			c.Gains = append(c.Gains, sentence)
			continue
		}
		c.Loses = append(c.Loses, sentence)
		if l.used != nil && more(l.used(used), then) {
			c.Exceeded = append(c.Exceeded, l.over(l.used(used), then))
		}
	}
	if more(from.RetentionDays, to.RetentionDays) {
		c.Exceeded = append(c.Exceeded, fmt.Sprintf("New conversations would be deleted %s days after their last message. Existing ones would be kept as long as now.", plan.Thousands(to.RetentionDays)))
	}
	return c
}

// more reports whether a limit is higher. Unlimited is the highest.
func more(a, b int) bool {
	return b != plan.Unlimited && (a == plan.Unlimited || a > b)
}

// usage says how much of each limit is in use.
func usage(l plan.Limits, used tenant.Usage) []views.Usage {
	var rows []views.Usage
	for _, limit := range limits {
		if limit.used == nil {
			continue
		}
		row := views.Usage{Name: limit.meter, Used: limit.used(used), Limit: limit.of(l)}
		row.Text = plan.Thousands(row.Used) + " of " + plan.Thousands(row.Limit)
		if row.Limit == plan.Unlimited {
			row.Text = plan.Thousands(row.Used) + ", no limit"
		}
		row.Over = more(row.Used, row.Limit)
		rows = append(rows, row)
	}
	return rows
}
