package subscription

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// Grant is a plan that the operator grants, whatever is paid for.
type Grant struct {
	Plan plan.Name
	// Until is when it ends, nil if it does not.
	Until *time.Time
}

// grantedAt returns the plan that a workspace will have been granted at a time.
func grantedAt(w tenant.Workspace, at time.Time) plan.Name {
	if w.GrantedUntil != nil && !at.Before(*w.GrantedUntil) {
		return plan.Free
	}
	return w.Granted
}

// Grants grants plans.
type Grants struct {
	db         Database
	workspaces *tenant.Workspaces
	plans      *tenant.Plans
	book       *book
	stripeOff  bool
	now        func() time.Time
}

// SetPlan is [Grants.Grant] for a grant without an end.
func (g *Grants) SetPlan(ctx context.Context, workspaceID string, name plan.Name) error {
	return g.Grant(ctx, workspaceID, Grant{Plan: name})
}

// Grant grants a workspace a plan. The higher of it and the subscription's plan is in
// force; granting the free plan revokes the grant. If Stripe is switched off, a subscription
// to a higher plan ends, because nobody can verify it. A downgrade deletes nothing. Grant
// is Invalid for an unknown plan and for an end in the past.
func (g *Grants) Grant(ctx context.Context, workspaceID string, grant Grant) error {
	if _, err := g.plans.Existing(ctx, grant.Plan); err != nil {
		return err
	}
	if err := grant.check(g.now()); err != nil {
		return err
	}
	return g.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		subscription, err := g.db.subscriptionOf(ctx, workspaceID)
		if err != nil {
			return err
		}
		ended, err := g.endUnverifiable(ctx, subscription, grant.Plan)
		if err != nil {
			return err
		}
		return g.grant(ctx, workspace, ended.Access.Plan, grant)
	})
}

func (grant Grant) check(now time.Time) error {
	switch {
	case grant.Until == nil:
		return nil
	case grant.Plan == plan.Free:
		return fault.InField("until", "Every workspace without a grant has the %s plan, so it cannot have an end.", grant.Plan.Title())
	case !grant.Until.After(now):
		return fault.InField("until", "The grant must end after today.")
	}
	return nil
}

// endUnverifiable ends access above a plan if there is no Stripe to ask. If Stripe is switched
// on again, it restores the access.
func (g *Grants) endUnverifiable(ctx context.Context, subscription Subscription, wanted plan.Name) (Subscription, error) {
	if !g.stripeOff || !subscription.Access.Plan.Above(wanted) {
		return subscription, nil
	}
	now := g.now()
	subscription.UnverifiedUntil = &now
	subscription.Access = g.book.access(subscription, now)
	return subscription, g.db.Subscriptions.SaveSubscription(ctx, subscription.WorkspaceID, subscription)
}

// grant writes a grant next to a paid plan.
func (g *Grants) grant(ctx context.Context, workspace tenant.Workspace, paid plan.Name, grant Grant) error {
	inForce := plan.Higher(plan.Higher(grant.Plan, paid), plan.Free)
	sameEnd := sameTime(grant.Until, workspace.GrantedUntil)
	if inForce == workspace.Plan && grant.Plan == workspace.Granted && sameEnd {
		return nil
	}
	if err := g.book.putInForce(ctx, workspace, inForce, grant.Plan); err != nil {
		return err
	}
	if !sameEnd {
		if err := g.db.Access.SetGrantEnd(ctx, workspace.ID, grant.Until); err != nil {
			return err
		}
	}
	detail := "Plan granted: " + grant.Plan.Title()
	if grant.Until != nil {
		detail += ", until " + date(*grant.Until)
	}
	return g.book.record(ctx, workspace.ID, audit.PlanChanged, detail+"."+describeMove(workspace.Plan, inForce))
}

// EndDue revokes the grants that have ended, and returns how many. A workspace falls back to
// the plan it pays for, or else to the free plan.
func (g *Grants) EndDue(ctx context.Context) (int, error) {
	count, failures := 0, []error(nil)
	for workspaceID, err := range g.db.Access.EndedGrants(ctx, g.db.System, g.now()) {
		if err != nil {
			return count, errors.Join(append(failures, err)...)
		}
		ended, err := g.end(ctx, workspaceID)
		if ended {
			count++
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted meanwhile
			failures = append(failures, fmt.Errorf("workspace %s: %w", workspaceID, err))
		}
	}
	return count, errors.Join(failures...)
}

func (g *Grants) end(ctx context.Context, workspaceID string) (ended bool, err error) {
	err = g.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		ended = workspace.GrantedUntil != nil && !g.now().Before(*workspace.GrantedUntil)
		if !ended { // the operator has changed the end meanwhile
			return nil
		}
		subscription, err := g.db.subscriptionOf(ctx, workspaceID)
		if err != nil {
			return err
		}
		return g.grant(audit.As(ctx, audit.Time), workspace, subscription.Access.Plan, Grant{Plan: plan.Free})
	})
	return ended && err == nil, err
}
