package subscription

import (
	"context"
	"iter"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// Ledger stores subscriptions as read at Stripe.
type Ledger struct {
	db         Database
	workspaces *tenant.Workspaces
	book       *book
	now        func() time.Time
}

// Subscription returns how a workspace pays. It is the zero value for a workspace
// that was never a customer.
func (l *Ledger) Subscription(ctx context.Context, workspaceID string) (Subscription, error) {
	return l.db.subscriptionOf(ctx, workspaceID)
}

// All reads the subscriptions of all workspaces that ever were customers.
func (l *Ledger) All(ctx context.Context) iter.Seq2[Subscription, error] {
	return l.db.Subscriptions.Subscriptions(ctx, l.db.System)
}

// Stale reads the subscriptions of customers whose address Stripe was not told yet.
func (l *Ledger) Stale(ctx context.Context) iter.Seq2[Subscription, error] {
	return l.db.Subscriptions.StaleCustomers(ctx, l.db.System)
}

// Apply stores a subscription as read at Stripe, with its consequences, in one transaction:
// access, plan, what is suspended, the audit log and mails.
//
// Revision is the row's before Stripe was asked. If another writer has stored something since,
// the row may be newer than what was read: that is a Conflict, and the caller reads both
// again. An event that was already applied changes nothing, and returns the zero Applied.
func (l *Ledger) Apply(ctx context.Context, workspaceID string, revision int, billed Billed, trialUsed bool, cause Cause) (Applied, error) {
	var applied Applied
	err := l.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		applied = Applied{}
		if known, err := l.isKnown(ctx, cause); err != nil || known {
			return err
		}
		before, err := l.db.Subscriptions.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		if before.Revision != revision {
			return fault.New(fault.Conflict, "The subscription was changed meanwhile. Try again.")
		}
		after := l.book.read(before, billed, trialUsed)
		if err := l.book.write(ctx, workspace, before, after); err != nil {
			return err
		}
		applied = Applied{Changed: !same(before, after), Unknown: after.Access.Unknown, Before: before, After: after}
		return nil
	})
	if err != nil {
		return Applied{}, err
	}
	return applied, nil
}

// isKnown records a cause's event, and reports whether it was already recorded.
func (l *Ledger) isKnown(ctx context.Context, cause Cause) (bool, error) {
	if cause.EventID == "" {
		return false, nil
	}
	added, err := l.db.Events.AddBillingEvent(ctx, cause.EventID, cause.EventType, l.now())
	return !added, err
}

// SawEvent reports whether an event of Stripe's was recorded.
func (l *Ledger) SawEvent(ctx context.Context, eventID string) (bool, error) {
	return l.db.Events.HasBillingEvent(ctx, eventID)
}

// NoteEvent records an event of Stripe's that concerns no workspace.
func (l *Ledger) NoteEvent(ctx context.Context, eventID, kind string) error {
	return l.db.Tx.InTx(ctx, func(ctx context.Context) error {
		_, err := l.db.Events.AddBillingEvent(ctx, eventID, kind, l.now())
		return err
	})
}

// Unlink makes a workspace forget its customer at Stripe and everything read about it, and
// returns the plan that is then in force: the granted one, or else the free plan. Nothing is
// deleted, and nothing changes at Stripe. The workspace can buy again, as a new customer
// without a second trial. It is a Conflict for a workspace without a customer.
func (l *Ledger) Unlink(ctx context.Context, workspaceID string) (plan.Name, error) {
	inForce := plan.Free
	err := l.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		before, err := l.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		if before.CustomerID == "" {
			return fault.New(fault.Conflict, "This workspace has no customer at Stripe.")
		}
		// A concurrent reader at Stripe must not write it back.
		after := Subscription{WorkspaceID: workspaceID, TrialUsed: before.TrialUsed, Revision: before.Revision + 1, Access: plan.Access{Plan: plan.Free}}
		if err := l.db.Subscriptions.SaveSubscription(ctx, workspaceID, after); err != nil {
			return err
		}
		inForce = plan.Higher(workspace.Granted, plan.Free)
		if inForce != workspace.Plan {
			if err := l.book.putInForce(ctx, workspace, inForce, workspace.Granted); err != nil {
				return err
			}
		}
		detail := "The workspace was unlinked from Stripe's customer " + before.CustomerID + "." + describeMove(workspace.Plan, inForce)
		return l.book.record(ctx, workspaceID, audit.CustomerUnlinked, detail)
	})
	return inForce, err
}

// eventsRemembered is how long applied events are kept. Stripe repeats an event for three days.
const eventsRemembered = 90 * 24 * time.Hour

// DeleteOldEvents deletes events recorded long ago.
func (l *Ledger) DeleteOldEvents(ctx context.Context) error {
	return l.db.Events.DeleteBillingEvents(ctx, l.now().Add(-eventsRemembered))
}
