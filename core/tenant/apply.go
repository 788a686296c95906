package tenant

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// ApplySubscription writes what was read at Stripe, and all that follows from
// it, in one transaction: access, plan, what rests, the audit log and mails.
//
// Revision is that of the row before Stripe was asked. If another has written
// meanwhile, what was read may be older than the row: that is a Conflict, and
// the caller reads both again. An event whose effect is stored already changes
// nothing, and gives the zero Applied.
func (s *Service) ApplySubscription(ctx context.Context, workspaceID string, revision int, billed Billed, trialUsed bool, cause Cause) (Applied, error) {
	var applied Applied
	err := s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		applied = Applied{}
		if known, err := s.isKnown(ctx, cause); err != nil || known {
			return err
		}
		before, err := s.store.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		if before.Revision != revision {
			return fault.New(fault.Conflict, "The subscription was changed meanwhile. Try again.")
		}
		after := s.read(before, billed, trialUsed)
		if err := s.write(ctx, workspace, before, after); err != nil {
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

// isKnown notes a cause's event, and reports whether it was noted before.
func (s *Service) isKnown(ctx context.Context, cause Cause) (bool, error) {
	if cause.EventID == "" {
		return false, nil
	}
	added, err := s.store.AddBillingEvent(ctx, cause.EventID, cause.EventType, s.now())
	return !added, err
}

// read is a subscription after Stripe was asked. The revision counts what is
// read, changed or not: an older answer that comes later must be told apart.
func (s *Service) read(before Subscription, billed Billed, trialUsed bool) Subscription {
	after, now := before, s.now()
	after.Billed, after.MissingAt = billed, nil
	if before.UnverifiedUntil != nil {
		// A state that the rule does not know keeps the access from before the
		// time when Stripe could not be asked.
		after.UnverifiedUntil, after.Access = nil, plan.Access{Plan: before.Plan}
	}
	after.TrialUsed = before.TrialUsed || trialUsed
	after.Access = s.access(after, now)
	after.Revision++
	after.FetchedAt = &now
	return after
}

// access asks the rule. Its last access is that of the row.
func (s *Service) access(subscription Subscription, now time.Time) plan.Access {
	standing := plan.Standing{
		Status: subscription.Status, Plan: subscription.Plan,
		PastDueSince: subscription.PastDueSince, EndsAt: subscription.EndsAt, UnverifiedUntil: subscription.UnverifiedUntil,
	}
	return standing.Access(subscription.Access, s.options.Grace, now)
}

// write stores a subscription and all that follows from it.
func (s *Service) write(ctx context.Context, workspace Workspace, before, after Subscription) error {
	if err := s.store.SaveSubscription(ctx, workspace.ID, after); err != nil {
		return err
	}
	inForce := plan.Higher(workspace.Granted, after.Access.Plan)
	if inForce != workspace.Plan {
		if err := s.putInForce(ctx, workspace, inForce, workspace.Granted); err != nil {
			return err
		}
	}
	if same(before, after) {
		return nil
	}
	detail := describe(after) + describeMove(workspace.Plan, inForce)
	if err := s.recordChange(ctx, workspace.ID, audit.SubscriptionChanged, detail); err != nil {
		return err
	}
	return s.announce(ctx, workspace, before, after)
}

// putInForce writes a workspace's plan, and settles what it means.
func (s *Service) putInForce(ctx context.Context, workspace Workspace, inForce, granted plan.Name) error {
	if err := s.keepConversations(ctx, workspace, inForce); err != nil {
		return err
	}
	if err := s.store.SetPlan(ctx, workspace.ID, inForce, granted); err != nil {
		return err
	}
	return s.settle(ctx, workspace.ID, inForce)
}

// keepConversations sees to it that a lower plan deletes nothing: what was said
// under the present one is kept as long as that keeps it.
func (s *Service) keepConversations(ctx context.Context, workspace Workspace, next plan.Name) error {
	before, err := s.store.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	after, err := s.store.Plan(ctx, next)
	if err != nil || !after.KeepsLess(before) {
		return err
	}
	return s.store.KeepConversations(ctx, workspace.ID, s.now(), before.Limits.RetentionDays)
}

// SawEvent reports whether an event of Stripe's was noted.
func (s *Service) SawEvent(ctx context.Context, eventID string) (bool, error) {
	return s.store.HasBillingEvent(ctx, eventID)
}

// NoteEvent notes an event of Stripe's that concerns no workspace.
func (s *Service) NoteEvent(ctx context.Context, eventID, kind string) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		_, err := s.store.AddBillingEvent(ctx, eventID, kind, s.now())
		return err
	})
}

// Lapsed returns the workspaces about which Stripe has to be asked now: those
// whose access has ended by itself and which still have it, and those whose
// access was to end because there was no Stripe to ask.
func (s *Service) Lapsed(ctx context.Context) ([]string, error) {
	lapsed, err := s.store.LapsedAccess(ctx, s.now())
	if err != nil {
		return nil, err
	}
	unverified, err := s.store.UnverifiedAccess(ctx)
	if err != nil {
		return nil, err
	}
	for _, workspaceID := range unverified {
		if !slices.Contains(lapsed, workspaceID) {
			lapsed = append(lapsed, workspaceID)
		}
	}
	return lapsed, nil
}

// Lapse ends the access whose time has come, without asking Stripe, and
// returns how many workspaces it changed.
func (s *Service) Lapse(ctx context.Context) (int, error) { return s.LapseBefore(ctx, s.now()) }

// LapseBefore is Lapse for the access whose time had come at a time.
func (s *Service) LapseBefore(ctx context.Context, at time.Time) (int, error) {
	workspaces, err := s.store.LapsedAccess(ctx, at)
	if err != nil {
		return 0, err
	}
	ended, failures := 0, []error(nil)
	for _, workspaceID := range workspaces {
		changed, err := s.lapse(ctx, workspaceID)
		if changed {
			ended++
		}
		// One that fails must not keep the others.
		failures = append(failures, err)
	}
	return ended, errors.Join(failures...)
}

// lapse asks the rule again for one workspace.
func (s *Service) lapse(ctx context.Context, workspaceID string) (changed bool, err error) {
	err = s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		before, err := s.store.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		after := before
		after.Access = s.access(before, s.now())
		changed = !same(before, after)
		if !changed {
			return nil
		}
		return s.write(audit.As(ctx, audit.Time), workspace, before, after)
	})
	return changed && err == nil, err
}
