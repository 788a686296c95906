package e2e

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/core/rate"
)

// includes lets a plan include less.
func (w *instance) includes(name plan.Name, change func(*plan.Limits)) {
	w.Helper()
	p, err := w.server.Tenants.Plans.Existing(w.Context(), name)
	w.must(err)
	change(&p.Limits)
	w.must(w.server.Tenants.Plans.Update(w.Context(), p))
}

// hasNoHurry lets tests send any number of requests on the plan that most use.
func (w *instance) hasNoHurry() {
	w.Helper()
	w.includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = plan.Unlimited })
}

// hasNoRates lets tests send any number of requests to pages and management routes.
func (w *instance) hasNoRates() {
	const many = 1_000_000
	w.server.Pace.Limits = rate.Limits{Person: [2]int{many, many}, Workspace: [2]int{many, many}, Stranger: [1]int{many}}
	w.call("GET", "/readyz", "") // what other processes ask comes after it, which the race detector cannot know
}

// limited expects that a question is refused for now, and returns for how long.
func (w *instance) limited(token string) time.Duration {
	w.Helper()
	r := w.call("POST", chatPath, openingQuestion, bearer(token))
	w.checkAnswer(r, http.StatusTooManyRequests, 7)
	seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		w.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
	return time.Duration(seconds) * time.Second
}

func TestPlanQuotas(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		w.includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = 3 })
		w.includes(plan.Premium, func(l *plan.Limits) { l.MessagesPerMonth = 2 })

		t.Run("more requests in a minute than the plan includes are told to wait", func(t *testing.T) {
			w := w.within(t)
			baker, smith := w.newTenant("baker", plan.Standard, opening), w.newTenant("smith", plan.Standard, opening)
			for range 3 {
				w.chats(baker.token, 200)
			}
			if wait := w.limited(baker.token); wait > time.Minute+plan.MaxSlice+time.Second {
				t.Errorf("it is to wait %v", wait)
			}
			w.chats(smith.token, 200)
		})
		t.Run("more questions in a month than the plan includes wait for the next", func(t *testing.T) {
			w := w.within(t)
			miller, mason := w.newTenant("miller", plan.Premium, opening), w.newTenant("mason", plan.Premium, opening)
			for range 2 {
				w.chats(miller.token, 200)
			}
			at := now()
			next := time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(at)
			if wait := w.limited(miller.token); wait > next+time.Second || wait < next-patience {
				t.Errorf("it is to wait %v, and the next month begins in %v", wait, next)
			}
			w.chats(mason.token, 200)
			usage, err := w.server.Tenants.Holdings.Usage(t.Context(), miller.workspace)
			w.must(err)
			if usage.MessagesPerMonth != 2 {
				t.Errorf("%d questions are counted", usage.MessagesPerMonth)
			}
		})
	})
}
