package store_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/privacy"
)

func TestAuditGuards(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		for n := range 5 {
			b.act("ws_1", n)
			b.act("", n)
		}
		b.must(b.AddAudit(b.Context(), "ws_today", audit.Entry{Actor: audit.System, Action: audit.SignedOut, Origin: audit.Origin{Address: "192.0.2.1"}, At: time.Now()}))
		kept := b.dump("audit_entries", "detail", "") + b.dump("audit_chains", "hash", "")
		for _, statement := range []string{
			"UPDATE audit_entries SET actor = 'nobody' WHERE seq = 2",
			"UPDATE audit_entries SET at = at",
			"UPDATE audit_entries SET address = '192.0.2.99'",
			"UPDATE audit_entries SET address = ''",
			"UPDATE audit_entries SET address_salt = ''",
			"UPDATE audit_entries SET address = '', address_salt = 'another'",
			"UPDATE audit_entries SET address = '', address_salt = '', detail = 'another'",
			"UPDATE audit_entries SET address = '', address_salt = '' WHERE workspace_id = 'ws_today'",
			"DELETE FROM audit_entries",
			"DELETE FROM audit_entries WHERE seq = 1",
			"DELETE FROM audit_entries WHERE seq = 5 AND workspace_id IS NULL",
			"DELETE FROM audit_chains WHERE id = 'ws_1'",
			"UPDATE audit_chains SET seq = 4 WHERE id = 'ws_1'",
			"UPDATE audit_chains SET seq = 9 WHERE id = 'ws_1'",
			"UPDATE audit_chains SET hash = 'another' WHERE id = 'ws_1'",
			"UPDATE audit_chains SET kept_seq = 6 WHERE id = 'ws_1'",
			"UPDATE audit_chains SET kept_seq = 2, kept_hash = 'another' WHERE id = '-'",
			"UPDATE audit_chains SET id = 'ws_2' WHERE id = 'ws_1'",
		} {
			if err := b.tryAsOwner(statement); err == nil || !strings.Contains(err.Error(), "audit log") {
				b.Errorf("%s: %v", statement, err)
			}
		}
		if b.dump("audit_entries", "detail", "")+b.dump("audit_chains", "hash", "") != kept {
			b.Error("something changed")
		}
		if _, err := b.DeleteAudit(b.Context(), "ws_today", time.Now().Add(time.Hour), 10); err == nil {
			b.Error("an entry of today is deleted for its age")
		}
		b.Run("each column but those of the address is kept as it is, also while the address goes", func(t *testing.T) {
			for _, column := range entryColumns(b) {
				if column == "address" || column == "address_salt" {
					continue
				}
				value := "NULL"
				if column == "id" {
					value = "id + 1000"
				}
				if err := b.tryAsOwner("UPDATE audit_entries SET address = '', address_salt = '', " + column + " = " + value + " WHERE workspace_id = 'ws_1' AND seq = 2"); err == nil || !strings.Contains(err.Error(), "audit log") {
					t.Errorf("%s may change: %v", column, err)
				}
			}
		})
	})
}

// entryColumns are the columns of the audit log's entries.
func entryColumns(b *bundle) (names []string) {
	for _, table := range privacy.Tables() {
		if table.Name == "audit_entries" {
			names = table.Columns()
		}
	}
	return names
}
