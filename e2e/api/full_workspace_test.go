package api

import "parley/e2e/harness"

// credential is what the row asks for, of this workspace.
func credential(w *harness.Instance, e *harness.FullWorkspace, r harness.Route) harness.Header {
	if r.TakesTokens() {
		return harness.Bearer(e.Token)
	}
	return w.Session(e.Owner)
}
