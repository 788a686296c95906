package subscription

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/plan"
	"parley/core/tenant"
)

// book performs every change of a subscription or a grant: access, the plan in force, what is
// suspended, the audit log and mails.
type book struct {
	db       Database
	holdings *tenant.Holdings
	notices  *Notices
	grace    time.Duration
	now      func() time.Time
}

// read returns a subscription after asking Stripe. The revision counts every read, changed or
// not, so that an older response that arrives later is recognized.
func (b *book) read(before Subscription, billed Billed, trialUsed bool) Subscription {
	after, now := before, b.now()
	after.Billed, after.MissingAt = billed, nil
	if before.UnverifiedUntil != nil {
		// An unknown state keeps the access from before the time when Stripe could not be
		// asked.
		after.UnverifiedUntil, after.Access = nil, plan.Access{Plan: before.Plan}
	}
	after.TrialUsed = before.TrialUsed || trialUsed
	after.Access = b.access(after, now)
	after.Revision++
	after.FetchedAt = &now
	return after
}

// access applies the rule. The last access is the row's.
func (b *book) access(subscription Subscription, now time.Time) plan.Access {
	standing := plan.Standing{
		Status: subscription.Status, Plan: subscription.Plan,
		PastDueSince: subscription.PastDueSince, EndsAt: subscription.EndsAt, UnverifiedUntil: subscription.UnverifiedUntil,
	}
	return standing.Access(subscription.Access, b.grace, now)
}

// write stores a subscription and its consequences.
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

// putInForce writes a workspace's plan and applies its limits.
func (b *book) putInForce(ctx context.Context, workspace tenant.Workspace, inForce, granted plan.Name) error {
	if err := b.keepConversations(ctx, workspace, inForce); err != nil {
		return err
	}
	if err := b.db.Access.SetPlan(ctx, workspace.ID, inForce, granted); err != nil {
		return err
	}
	return b.holdings.SettleFor(ctx, workspace.ID, inForce)
}

// keepConversations ensures that a lower plan deletes nothing: existing conversations are kept
// as long as the current plan keeps them.
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

// record writes a change of a workspace to the audit log.
func (b *book) record(ctx context.Context, workspaceID string, action audit.Action, detail string) error {
	return audit.Record(ctx, b.db.Audit, workspaceID, b.now(), audit.Entry{
		Action: action, Object: audit.Object{Kind: "workspace", ID: workspaceID}, Detail: detail,
	})
}
