package tenant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// Grant is a plan that is given by hand, whatever is paid for.
type Grant struct {
	Plan plan.Name
	// Until is when it ends, nil if it does not.
	Until *time.Time
}

// grantedAt is the plan that will have been given by hand at a time.
func (w Workspace) grantedAt(at time.Time) plan.Name {
	if w.GrantedUntil != nil && !at.Before(*w.GrantedUntil) {
		return plan.Free
	}
	return w.Granted
}

// SetPlan is [Service.GrantPlan] for a grant without an end.
func (s *Service) SetPlan(ctx context.Context, workspaceID string, name plan.Name) error {
	return s.GrantPlan(ctx, workspaceID, Grant{Plan: name})
}

// GrantPlan gives a workspace a plan by hand. In force is the higher of it and
// what the subscription gives; to grant the free plan is to take the grant
// back. Where Stripe is switched off, a subscription to a higher plan ends
// here: nobody can verify it. Nothing is deleted by a downgrade. It is Invalid
// for a plan that does not exist and for an end that has passed.
func (s *Service) GrantPlan(ctx context.Context, workspaceID string, grant Grant) error {
	if _, err := s.existing(ctx, grant.Plan); err != nil {
		return err
	}
	if err := grant.check(s.now()); err != nil {
		return err
	}
	return s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		subscription, err := s.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		ended, err := s.endUnverifiable(ctx, subscription, grant.Plan)
		if err != nil {
			return err
		}
		return s.grant(ctx, workspace, ended.Access.Plan, grant)
	})
}

func (g Grant) check(now time.Time) error {
	switch {
	case g.Until == nil:
		return nil
	case g.Plan == plan.Free:
		return fault.InField("until", "The %s plan is what remains without a grant, and has no end.", g.Plan.Title())
	case !g.Until.After(now):
		return fault.InField("until", "The grant must end after today.")
	}
	return nil
}

// endUnverifiable ends access above a plan, if no Stripe can be asked about it.
// A Stripe that is switched on again restores it.
func (s *Service) endUnverifiable(ctx context.Context, subscription Subscription, wanted plan.Name) (Subscription, error) {
	if !s.options.StripeOff || !subscription.Access.Plan.Above(wanted) {
		return subscription, nil
	}
	now := s.now()
	subscription.UnverifiedUntil = &now
	subscription.Access = s.access(subscription, now)
	return subscription, s.store.SaveSubscription(ctx, subscription.WorkspaceID, subscription)
}

// grant writes a grant beside a plan that is paid for.
func (s *Service) grant(ctx context.Context, workspace Workspace, paid plan.Name, grant Grant) error {
	inForce := plan.Higher(plan.Higher(grant.Plan, paid), plan.Free)
	sameEnd := sameTime(grant.Until, workspace.GrantedUntil)
	if inForce == workspace.Plan && grant.Plan == workspace.Granted && sameEnd {
		return nil
	}
	if err := s.putInForce(ctx, workspace, inForce, grant.Plan); err != nil {
		return err
	}
	if !sameEnd {
		if err := s.store.SetGrantEnd(ctx, workspace.ID, grant.Until); err != nil {
			return err
		}
	}
	detail := "Plan granted: " + grant.Plan.Title()
	if grant.Until != nil {
		detail += ", until " + date(*grant.Until)
	}
	return s.recordChange(ctx, workspace.ID, audit.PlanChanged, detail+"."+describeMove(workspace.Plan, inForce))
}

// EndGrants takes back the grants whose end has come, and returns how many. A
// workspace falls back to what it pays for, else to the free plan.
func (s *Service) EndGrants(ctx context.Context) (int, error) {
	workspaces, err := s.store.EndedGrants(ctx, s.now())
	if err != nil {
		return 0, err
	}
	count, failures := 0, []error(nil)
	for _, workspaceID := range workspaces {
		ended, err := s.endGrant(ctx, workspaceID)
		if ended {
			count++
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted meanwhile
			failures = append(failures, fmt.Errorf("workspace %s: %w", workspaceID, err))
		}
	}
	return count, errors.Join(failures...)
}

func (s *Service) endGrant(ctx context.Context, workspaceID string) (ended bool, err error) {
	err = s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		ended = workspace.GrantedUntil != nil && !s.now().Before(*workspace.GrantedUntil)
		if !ended { // the operator has given it another end meanwhile
			return nil
		}
		subscription, err := s.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		return s.grant(audit.As(ctx, audit.Time), workspace, subscription.Access.Plan, Grant{Plan: plan.Free})
	})
	return ended && err == nil, err
}
