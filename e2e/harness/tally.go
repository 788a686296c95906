package harness

import (
	"context"
	"time"

	"parley/app"
	"parley/llm/llmtest"
)

// Tally is what of a tenant must not double.
type Tally struct {
	// Asked is how often the model was, Counted is the month's messages, and
	// Records how many there are.
	Asked, Counted, Records int
}

// Tally counts what a tenant's questions have left so far.
func (w *Instance) Tally(tn Tenant, upstream *llmtest.Server) Tally {
	w.Helper()
	used, err := w.Server.Tenants.Holdings.Usage(w.Context(), tn.Workspace)
	w.Must(err)
	all, err := w.Server.Chat.Spent(w.Context(), tn.Workspace, Now())
	w.Must(err)
	records := 0
	for _, spent := range all {
		records += spent.Answers
	}
	return Tally{upstream.Arrived(), used.MessagesPerMonth, records}
}

// NoneGenerating fails the test when an answer is still being generated.
func (w *Instance) NoneGenerating() {
	w.Helper()
	count := func(text string) int { return len(text) }
	n, err := w.Server.Turns.Leases.InterruptLapsed(context.WithoutCancel(w.Context()), w.Server.Turns.System, Now().Add(time.Hour), Now(), count)
	w.Must(err)
	if n != 0 {
		w.Errorf("%d answers are still being generated", n)
	}
}

// HalfAMinuteLater does what a process that is alive does when the leases of
// those that died have ended.
func (w *Instance) HalfAMinuteLater() {
	w.Helper()
	w.Later(31*time.Second, func(p *app.Program) { w.Must(p.Turns.Renew(context.WithoutCancel(w.Context()))) })
}
