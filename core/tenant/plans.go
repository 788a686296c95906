package tenant

import (
	"context"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// Plans returns all plans in order.
func (s *Service) Plans(ctx context.Context) ([]plan.Plan, error) { return s.store.Plans(ctx) }

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
	return s.settleAll(ctx, func(w Workspace) bool { return w.Plan == changed.Name })
}

// SetOnSale notes what a plan is sold for, as was read at Stripe. See
// [plan.Plan.Offer].
func (s *Service) SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error {
	stored, err := s.store.Plan(ctx, name)
	if err != nil || stored.OnSale == price {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context) error { return s.store.SetOnSale(ctx, name, price) })
}

// existing returns a plan, or says which there are.
func (s *Service) existing(ctx context.Context, name plan.Name) (plan.Plan, error) {
	p, err := s.store.Plan(ctx, name)
	if fault.Is(err, fault.NotFound) {
		err = fault.InField("plan", "There is no plan %q. Choose starter, basic, standard, premium or enterprise.", name)
	}
	return p, err
}

// SettleAll settles every workspace, so that a rule which has changed, or a token
// which has expired, has its effect without anybody doing something there.
func (s *Service) SettleAll(ctx context.Context) error {
	return s.settleAll(ctx, func(Workspace) bool { return true })
}

// settleAll settles workspaces, one after the other: none waits for the others.
func (s *Service) settleAll(ctx context.Context, wanted func(Workspace) bool) error {
	workspaces, err := s.store.Workspaces(ctx)
	if err != nil {
		return err
	}
	for _, workspace := range workspaces {
		if !wanted(workspace) {
			continue
		}
		err := s.Settle(ctx, workspace.ID)
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted meanwhile
			return err
		}
	}
	return nil
}
