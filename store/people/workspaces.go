package people

import (
	"cmp"
	"context"
	"iter"
	"time"

	"parley/core/knowledge/browse"
	"parley/core/system"
	"parley/core/tenant"
	ent "parley/ent/generated"
	"parley/ent/generated/chatbot"
	"parley/ent/generated/workspace"
	"parley/ent/scope"
	"parley/store"
)

// Workspaces keeps workspaces.
type Workspaces struct{ store *store.Store }

// NewWorkspaces returns the workspaces of a database.
func NewWorkspaces(db *store.Store) *Workspaces { return &Workspaces{db} }

// CreateWorkspace adds a workspace. If it names no granted plan, its plan
// counts as granted.
func (s *Workspaces) CreateWorkspace(ctx context.Context, w tenant.Workspace) error {
	return s.store.Write(scope.Workspace(ctx, w.ID), func(ctx context.Context, db *ent.Client) error {
		return db.Workspace.Create().SetID(w.ID).SetName(w.Name).SetPlan(string(w.Plan)).
			SetGrantedPlan(string(cmp.Or(w.Granted, w.Plan))).SetCreatedAt(w.CreatedAt).Exec(ctx)
	})
}

// Workspace returns one workspace.
func (s *Workspaces) Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	row, err := s.store.Client(ctx).Workspace.Get(scope.Workspace(ctx, workspaceID), workspaceID)
	return store.FoundWorkspace(row, err)
}

// Workspaces reads all workspaces, oldest first.
func (s *Workspaces) Workspaces(ctx context.Context, access system.Access) iter.Seq2[tenant.Workspace, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after browse.Cursor) ([]tenant.Workspace, error) {
		rows, err := s.store.Client(ctx).Workspace.Query().Where(store.Sliced(store.Oldest(after), workspace.FieldCreatedAt)).All(ctx)
		return store.Mapped(rows, err, store.WorkspaceFromRow)
	}, func(w tenant.Workspace) browse.Cursor { return browse.Cursor{At: w.CreatedAt, ID: w.ID} })
}

// RenameWorkspace gives a workspace another name.
func (s *Workspaces) RenameWorkspace(ctx context.Context, workspaceID, name string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Workspace.Update().Where(workspace.ID(workspaceID)).SetName(name).Save(ctx))
	})
}

// SetDeletion writes when a workspace ends; nil takes the deletion back.
func (s *Workspaces) SetDeletion(ctx context.Context, workspaceID string, at *time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Workspace.Update().Where(workspace.ID(workspaceID)).SetNillableDeleteAt(at)
		if at == nil {
			update.ClearDeleteAt()
		}
		return store.Affected(update.Save(ctx))
	})
}

// EndedWorkspaces reads the workspaces that owners deleted and whose time has come.
func (s *Workspaces) EndedWorkspaces(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]string, error) {
		return s.store.Client(ctx).Workspace.Query().Where(workspace.DeleteAtLTE(now), store.FewAfter(workspace.FieldID, after)).Limit(store.PortionRows).IDs(ctx)
	}, func(id string) string { return id })
}

// RequireSecondFactor demands a second factor of all members, or no longer.
func (s *Workspaces) RequireSecondFactor(ctx context.Context, workspaceID string, required bool) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Workspace.Update().Where(workspace.ID(workspaceID)).SetSecondFactorRequired(required).Save(ctx))
	})
}

const (
	deleteUsageRecords = `DELETE FROM usage_records WHERE workspace_id = $1`
	deleteUsageSums    = `DELETE FROM usage_sums WHERE workspace_id = $1`
)

// DeleteWorkspace deletes it with all that is in it. Its usage records come late:
// by then no answer of it is left that could get one. Their sums come last: who
// counts them holds the records until they are there.
func (s *Workspaces) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	return s.store.InTx(store.Background(scope.Workspace(ctx, workspaceID)), func(ctx context.Context) error {
		db := s.store.Client(ctx)
		if err := s.lockForDeletion(ctx, workspaceID); err != nil {
			return err
		}
		if err := store.Affected(db.Workspace.Delete().Where(workspace.ID(workspaceID)).Exec(ctx)); err != nil {
			return store.MapError(err)
		}
		if err := s.store.Run(ctx, deleteUsageRecords, workspaceID); err != nil {
			return err
		}
		return s.store.Run(ctx, deleteUsageSums, workspaceID)
	})
}

// lockForDeletion locks the chatbots of a workspace in the order in which KeepChatbots
// keeps them. The deletion itself locks them in any order.
func (s *Workspaces) lockForDeletion(ctx context.Context, workspaceID string) error {
	if s.store.IsSQLite() {
		return nil
	}
	db := s.store.Client(ctx)
	if _, err := db.Workspace.Query().Where(workspace.ID(workspaceID)).ForUpdate().IDs(ctx); err != nil {
		return store.MapError(err)
	}
	_, err := db.Chatbot.Query().Order(ent.Asc(chatbot.FieldID)).ForUpdate().IDs(ctx) // those of its scope
	return store.MapError(err)
}

// LockWorkspace is Workspace, and makes others wait until the transaction ends.
func (s *Workspaces) LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	return s.store.LockWorkspace(ctx, workspaceID)
}
