package harness

import (
	"time"

	"parley/core/audit"
)

// Recorded counts the entries of an act in the audit log.
func (w *Instance) Recorded(action audit.Action) (n int) {
	w.Helper()
	for _, entry := range w.Entries() {
		if entry.Action == action {
			n++
		}
	}
	return n
}

// Entries are all of the audit log, the latest first.
func (w *Instance) Entries() (entries []audit.Entry) {
	w.Helper()
	for entry, err := range w.Server.Tenants.Audit.AuditLog(w.Context(), "", time.Time{}) {
		w.Must(err)
		entries = append(entries, entry)
	}
	return entries
}
