// Package privacy counts, copies and erases what is stored of a workspace, a person or an end
// user, and keeps receipts of erasures.
package privacy

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/privacy"
	"parley/core/system"
	"parley/ent/generated/document"
	"parley/ent/scope"
	"parley/store"
)

// Rows counts and reads the rows of a workspace or a person in the tables that package
// privacy lists. It takes the names in its statements from that list.
type Rows struct{ store *store.Store }

// NewRows returns the rows of a database.
func NewRows(db *store.Store) *Rows { return &Rows{db} }

var (
	_ privacy.RowStore = (*Rows)(nil)
	_ privacy.Reader   = (*Rows)(nil)
)

// parents are the tables that others belong to, by name.
var parents = func() map[string]privacy.Table {
	all := map[string]privacy.Table{}
	for _, t := range privacy.Tables() {
		all[t.Name] = t
	}
	return all
}()

// of is the condition for the rows of a workspace. Where they are found by what they
// belong to, the workspace is a second condition.
func (s *Rows) of(workspaceID string, t privacy.Table) *entsql.Predicate {
	switch {
	case t.Parent == "" && t.By != "": // the workspace itself
		return entsql.EQ(t.By, workspaceID)
	case t.Parent == "":
		return entsql.EQ("workspace_id", workspaceID)
	}
	parent := parents[t.Parent]
	ids := s.store.Builder().Select("id").From(entsql.Table(parent.Name)).Where(s.of(workspaceID, parent))
	return entsql.And(entsql.EQ("workspace_id", workspaceID), entsql.In(t.By, ids))
}

// CountRows counts the rows of a workspace in a table.
func (s *Rows) CountRows(ctx context.Context, workspaceID string, t privacy.Table) (n int64, err error) {
	return s.count(scope.Workspace(ctx, workspaceID), t, s.of(workspaceID, t))
}

func (s *Rows) count(ctx context.Context, t privacy.Table, where *entsql.Predicate) (n int64, err error) {
	query, args := s.store.Builder().Select(entsql.Count("*")).From(entsql.Table(t.Name)).Where(where).Query()
	return n, store.MapError(store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, query, args...))
}

// readAtOnce is how many rows of a table are held, where they may be long.
var readAtOnce = map[string]int{"uploads": 1, "originals": 1, "documents": 4, "messages": 50}

// WorkspaceRows reads the exported columns of a workspace's rows in a table.
func (s *Rows) WorkspaceRows(ctx context.Context, workspaceID string, t privacy.Table, which privacy.Selection) iter.Seq2[privacy.Row, error] {
	return s.ColumnsOf(ctx, workspaceID, t, which, t.Exported())
}

// ColumnsOf reads columns of a workspace's rows in a table.
func (s *Rows) ColumnsOf(ctx context.Context, workspaceID string, t privacy.Table, which privacy.Selection, columns []string) iter.Seq2[privacy.Row, error] {
	return store.Converted(s.rowsOf(scope.Workspace(store.Background(ctx), workspaceID), workspaceID, t, which, columns), func(row keyed) privacy.Row { return row.values })
}

// PersonRows reads the exported columns of a person's rows in a table.
func (s *Rows) PersonRows(ctx context.Context, access system.Access, userID, email string, t privacy.Table) iter.Seq2[privacy.Row, error] {
	of := userID
	if t.By == "recipient" {
		of = email
	}
	return store.Converted(s.read(scope.System(store.Background(ctx), access), t, t.Exported(), entsql.EQ(t.By, of)), func(row keyed) privacy.Row { return row.values })
}

// keyed is a row with its id.
type keyed struct {
	id     any
	values privacy.Row
}

