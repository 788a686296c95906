package privacy

import (
	"context"
	"maps"
	"time"

	"parley/core/privacy"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/erasure"
	"parley/ent/scope"
	"parley/store"
)

// Erasures keeps receipts of erasures.
type Erasures struct{ store *store.Store }

// NewErasures returns the receipts of a database.
func NewErasures(db *store.Store) *Erasures { return &Erasures{db} }

var _ privacy.ErasureStore = (*Erasures)(nil)

// erasureScope is the workspace's, and for a receipt of an account no workspace's.
func erasureScope(ctx context.Context, workspaceID string) context.Context {
	if workspaceID == "" {
		return scope.Unplaced(ctx)
	}
	return scope.Workspace(ctx, workspaceID)
}

// AddErasure adds a receipt. One of an account has no workspace.
func (s *Erasures) AddErasure(ctx context.Context, workspaceID string, e privacy.Erasure) error {
	return s.store.Write(erasureScope(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		create := db.Erasure.Create().SetID(e.ID).SetKind(string(e.Kind)).SetSubjectHash(e.SubjectHash).SetRequestedBy(e.RequestedBy).
			SetErased(e.Erased).SetRemaining(e.Remaining).SetNillableDoneAt(e.DoneAt).SetCreatedAt(e.CreatedAt)
		if workspaceID != "" {
			create.SetWorkspaceID(workspaceID)
		}
		return create.Exec(ctx)
	})
}

// SettleErasure writes what was erased and what remains, and when that was nothing.
func (s *Erasures) SettleErasure(ctx context.Context, workspaceID string, e privacy.Erasure) error {
	return s.store.Write(erasureScope(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Erasure.Update().Where(erasure.ID(e.ID)).SetErased(e.Erased).SetRemaining(e.Remaining).SetNillableDoneAt(e.DoneAt).Save(ctx))
	})
}

// LockErasure returns a receipt, and makes others wait until the transaction ends.
func (s *Erasures) LockErasure(ctx context.Context, workspaceID, erasureID string) (privacy.Erasure, error) {
	query := s.store.Client(ctx).Erasure.Query().Where(erasure.ID(erasureID))
	if !s.store.IsSQLite() {
		query = query.ForUpdate()
	}
	row, err := query.Only(erasureScope(ctx, workspaceID))
	return store.One(row, err, erasureFromRow)
}

// Erasures returns the receipts of a workspace, the latest first.
func (s *Erasures) Erasures(ctx context.Context, workspaceID string, limit int) ([]privacy.Erasure, error) {
	rows, err := s.store.Client(ctx).Erasure.Query().Where(erasure.WorkspaceID(workspaceID)).
		Order(ent.Desc(erasure.FieldCreatedAt, erasure.FieldID)).Limit(limit).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, erasureFromRow)
}

// PendingErasures returns the receipts, of all workspaces, whose erasure is not done, the
// oldest first.
func (s *Erasures) PendingErasures(ctx context.Context, access system.Access, limit int) ([]privacy.Erasure, error) {
	rows, err := s.store.Client(ctx).Erasure.Query().Where(erasure.DoneAtIsNil()).Order(erasure.ByCreatedAt()).Limit(limit).All(scope.System(ctx, access))
	return store.Mapped(rows, err, erasureFromRow)
}

// ErasuresSince returns the receipts, of all workspaces, of erasures of a kind that were
// requested since a time, the oldest first.
func (s *Erasures) ErasuresSince(ctx context.Context, access system.Access, kind privacy.Kind, since time.Time) ([]privacy.Erasure, error) {
	rows, err := s.store.Client(ctx).Erasure.Query().Where(erasure.Kind(string(kind)), erasure.CreatedAtGTE(since)).Order(erasure.ByCreatedAt()).All(scope.System(ctx, access))
	return store.Mapped(rows, err, erasureFromRow)
}

// ErasuresOf returns the receipts of a subject, the latest first.
func (s *Erasures) ErasuresOf(ctx context.Context, access system.Access, subjectHash string, limit int) ([]privacy.Erasure, error) {
	rows, err := s.store.Client(ctx).Erasure.Query().Where(erasure.SubjectHash(subjectHash)).
		Order(ent.Desc(erasure.FieldCreatedAt, erasure.FieldID)).Limit(limit).All(scope.System(ctx, access))
	return store.Mapped(rows, err, erasureFromRow)
}

func erasureFromRow(row *ent.Erasure) privacy.Erasure {
	return privacy.Erasure{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Kind: privacy.Kind(row.Kind), SubjectHash: row.SubjectHash, RequestedBy: row.RequestedBy,
		Erased: maps.Clone(row.Erased), Remaining: maps.Clone(row.Remaining), DoneAt: store.UTC(row.DoneAt), CreatedAt: row.CreatedAt.UTC(),
	}
}
