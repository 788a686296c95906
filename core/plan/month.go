package plan

import "time"

// MonthOf is the calendar month, UTC, in which a message at a time counts, such as
// "2026-11". Questions of the playground count in months of their own, such as
// "2026-11-playground".
func MonthOf(resource Resource, at time.Time) string {
	month := at.UTC().Format("2006-01")
	if resource == Playground {
		return month + "-playground"
	}
	return month
}