// rowsOf reads columns of a workspace's rows. What belongs to other rows is read for one
// of those after the other, by their index.
func (s *Rows) rowsOf(ctx context.Context, workspaceID string, t privacy.Table, which privacy.Selection, columns []string) iter.Seq2[keyed, error] {
	if t.Parent == "" {
		return s.read(ctx, t, columns, s.of(workspaceID, t), s.chosen(workspaceID, t, which)...)
	}
	return func(yield func(keyed, error) bool) {
		for parent, err := range s.rowsOf(ctx, workspaceID, parents[t.Parent], which, nil) {
			if err != nil {
				yield(keyed{}, err)
				return
			}
			for row, err := range s.read(ctx, t, columns, entsql.And(entsql.EQ("workspace_id", workspaceID), entsql.EQ(t.By, parent.id)), s.chosen(workspaceID, t, which)...) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// chosen are further conditions for conversations.
func (s *Rows) chosen(workspaceID string, t privacy.Table, which privacy.Selection) (where []*entsql.Predicate) {
	if t.Name != "conversations" {
		return nil
	}
	if which.EndUser != "" {
		bots := s.store.Builder().Select("id").From(entsql.Table("chatbots")).Where(entsql.EQ("workspace_id", workspaceID))
		return append(where, entsql.EQ("external_user_id", which.EndUser), entsql.In("chatbot_id", bots))
	}
	return append(where, entsql.Or(entsql.NEQ("origin", string(chat.Playground)), entsql.EQ("begun_by", which.Viewer)))
}

// read reads columns of rows in the order of their ids, a portion at a time.
func (s *Rows) read(ctx context.Context, t privacy.Table, columns []string, where *entsql.Predicate, more ...*entsql.Predicate) iter.Seq2[keyed, error] {
	limit := cmp.Or(readAtOnce[t.Name], store.PortionRows)
	return func(yield func(keyed, error) bool) {
		var after any
		for {
			rows, err := s.portion(ctx, t, columns, append([]*entsql.Predicate{where}, more...), after, limit)
			if err != nil {
				yield(keyed{}, store.MapError(err))
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
				after = row.id
			}
			if len(rows) < limit {
				return
			}
		}
	}
}

func (s *Rows) portion(ctx context.Context, t privacy.Table, columns []string, where []*entsql.Predicate, after any, limit int) (read []keyed, err error) {
	if after != nil {
		where = append(where, entsql.GT("id", after))
	}
	// Each statement has predicates of its own: building one numbers its parameters.
	query, args := s.store.Builder().Select(append([]string{"id"}, columns...)...).From(entsql.Table(t.Name)).
		Where(entsql.And(where...)).OrderBy("id").Limit(limit).Query()
	rows, err := s.store.Raw(ctx).QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, into := make([]any, len(columns)+1), make([]any, len(columns)+1)
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i := range columns {
			values[i+1] = plainValue(types[i+1].DatabaseTypeName(), values[i+1])
		}
		read = append(read, keyed{values[0], values[1:]})
	}
	return read, rows.Err()
}

// plainValue is a value as both databases give it. The name of the column's type is the
// database's own, in capitals.
func plainValue(of string, value any) any {
	switch of {
	case "BOOL":
		if n, is := value.(int64); is {
			return n != 0
		}
	case "JSON", "JSONB":
		switch value := value.(type) {
		case []byte:
			return json.RawMessage(slices.Clone(value))
		case string:
			return json.RawMessage(value)
		}
	case "TEXT", "VARCHAR":
		if bytes, is := value.([]byte); is {
			return string(bytes)
		}
	}
	return value
}

// DocumentIDs yields the documents of a chatbot.
func (s *Rows) DocumentIDs(ctx context.Context, workspaceID, chatbotID string) iter.Seq2[string, error] {
	return store.InKeyOrder(scope.Workspace(ctx, workspaceID), func(ctx context.Context, after string) ([]string, error) {
		return s.store.Client(ctx).Document.Query().Where(document.ChatbotID(chatbotID), store.FewAfter(document.FieldID, after)).Limit(store.PortionRows).IDs(ctx)
	}, func(id string) string { return id })
}
