package turns

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

// limitedFor expects that a question is refused for now, and returns for how long.
func limitedFor(w *harness.Instance, token string) time.Duration {
	w.Helper()
	r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(token))
	w.CheckAnswer(r, http.StatusTooManyRequests, 7)
	seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		w.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
	return time.Duration(seconds) * time.Second
}

func TestPlanQuotas(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.Includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = 3 })
		w.Includes(plan.Premium, func(l *plan.Limits) { l.MessagesPerMonth = 2 })

		t.Run("more requests in a minute than the plan includes are told to wait", func(t *testing.T) {
			w := w.Within(t)
			baker, smith := w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("smith", plan.Standard, harness.Opening)
			for range 3 {
				w.Chats(baker.Token, 200)
			}
			if wait := limitedFor(w, baker.Token); wait > time.Minute+plan.MaxSlice+time.Second {
				t.Errorf("it is to wait %v", wait)
			}
			w.Chats(smith.Token, 200)
		})
		t.Run("more questions in a month than the plan includes wait for the next", func(t *testing.T) {
			w := w.Within(t)
			miller, mason := w.NewTenant("miller", plan.Premium, harness.Opening), w.NewTenant("mason", plan.Premium, harness.Opening)
			for range 2 {
				w.Chats(miller.Token, 200)
			}
			at := harness.Now()
			next := time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(at)
			if wait := limitedFor(w, miller.Token); wait > next+time.Second || wait < next-harness.Patience {
				t.Errorf("it is to wait %v, and the next month begins in %v", wait, next)
			}
			w.Chats(mason.Token, 200)
			usage, err := w.Server.Tenants.Holdings.Usage(t.Context(), miller.Workspace)
			w.Must(err)
			if usage.MessagesPerMonth != 2 {
				t.Errorf("%d questions are counted", usage.MessagesPerMonth)
			}
		})
	})
}
