package billing

import (
	"context"
	"iter"
	"time"

	"parley/core/plan"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/workspace"
	"parley/ent/scope"
	"parley/store"
)

// PlanAccess keeps which plan a workspace has.
type PlanAccess struct{ store *store.Store }

// NewPlanAccess returns the plan access of a database.
func NewPlanAccess(db *store.Store) *PlanAccess { return &PlanAccess{db} }

// SetPlan writes the plan in force, and the one that was granted by hand.
func (s *PlanAccess) SetPlan(ctx context.Context, workspaceID string, inForce, granted plan.Name) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Workspace.Update().Where(workspace.ID(workspaceID)).
			SetPlan(string(inForce)).SetGrantedPlan(string(granted)).Save(ctx))
	})
}

// SetGrantEnd writes when the plan that was given by hand ends, or that it does
// not.
func (s *PlanAccess) SetGrantEnd(ctx context.Context, workspaceID string, until *time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Workspace.Update().Where(workspace.ID(workspaceID)).SetNillableGrantedUntil(until)
		if until == nil {
			update.ClearGrantedUntil()
		}
		return store.Affected(update.Save(ctx))
	})
}

// EndedGrants reads the workspaces whose grant's end is now or was before.
func (s *PlanAccess) EndedGrants(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]string, error) {
		return s.store.Client(ctx).Workspace.Query().Where(workspace.GrantedUntilLTE(now), store.FewAfter(workspace.FieldID, after)).
			Limit(store.PortionRows).Select(workspace.FieldID).Strings(ctx)
	}, itself)
}

// KeepConversations says how long conversations from before a time are kept at
// least.
func (s *PlanAccess) KeepConversations(ctx context.Context, workspaceID string, before time.Time, days int) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		row, err := db.Workspace.Get(ctx, workspaceID)
		if err != nil {
			return err
		}
		if row.KeptBefore != nil && (row.KeptDays == plan.Unlimited || days != plan.Unlimited && row.KeptDays > days) {
			days = row.KeptDays
		}
		return store.Affected(db.Workspace.Update().Where(workspace.ID(workspaceID)).SetKeptBefore(before).SetKeptDays(days).Save(ctx))
	})
}

func itself(id string) string { return id }
