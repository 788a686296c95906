package subscription

import (
	"context"
	"errors"
	"iter"
	"time"

	"parley/core/audit"
	"parley/core/tenant"
)

// Lapses ends expired access.
type Lapses struct {
	db         Database
	workspaces *tenant.Workspaces
	book       *book
	now        func() time.Time
}

// Lapsed reads the workspaces about which Stripe has to be asked now: those whose access has
// expired but has not been ended, and those whose access was going to end because there was no
// Stripe to ask.
func (l *Lapses) Lapsed(ctx context.Context) iter.Seq2[string, error] {
	now := l.now()
	return func(yield func(string, error) bool) {
		for _, list := range []iter.Seq2[string, error]{l.db.Subscriptions.LapsedAccess(ctx, l.db.System, now), l.db.Subscriptions.UnverifiedAccess(ctx, l.db.System, now)} {
			for workspaceID, err := range list {
				if !yield(workspaceID, err) {
					return
				}
			}
		}
	}
}

// Lapse ends expired access without asking Stripe, and returns how many workspaces it changed.
func (l *Lapses) Lapse(ctx context.Context) (int, error) { return l.LapseBefore(ctx, l.now()) }

// LapseBefore is Lapse for access that expired before a time.
func (l *Lapses) LapseBefore(ctx context.Context, at time.Time) (int, error) {
	ended, failures := 0, []error(nil)
	for workspaceID, err := range l.db.Subscriptions.LapsedAccess(ctx, l.db.System, at) {
		if err != nil {
			return ended, errors.Join(append(failures, err)...)
		}
		changed, err := l.lapse(ctx, workspaceID)
		if changed {
			ended++
		}
		// A failure for one must not affect the others.
		failures = append(failures, err)
	}
	return ended, errors.Join(failures...)
}

// lapse applies the rule to one workspace again.
func (l *Lapses) lapse(ctx context.Context, workspaceID string) (changed bool, err error) {
	err = l.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		before, err := l.db.Subscriptions.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		after := before
		after.Access = l.book.access(before, l.now())
		changed = !same(before, after)
		if !changed {
			return nil
		}
		return l.book.write(audit.As(ctx, audit.Time), workspace, before, after)
	})
	return changed && err == nil, err
}
