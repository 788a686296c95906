package harness

import (
	"context"
	"fmt"
	"strings"

	"parley/ent/generated/document"
	"parley/ent/generated/passage"
	"parley/ent/scope"
)

// seriesUpTo counts to a number, in both databases.
const seriesUpTo = `WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < %d) `

// CopyDocuments gives a tenant so many copies of its oldest document, by rows of the database
// alone: no index is told.
func (w *Instance) CopyDocuments(tn Tenant, copies int) {
	w.Helper()
	documents, err := w.Server.Knowledge.Documents.List(w.Context(), tn.Workspace, tn.Chatbot)
	w.Must(err)
	id := documents[0].ID
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
	w.Must(w.Server.Store.InTx(scope.Workspace(w.Context(), tn.Workspace), func(ctx context.Context) error {
		for _, statement := range []string{
			copyRows("documents", "id", document.Columns, map[string]string{"id": copied}),
			copyRows("passages", "document_id", passage.Columns, map[string]string{"id": "", "document_id": copied}),
		} {
			if _, err := w.Server.Store.Raw(ctx).ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}))
}
