package harness

import (
	"strconv"

	"parley/core/plan"
	"parley/core/rate"
)

// Includes lets a plan include less.
func (w *Instance) Includes(name plan.Name, change func(*plan.Limits)) {
	w.Helper()
	p, err := w.Server.Tenants.Plans.Existing(w.Context(), name)
	w.Must(err)
	change(&p.Limits)
	w.Must(w.Server.Tenants.Plans.Update(w.Context(), p))
}

// HasNoHurry lets tests send any number of requests on the plan that most use.
func (w *Instance) HasNoHurry() {
	w.Helper()
	w.Includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = plan.Unlimited })
}

// HasNoRates lets tests send any number of requests to pages and management routes.
func (w *Instance) HasNoRates() {
	const many = 1_000_000
	w.Server.Pace.Limits = rate.Limits{Person: [2]int{many, many}, Workspace: [2]int{many, many}, Stranger: [1]int{many}}
	w.Call("GET", "/readyz", "") // what other processes ask comes after it, which the race detector cannot know
}

// TurnedAway expects a refusal with a time to come again.
func (w *Instance) TurnedAway(r Reply, status, code int, message string) {
	w.Helper()
	w.Refused(r, status, code, message)
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 {
		w.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
}
