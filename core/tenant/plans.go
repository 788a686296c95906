package tenant

import (
	"context"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// Plans returns all plans in order.
func (s *Service) Plans(ctx context.Context) ([]plan.Plan, error) { return s.store.Plans(ctx) }

// SetPlan gives a workspace a plan by hand. In force is the higher of it and
// what the subscription gives; to give the free plan is to give none. Nothing
// is deleted by a downgrade.
func (s *Service) SetPlan(ctx context.Context, workspaceID string, name plan.Name) error {
	if _, err := s.existing(ctx, name); err != nil {
		return err
	}
	return s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		subscription, err := s.Subscription(ctx, workspaceID)
		if err != nil {
			return err
		}
		inForce := plan.Higher(name, subscription.Access.Plan)
		if inForce == workspace.Plan && name == workspace.Granted {
			return nil
		}
		if err := s.putInForce(ctx, workspace, inForce, name); err != nil {
			return err
		}
		detail := "The plan that was given by hand is " + name.Title() + "." + describeMove(workspace.Plan, inForce)
		return s.recordChange(ctx, workspaceID, audit.PlanChanged, detail)
	})
}

// UpdatePlan gives a plan other limits and prices, and settles every workspace
// that has it. If that is interrupted, the same again goes on with it.
func (s *Service) UpdatePlan(ctx context.Context, changed plan.Plan) error {
	stored, err := s.existing(ctx, changed.Name)
	if err != nil {
		return err
	}
	changed.Title, changed.Rank = stored.Title, stored.Rank
	if err := changed.Check(); err != nil {
		return err
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.UpdatePlan(ctx, changed); err != nil {
			return err
		}
		return s.record(ctx, "", audit.Entry{
			Action: audit.PlanLimitsChanged, Object: audit.Object{Kind: "plan", ID: string(changed.Name), Name: changed.Title},
			Changes: audit.Differences(stored, changed),
		})
	})
	if err != nil {
		return err
	}
	return s.settleAll(ctx, changed.Name)
}

// existing returns a plan, or says which there are.
func (s *Service) existing(ctx context.Context, name plan.Name) (plan.Plan, error) {
	p, err := s.store.Plan(ctx, name)
	if fault.Is(err, fault.NotFound) {
		err = fault.InField("plan", "There is no plan %q. Choose starter, basic, standard, premium or enterprise.", name)
	}
	return p, err
}

// settleAll settles the workspaces of a plan, one after the other: none waits
// for the others.
func (s *Service) settleAll(ctx context.Context, name plan.Name) error {
	workspaces, err := s.store.Workspaces(ctx)
	if err != nil {
		return err
	}
	for _, workspace := range workspaces {
		if workspace.Plan != name {
			continue
		}
		err := s.Settle(ctx, workspace.ID)
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted meanwhile
			return err
		}
	}
	return nil
}
