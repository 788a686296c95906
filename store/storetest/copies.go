package storetest

import (
	"context"
	"fmt"
	"strings"

	"parley/ent/generated/document"
	"parley/ent/generated/passage"
	"parley/ent/scope"
	"parley/store"
)

// seriesUpTo counts to a number, in both databases.
const seriesUpTo = `WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < %d) `

// CopyDocument makes so many copies of a document and its passages, by rows of the database
// alone: no index is told.
func CopyDocument(ctx context.Context, db *store.Store, workspaceID, id string, copies int) error {
	copied := "'" + id[:12] + "_' || CAST(series.n AS text)"
	copyRows := func(table, key string, columns []string, replaced map[string]string) string {
		var into, from []string
		for _, column := range columns {
			value, ok := replaced[column]
			if ok && value == "" { // the database numbers it
				continue
			}
			if !ok {
				value = "original." + `"` + column + `"`
			}
			into, from = append(into, `"`+column+`"`), append(from, value)
		}
		return fmt.Sprintf(`INSERT INTO %s (%s) `+seriesUpTo+`SELECT %s FROM %s original, series WHERE original.%s = '%s'`,
			table, strings.Join(into, ", "), copies, strings.Join(from, ", "), table, key, id)
	}
	return db.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		for _, statement := range []string{
			copyRows("documents", "id", document.Columns, map[string]string{"id": copied}),
			copyRows("passages", "document_id", passage.Columns, map[string]string{"id": "", "document_id": copied}),
		} {
			if _, err := db.Raw(ctx).ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}
