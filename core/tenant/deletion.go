package tenant

import (
	"context"
	"iter"
	"time"

	"parley/core/audit"
	"parley/core/fault"
)

// DeletionGrace is how long a workspace that its owner deleted can be restored.
const DeletionGrace = 7 * 24 * time.Hour

// Ending reports whether an owner has deleted the workspace, so that nothing in it
// answers. It can be restored until DeleteAt.
func (w Workspace) Ending() bool { return w.DeleteAt != nil }

// End has a workspace end after a time, and returns it. It is a Conflict if an owner has
// deleted the workspace before, unless the new time comes sooner.
func (w *Workspaces) End(ctx context.Context, workspaceID string, after time.Duration) (ending Workspace, err error) {
	err = w.Locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		at := w.now().Add(after)
		if workspace.Ending() && !at.Before(*workspace.DeleteAt) {
			return fault.New(fault.Conflict, "The workspace is being deleted already.")
		}
		if err := w.db.Workspaces.SetDeletion(ctx, workspaceID, &at); err != nil {
			return err
		}
		workspace.DeleteAt = &at
		ending = workspace
		return audit.Record(ctx, w.db.Audit, workspaceID, w.now(), audit.Entry{
			Action: audit.WorkspaceDeletionRequested, Object: workspace.object(),
			Detail: "It ends on " + at.UTC().Format("2006-01-02 15:04") + " UTC.",
		})
	})
	return ending, err
}

// Restore takes the deletion of a workspace back. It is a Conflict when the time for
// that is over, or when nobody has deleted the workspace. An owner who has made enough
// others meanwhile is refused, as for another one; the operator has no userID.
func (w *Workspaces) Restore(ctx context.Context, workspaceID, userID string) error {
	return w.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if userID != "" {
			if err := w.admitRestored(ctx, userID); err != nil {
				return err
			}
		}
		return w.Locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
			if !workspace.Ending() {
				return fault.New(fault.Conflict, "The workspace is not being deleted.")
			}
			if !w.now().Before(*workspace.DeleteAt) {
				return fault.New(fault.Conflict, "The workspace could be restored until %s UTC. It is being deleted now.", workspace.DeleteAt.UTC().Format("2006-01-02 15:04"))
			}
			if err := w.db.Workspaces.SetDeletion(ctx, workspaceID, nil); err != nil {
				return err
			}
			return audit.Record(ctx, w.db.Audit, workspaceID, w.now(), audit.Entry{Action: audit.WorkspaceRestored, Object: workspace.object()})
		})
	})
}

// admitRestored refuses to restore a workspace to somebody who owns as many others as
// one person can.
func (w *Workspaces) admitRestored(ctx context.Context, userID string) error {
	if err := w.db.Members.LockMemberships(ctx, userID); err != nil {
		return err
	}
	memberships, err := w.db.Members.Memberships(ctx, w.db.System, userID)
	if err != nil {
		return err
	}
	return admitAnother(memberships)
}

// Ended reads the workspaces whose time has come.
func (w *Workspaces) Ended(ctx context.Context) iter.Seq2[string, error] {
	return w.db.Workspaces.EndedWorkspaces(ctx, w.db.System, w.now())
}
