package subscription

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/plan"
	"parley/core/tenant"
)

// book is what every change of a subscription or a grant goes through: access,
// the plan in force, what is suspended, the audit log and mails.
type book struct {
	db       Database
	holdings *tenant.Holdings
	notices  *Notices
	grace    time.Duration
	now      func() time.Time
}

// read is a subscription after Stripe was asked. The revision counts what is
// read, changed or not: an older answer that comes later must be told apart.
func (b *book) read(before Subscription, billed Billed, trialUsed bool) Subscription {
	after, now := before, b.now()
	after.Billed, after.MissingAt = billed, nil
	if before.UnverifiedUntil != nil {
		// A state that the rule does not know keeps the access from before the
		// time when Stripe could not be asked.
		after.UnverifiedUntil, after.Access = nil, plan.Access{Plan: before.Plan}
	}
	after.TrialUsed = before.TrialUsed || trialUsed
	after.Access = b.access(after, now)
	after.Revision++
	after.FetchedAt = &now
	return after
}

// access asks the rule. Its last access is that of the row.
func (b *book) access(subscription Subscription, now time.Time) plan.Access {
	standing := plan.Standing{
		Status: subscription.Status, Plan: subscription.Plan,
		PastDueSince: subscription.PastDueSince, EndsAt: subscription.EndsAt, UnverifiedUntil: subscription.UnverifiedUntil,
	}
	return standing.Access(subscription.Access, b.grace, now)
}

// write stores a subscription and all that follows from it.
func (b *book) write(ctx context.Context, workspace tenant.Workspace, before, after Subscription) error {
	if err := b.db.Subscriptions.SaveSubscription(ctx, workspace.ID, after); err != nil {
		return err
	}
	inForce := plan.Higher(workspace.Granted, after.Access.Plan)
	if inForce != workspace.Plan {
		if err := b.putInForce(ctx, workspace, inForce, workspace.Granted); err != nil {
			return err
		}
	}
	if same(before, after) {
		return nil
	}
	detail := describe(after) + describeMove(workspace.Plan, inForce)
	if err := b.record(ctx, workspace.ID, audit.SubscriptionChanged, detail); err != nil {
		return err
	}
	return b.notices.announce(ctx, workspace, before, after)
}

// putInForce writes a workspace's plan, and settles what it means.
func (b *book) putInForce(ctx context.Context, workspace tenant.Workspace, inForce, granted plan.Name) error {
	if err := b.keepConversations(ctx, workspace, inForce); err != nil {
		return err
	}
	if err := b.db.Access.SetPlan(ctx, workspace.ID, inForce, granted); err != nil {
		return err
	}
	return b.holdings.SettleFor(ctx, workspace.ID, inForce)
}

// keepConversations sees to it that a lower plan deletes nothing: what was said
// under the present one is kept as long as that keeps it.
func (b *book) keepConversations(ctx context.Context, workspace tenant.Workspace, next plan.Name) error {
	before, err := b.db.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	after, err := b.db.Plans.Plan(ctx, next)
	if err != nil || !after.KeepsLess(before) {
		return err
	}
	return b.db.Access.KeepConversations(ctx, workspace.ID, b.now(), before.Limits.RetentionDays)
}

// record writes what has changed for a workspace into the audit log.
func (b *book) record(ctx context.Context, workspaceID string, action audit.Action, detail string) error {
	return audit.Record(ctx, b.db.Audit, workspaceID, b.now(), audit.Entry{
		Action: action, Object: audit.Object{Kind: "workspace", ID: workspaceID}, Detail: detail,
	})
}
