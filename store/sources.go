package store

import (
	"context"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/ent"
	"parley/ent/source"
)

// CreateSource adds a source.
func (s *Store) CreateSource(ctx context.Context, workspaceID string, v knowledge.Source) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Source.Create().SetID(v.ID).SetWorkspaceID(workspaceID).SetChatbotID(v.ChatbotID).SetKind(string(v.Kind)).
			SetURL(v.URL).SetInclude(list(v.Rules.Include)).SetExclude(list(v.Rules.Exclude)).SetMaxDepth(v.Rules.MaxDepth).
			SetMaxPages(v.Rules.MaxPages).SetSchedule(string(v.Schedule)).SetState(string(v.State)).
			SetNillableDueAt(v.DueAt).SetCreatedAt(v.CreatedAt).Exec(ctx)
	})
}

// Source returns one source.
func (s *Store) Source(ctx context.Context, workspaceID, chatbotID, sourceID string) (knowledge.Source, error) {
	row, err := s.db(ctx).Source.Query().
		Where(source.ID(sourceID), source.ChatbotID(chatbotID)).Only(within(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return knowledge.Source{}, fault.New(fault.NotFound, "Address not found.")
	}
	return one(row, err, toSource)
}

// Sources returns a chatbot's sources, oldest first.
func (s *Store) Sources(ctx context.Context, workspaceID, chatbotID string) ([]knowledge.Source, error) {
	rows, err := s.db(ctx).Source.Query().Where(source.ChatbotID(chatbotID)).
		Order(source.ByCreatedAt(), source.ByID()).All(within(ctx, workspaceID))
	return mapped(rows, err, toSource)
}

// DueSource returns the source whose time came first.
func (s *Store) DueSource(ctx context.Context, workspaceID string, now time.Time) (knowledge.Source, error) {
	row, err := s.db(ctx).Source.Query().Where(source.WorkspaceID(workspaceID), source.DueAtLTE(now)).
		Order(source.ByDueAt(), source.ByID()).First(within(ctx, workspaceID))
	return one(row, err, toSource)
}

// UpdateSource writes all columns that change.
func (s *Store) UpdateSource(ctx context.Context, workspaceID string, v knowledge.Source) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Source.Update().Where(source.ID(v.ID)).SetSchedule(string(v.Schedule)).SetState(string(v.State)).
			SetReason(v.Reason).SetAttempts(v.Attempts).SetNillableSyncedAt(v.SyncedAt)
		if v.DueAt != nil {
			update.SetDueAt(*v.DueAt)
		} else {
			update.ClearDueAt()
		}
		return affected(update.Save(ctx))
	})
}

// DeleteSource removes a source, if it is there.
func (s *Store) DeleteSource(ctx context.Context, workspaceID, sourceID string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Source.Delete().Where(source.ID(sourceID)).Exec(ctx)
		return err
	})
}

// workDue is SQL by hand: the kind of work comes from the state, as in dueFor.
const workDue = `SELECT DISTINCT workspace_id,
	CASE WHEN state IN ('indexing', 'removing') THEN 'index' WHEN url <> '' THEN 'fetch' ELSE 'extract' END AS work
	FROM documents WHERE due_at <= $1
	UNION SELECT DISTINCT workspace_id, 'fetch' FROM sources WHERE due_at <= $1
	ORDER BY 1, 2`

// WorkspacesDue returns the work that is due in all workspaces.
func (s *Store) WorkspacesDue(ctx context.Context, now time.Time) ([]knowledge.DueWork, error) {
	rows, err := s.raw(ctx).QueryContext(ctx, workDue, now)
	if err != nil {
		return nil, mapError(err)
	}
	defer rows.Close()
	var due []knowledge.DueWork
	for rows.Next() {
		var d knowledge.DueWork
		if err := rows.Scan(&d.WorkspaceID, &d.Work); err != nil {
			return nil, mapError(err)
		}
		due = append(due, d)
	}
	return due, mapError(rows.Err())
}

func toSource(row *ent.Source) knowledge.Source {
	return knowledge.Source{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, Kind: knowledge.SourceKind(row.Kind), URL: row.URL,
		Rules: knowledge.Rules{
			Include: row.Include, Exclude: row.Exclude, MaxDepth: row.MaxDepth, MaxPages: row.MaxPages,
		},
		Schedule: knowledge.Schedule(row.Schedule), State: knowledge.SourceState(row.State), Reason: row.Reason,
		Attempts: row.Attempts, DueAt: utc(row.DueAt), SyncedAt: utc(row.SyncedAt), CreatedAt: row.CreatedAt.UTC(),
	}
}
