package knowledge

import (
	"context"
	"database/sql"
	"iter"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/knowledge"
	"parley/core/system"
	"parley/ent/generated/document"
	"parley/ent/generated/predicate"
	"parley/ent/generated/source"
	"parley/ent/scope"
	"parley/store"
)

// DueWork finds what is due. In a workspace that is being deleted nothing is.
type DueWork struct{ store *store.Store }

// NewDueWork returns the due work of a database.
func NewDueWork(db *store.Store) *DueWork { return &DueWork{db} }

// DueSource returns the source whose time came first.
func (s *DueWork) DueSource(ctx context.Context, workspaceID string, now time.Time) (knowledge.Source, error) {
	row, err := s.store.Client(ctx).Source.Query().Where(source.WorkspaceID(workspaceID), source.DueAtLTE(now), store.Staying).
		Order(source.ByDueAt(), source.ByID()).First(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, sourceFromRow)
}

// WorkspacesDue reads the work that is due in all workspaces.
func (s *DueWork) WorkspacesDue(ctx context.Context, access system.Access, now time.Time) iter.Seq2[knowledge.DueWork, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after knowledge.DueWork) (due []knowledge.DueWork, err error) {
		err = store.EachRow(ctx, s.store.Raw(ctx), workDue, []any{now, after.WorkspaceID, after.Work, store.PortionRows}, func(row *sql.Rows) error {
			var d knowledge.DueWork
			err := row.Scan(&d.WorkspaceID, &d.Work)
			due = append(due, d)
			return err
		})
		return due, err
	}, func(d knowledge.DueWork) knowledge.DueWork { return d })
}

// DueDocument returns the next document for a kind of work: first those to
// remove, then those without an address, then pages, except for pages of the
// sources in skip.
func (s *DueWork) DueDocument(ctx context.Context, workspaceID, work string, now time.Time, skip []string) (knowledge.Document, error) {
	row, err := s.store.Client(ctx).Document.Query().
		Where(document.WorkspaceID(workspaceID), document.DueAtLTE(now), dueFor(work), store.Staying, document.SourceIDNotIn(skip...)).
		Order(func(q *entsql.Selector) {
			q.OrderExpr(entsql.Expr("CASE WHEN state = 'removing' THEN 0 WHEN url = '' THEN 1 ELSE 2 END"))
		}, document.ByDueAt(), document.ByID()).First(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, documentFromRow)
}

// workDue is SQL by hand: the kind of work comes from the state, as in dueFor.
const workDue = `SELECT workspace_id, work FROM (
	SELECT workspace_id, CASE WHEN state IN ('indexing', 'removing') THEN 'index' WHEN url <> '' THEN 'fetch' ELSE 'extract' END AS work
	FROM documents WHERE due_at <= $1 AND workspace_id >= $2
	UNION SELECT workspace_id, 'fetch' FROM sources WHERE due_at <= $1 AND workspace_id >= $2) due
	WHERE (workspace_id > $2 OR work > $3) AND` + store.Stays + ` ORDER BY 1, 2 LIMIT $4`

var indexed = document.StateIn(string(knowledge.Indexing), string(knowledge.Removing))

// dueFor says which documents a kind of work is about: see workOf.
func dueFor(work string) predicate.Document {
	switch work {
	case knowledge.IndexWork:
		return indexed
	case knowledge.FetchWork:
		return document.And(document.Not(indexed), document.URLNEQ(""))
	}
	return document.And(document.Not(indexed), document.URL(""))
}
