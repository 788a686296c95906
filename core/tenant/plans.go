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

// PlanStore stores plans.
type PlanStore interface {
	// Plans returns all plans in order, Plan a single one.
	Plans(ctx context.Context) ([]plan.Plan, error)
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
	// UpdatePlan writes a plan's limits and price.
	UpdatePlan(ctx context.Context, p plan.Plan) error
	// SetOnSale writes the price at which a plan is on sale.
	SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error
}

// Plans changes what plans include.
type Plans struct {
	db       Database
	holdings *Holdings
	now      func() time.Time
}

// All returns all plans in order.
func (p *Plans) All(ctx context.Context) ([]plan.Plan, error) { return p.db.Plans.Plans(ctx) }

// Update changes a plan's limits and prices, and settles every workspace that has it. If it
// is interrupted, calling it again continues.
func (p *Plans) Update(ctx context.Context, changed plan.Plan) error {
	stored, err := p.Existing(ctx, changed.Name)
	if err != nil {
		return err
	}
	changed.Title, changed.Rank = stored.Title, stored.Rank
	if err := changed.Check(); err != nil {
		return err
	}
	err = p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := p.db.Plans.UpdatePlan(ctx, changed); err != nil {
			return err
		}
		return audit.Record(ctx, p.db.Audit, "", p.now(), audit.Entry{
			Action: audit.PlanLimitsChanged, Object: audit.Object{Kind: "plan", ID: string(changed.Name), Name: changed.Title},
			Changes: audit.Differences(stored, changed),
		})
	})
	if err != nil {
		return err
	}
	return p.settleAll(ctx, func(name plan.Name) bool { return name == changed.Name })
}

// SetOnSale stores the price at which a plan is on sale, as read at Stripe. See
// [plan.Plan.Offer].
func (p *Plans) SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error {
	stored, err := p.db.Plans.Plan(ctx, name)
	if err != nil || stored.OnSale == price {
		return err
	}
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error { return p.db.Plans.SetOnSale(ctx, name, price) })
}

// Existing returns a plan, or an error that lists the plans.
func (p *Plans) Existing(ctx context.Context, name plan.Name) (plan.Plan, error) {
	found, err := p.db.Plans.Plan(ctx, name)
	if fault.Is(err, fault.NotFound) {
		err = fault.InField("plan", "There is no plan named %q. Choose starter, basic, standard, premium or enterprise.", name)
	}
	return found, err
}

// SettleAll settles every workspace, so that a changed rule, or an expired token, takes effect
// without any activity in the workspace.
func (p *Plans) SettleAll(ctx context.Context) error {
	return p.settleAll(ctx, func(plan.Name) bool { return true })
}

// settleAll settles workspaces one after the other, so that none waits for the others.
// One that fails does not keep the others from it.
func (p *Plans) settleAll(ctx context.Context, wanted func(plan.Name) bool) error {
	plans, err := p.db.Plans.Plans(ctx)
	if err != nil {
		return err
	}
	limits := map[plan.Name]plan.Limits{}
	for _, known := range plans {
		limits[known.Name] = known.Limits
	}
	var failures []error
	for w, err := range p.db.Holdings.Settling(ctx, p.db.System) {
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		if !w.Maybe || !wanted(w.Plan) || !p.holdings.isUnsettled(w, limits[w.Plan]) {
			continue
		}
		err := p.holdings.Settle(ctx, w.WorkspaceID)
		if ctx.Err() != nil {
			return errors.Join(append(failures, context.Cause(ctx))...)
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted meanwhile
			failures = append(failures, fmt.Errorf("workspace %s: %w", w.WorkspaceID, err))
		}
	}
	return errors.Join(failures...)
}
