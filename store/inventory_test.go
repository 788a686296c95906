package store_test

import (
	"slices"
	"strings"
	"testing"

	"parley/core/privacy"
)

// TestEverythingStoredIsListed compares the list of package privacy with the tables of a
// migrated database.
func TestEverythingStoredIsListed(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		query := `SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`
		if !b.IsSQLite() {
			query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()`
		}
		rows, err := b.Reads().QueryContext(b.Context(), query)
		b.must(err)
		defer rows.Close()
		there := map[string][]string{}
		for rows.Next() {
			var table, column string
			b.must(rows.Scan(&table, &column))
			there[table] = append(there[table], column)
		}
		b.must(rows.Err())
		listed := map[string]bool{}
		for _, table := range privacy.Tables() {
			if listed[table.Name] {
				b.Errorf("%s is listed twice", table.Name)
			}
			listed[table.Name] = true
			if table.Holds == "" || table.Why == "" || table.Kept == "" {
				b.Errorf("%s: the list does not say what it holds, why, and for how long", table.Name)
			}
			columns := table.Columns()
			slices.Sort(columns)
			if len(slices.Compact(slices.Clone(columns))) != len(columns) {
				b.Errorf("%s lists a column twice", table.Name)
			}
			for _, column := range there[table.Name] {
				if !slices.Contains(columns, column) {
					b.Errorf("%s.%s is not in core/privacy/inventory_*.go: say there whether it may tell of a person, or is a secret", table.Name, column)
				}
			}
			for _, column := range columns {
				if !slices.Contains(there[table.Name], column) && len(there[table.Name]) > 0 {
					b.Errorf("%s.%s is listed, and does not exist", table.Name, column)
				}
			}
			if table.Owner == privacy.OfWorkspace && table.Name != "workspaces" && len(there[table.Name]) > 0 && !slices.Contains(there[table.Name], "workspace_id") {
				b.Errorf("%s belongs to a workspace, and has no workspace_id", table.Name)
			}
			if table.Parent != "" && !slices.ContainsFunc(privacy.Tables(), func(t privacy.Table) bool { return t.Name == table.Parent }) {
				b.Errorf("%s belongs to %s, which is not listed", table.Name, table.Parent)
			}
		}
		for table := range there {
			if !listed[table] {
				b.Errorf("%s is not in core/privacy/inventory_*.go: say there what it holds, why, and for how long", table)
			}
		}
		for name := range listed {
			if _, is := there[name]; !is && !(b.IsSQLite() && slices.Contains(ofPostgres, name)) {
				b.Errorf("%s is listed, and does not exist", name)
			}
		}
		for _, word := range []string{"hash", "secret", "sealed", "vector"} {
			for _, table := range privacy.Tables() {
				for _, column := range table.Exported() {
					if strings.Contains(column, word) && !slices.Contains(openHashes, table.Name+"."+column) {
						b.Errorf("%s.%s looks like a secret, and would be exported", table.Name, column)
					}
				}
			}
		}
	})
}

// ofPostgres are the tables that only PostgreSQL has.
var ofPostgres = []string{"busy_hosts", "request_minutes"}

// openHashes are hashes of what is exported, too, and of nothing secret.
var openHashes = []string{
	"documents.input_hash", "originals.input_hash", "documents.content_hash", "passages.content_hash", "removals.content_hash", "embeddings.text_hash",
	"audit_entries.hash", "audit_entries.address_hash", "audit_chains.hash", "audit_chains.kept_hash", "erasures.subject_hash",
}
