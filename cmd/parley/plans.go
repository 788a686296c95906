package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/api/wire"
	"parley/app"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
)

type planCmd struct {
	Set    planSetCmd    `cmd:"" help:"Grant a workspace a plan, whatever it pays for. A downgrade deletes nothing. starter revokes the grant."`
	List   planListCmd   `cmd:"" help:"List the plans with their limits and prices."`
	Limits planLimitsCmd `cmd:"" help:"Change a plan's limits and prices. Servers follow within seconds; parley billing sync updates the prices at Stripe."`
}

type planSetCmd struct {
	Workspace string `arg:"" help:"Id of the workspace."`
	Plan      string `arg:"" enum:"starter,basic,standard,premium,enterprise" help:"starter, basic, standard, premium or enterprise."`
	Until     string `placeholder:"DATE" help:"Day on which the grant ends at 00:00 UTC, such as 2027-01-31. Default: no end."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run grants the plan. A higher plan from a subscription stays in force, unless Stripe
// is switched off.
func (cmd *planSetCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	grant := subscription.Grant{Plan: plan.Name(cmd.Plan)}
	if cmd.Until != "" {
		until, err := time.Parse(time.DateOnly, cmd.Until)
		if err != nil {
			return fault.InField("until", "--until must be a day such as 2027-01-31.")
		}
		grant.Until = &until
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		if err := p.Tenants.Grants.Grant(ctx, cmd.Workspace, grant); err != nil {
			return err
		}
		workspace, err := p.Tenants.Workspaces.Workspace(ctx, cmd.Workspace)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.WorkspaceToWire(workspace), fmt.Sprintf("%s is on the %s plan.%s", workspace.Name, workspace.Plan, cmd.explain(workspace)))
	})
}

// explain says when the grant ends, and why the workspace may have a higher plan.
func (cmd *planSetCmd) explain(workspace tenant.Workspace) string {
	says := ""
	if workspace.Plan.Above(workspace.Granted) {
		says += " It pays for that plan at Stripe, which is higher than the granted one."
	}
	if workspace.GrantedUntil != nil {
		says += " The grant of the " + cmd.Plan + " plan ends on " + workspace.GrantedUntil.Format(time.DateOnly) + "."
	}
	return says
}

type planListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

var planHead = []string{
	"plan", "chatbots", "members", "tokens", "message", "messages/month", "playground/month",
	"knowledge", "storage", "requests/minute", "answers", "days kept", "audit days", "features", "monthly", "yearly", "currency",
}

func planCells(v wire.Plan) []string {
	return []string{
		v.Name, limitFlag(v.Chatbots).String(), limitFlag(v.Members).String(), limitFlag(v.TokensPerChatbot).String(),
		limitFlag(v.MessageChars).String(), limitFlag(v.MessagesPerMonth).String(), limitFlag(v.Playground).String(), limitFlag(v.KnowledgeChars).String(), limitFlag(v.StoredBytes).String(),
		limitFlag(v.RequestsPerMinute).String(), limitFlag(v.ConcurrentAnswers).String(), limitFlag(v.RetentionDays).String(), limitFlag(v.AuditDays).String(), strings.Join(v.Features, ","),
		priceFlag(v.PriceMonthly).String(), priceFlag(v.PriceYearly).String(), v.Currency,
	}
}

// Run lists the plans.
func (cmd *planListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		plans, err := p.Tenants.Plans.All(ctx)
		if err != nil {
			return err
		}
		views := wire.MapSlice(plans, wire.PlanToWire)
		return showTable(io.out, cmd.JSON, views, planHead, wire.MapSlice(views, planCells))
	})
}
