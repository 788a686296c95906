package subscription

import (
	"context"
	"errors"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// UnverifiedFor is how long paid plans continue after Stripe was switched off.
const UnverifiedFor = 30 * 24 * time.Hour

// Unverified counts the workspaces whose paid plan cannot be verified.
type Unverified struct {
	Workspaces int
	// Until is when the first of them loses the plan.
	Until time.Time
}

// Unverified counts the workspaces with access to a paid plan, for a server without Stripe.
func (l *Lapses) Unverified(ctx context.Context) (Unverified, error) {
	var found Unverified
	for subscription, err := range l.db.Subscriptions.Subscriptions(ctx, l.db.System) {
		if err != nil {
			return Unverified{}, err
		}
		if !subscription.Access.Plan.Above(plan.Free) {
			continue
		}
		until := l.unverifiedUntil(subscription)
		if found.Workspaces == 0 || until.Before(found.Until) {
			found.Until = until
		}
		found.Workspaces++
	}
	return found, nil
}

func (l *Lapses) unverifiedUntil(subscription Subscription) time.Time {
	until := l.now().Add(UnverifiedFor)
	if ends := subscription.Access.Until; ends != nil && ends.Before(until) {
		return *ends
	}
	return until
}

// EndUnverified is for a server without Stripe: it gives every paid plan an end,
// [UnverifiedFor] after the first call. [Lapses.Lapse] ends it then, and nothing is deleted.
// If Stripe is switched on again, its first response removes the end.
func (l *Lapses) EndUnverified(ctx context.Context) error {
	var failures []error
	for subscription, err := range l.db.Subscriptions.EndlessAccess(ctx, l.db.System) {
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		err := l.endUnverified(ctx, subscription.WorkspaceID)
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted meanwhile
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

func (l *Lapses) endUnverified(ctx context.Context, workspaceID string) error {
	return l.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		before, err := l.db.Subscriptions.Subscription(ctx, workspaceID)
		if err != nil || before.UnverifiedUntil != nil || !before.Access.Plan.Above(plan.Free) {
			return err
		}
		after, until := before, l.now().Add(UnverifiedFor)
		after.UnverifiedUntil = &until
		after.Access = l.book.access(after, l.now())
		return l.book.write(audit.As(ctx, audit.Time), workspace, before, after)
	})
}
