package store

import (
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	ent "parley/ent/generated"
	"parley/ent/generated/chatbot"
	"parley/ent/generated/workspace"
	"parley/ent/scope"
)

// LockWorkspace is Workspace, and makes others wait until the transaction ends.
// SQLite has one writer, so there is nobody to wait.
func (s *Store) LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	query := s.Client(ctx).Workspace.Query().Where(workspace.ID(workspaceID))
	if s.dialect == dialect.Postgres {
		// Not FOR UPDATE, which would also block transactions that only refer
		// to the workspace, such as the first question of a month.
		query = query.ForUpdate(entsql.WithLockClause("FOR NO KEY UPDATE"))
	}
	row, err := query.Only(scope.Workspace(ctx, workspaceID))
	return FoundWorkspace(row, err)
}

// FoundWorkspace is the end of a query for one workspace.
func FoundWorkspace(row *ent.Workspace, err error) (tenant.Workspace, error) {
	if ent.IsNotFound(err) {
		return tenant.Workspace{}, fault.New(fault.NotFound, "Workspace not found.")
	}
	return One(row, err, WorkspaceFromRow)
}

// WorkspaceFromRow is a workspace.
func WorkspaceFromRow(row *ent.Workspace) tenant.Workspace {
	return tenant.Workspace{
		ID: row.ID, Name: row.Name, Plan: plan.Name(row.Plan), Granted: plan.Name(row.GrantedPlan),
		GrantedUntil: UTC(row.GrantedUntil), SecondFactorRequired: row.SecondFactorRequired, DeleteAt: UTC(row.DeleteAt), CreatedAt: row.CreatedAt.UTC(),
	}
}

// KeepChatbots lets nobody delete chatbots until the transaction ends. Who changes
// several rows of a chatbot does this first: a deletion locks the chatbot before its
// rows, and would otherwise wait for one of them while the other waits for the chatbot.
// A SQLite file has one writer anyway.
func (s *Store) KeepChatbots(ctx context.Context, ids ...string) error {
	if s.dialect != dialect.Postgres || len(ids) == 0 {
		return nil
	}
	_, err := s.Client(ctx).Chatbot.Query().Where(chatbot.IDIn(ids...)).Order(ent.Asc(chatbot.FieldID)).
		ForShare(entsql.WithLockClause("FOR KEY SHARE")).IDs(ctx)
	return MapError(err)
}
