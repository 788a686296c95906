package crash

import (
	"context"
	"time"

	"parley/app"
	"parley/e2e/harness"
)

// halfAMinuteLater does what a process that is alive does when the leases of
// those that died have ended.
func halfAMinuteLater(w *harness.Instance) {
	w.Helper()
	w.Later(31*time.Second, func(p *app.Program) { w.Must(p.Turns.Renew(context.WithoutCancel(w.Context()))) })
}
