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

// NextMonth is the first instant of the month after the one of a time, UTC.
func NextMonth(at time.Time) time.Time {
	year, month, _ := at.UTC().Date()
	return time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
}
