package api

import (
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

// onBakery runs a test on both databases, on a server with two workspaces.
func onBakery(t *testing.T, test func(b harness.Bakery), change ...func(*app.Config)) {
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start(change...)
		w.HasNoHurry()
		test(harness.Bakery{Instance: w, Baker: w.NewTenant("baker", plan.Standard, harness.Opening), Rival: w.NewTenant("rival", plan.Standard, harness.RivalOpening)})
	})
}
