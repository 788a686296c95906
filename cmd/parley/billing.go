package main

import (
	"context"
	"fmt"
	"time"

	"parley/billing"
	"parley/core/fault"
	"parley/core/tenant"
)

type billingCmd struct {
	Sync      billingSyncCmd      `cmd:"" help:"Create or update products, prices and the customer portal at Stripe from the plans. Prints what differs first."`
	Reconcile billingReconcileCmd `cmd:"" help:"Handle the events that Stripe could not deliver, and compare all subscriptions with it, as the server does every hour and every night."`
}

type billingSyncCmd struct {
	DryRun bool `help:"Only print what differs."`
	JSON   bool `name:"json" help:"Print JSON."`
}

type changeView struct {
	Verb   string `json:"verb"`
	What   string `json:"what"`
	Detail string `json:"detail"`
}

func viewChange(c billing.Change) changeView { return changeView{c.Verb, c.What, c.Detail} }

// Run prints what differs, and makes it so.
func (cmd *billingSyncCmd) Run(ctx context.Context, config *Config, io streams) error {
	return withBilling(ctx, config, func(p *program) error {
		plans, err := p.tenants.Plans(ctx)
		if err != nil {
			return err
		}
		differences, err := p.billing.Sync(ctx, plans, true)
		if err != nil {
			return err
		}
		if len(differences) == 0 && !cmd.JSON {
			_, err := fmt.Fprintln(io.out, "Stripe has what the plans say.")
			return err
		}
		err = showTable(io.out, cmd.JSON, each(differences, viewChange), []string{"change", "what", "detail"},
			func(c changeView) []string { return []string{c.Verb, c.What, c.Detail} })
		if err != nil || cmd.DryRun || len(differences) == 0 {
			return err
		}
		if _, err := p.billing.Sync(ctx, plans, false); err != nil {
			return err
		}
		if cmd.JSON {
			return nil
		}
		_, err = fmt.Fprintln(io.out, "Done.")
		return err
	})
}

type billingReconcileCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run catches up, compares and corrects.
func (cmd *billingReconcileCmd) Run(ctx context.Context, config *Config, io streams) error {
	return withBilling(ctx, config, func(p *program) error {
		handled, err := p.billing.CatchUp(ctx)
		if err != nil {
			return err
		}
		corrected, err := p.billing.Reconcile(ctx)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, map[string]any{"events": handled, "corrected": corrected},
			fmt.Sprintf("Events that had not arrived: %d. Subscriptions corrected: %d.", handled, corrected))
	})
}

// withBilling is withProgram for what needs Stripe.
func withBilling(ctx context.Context, config *Config, do func(*program) error) error {
	return withProgram(ctx, config, func(p *program) error {
		if p.billing == nil {
			return fault.New(fault.Invalid, "There is no Stripe. Set STRIPE_SECRET_KEY.")
		}
		return do(p)
	})
}

type auditCmd struct {
	Workspace string `required:"" placeholder:"ID" help:"Id of the workspace."`
	Limit     int    `default:"100" help:"The most entries to print, the latest first."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type auditView struct {
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"`
	Action string    `json:"action"`
	Detail string    `json:"detail"`
}

func viewAudit(e tenant.AuditEntry) auditView { return auditView{e.At, e.Actor, e.Action, e.Detail} }

// maxAudit bounds what one command reads.
const maxAudit = 10_000

// Run prints what was done to a workspace.
func (cmd *auditCmd) Run(ctx context.Context, config *Config, io streams) error {
	return withProgram(ctx, config, func(p *program) error {
		if cmd.Limit < 1 || cmd.Limit > maxAudit {
			return fault.New(fault.Invalid, "--limit must be from 1 to %d.", maxAudit)
		}
		if _, err := p.tenants.Workspace(ctx, cmd.Workspace); err != nil {
			return err
		}
		entries, err := p.tenants.Audit(ctx, cmd.Workspace, cmd.Limit)
		if err != nil {
			return err
		}
		return showTable(io.out, cmd.JSON, each(entries, viewAudit), []string{"at", "who", "what", "detail"},
			func(e auditView) []string { return []string{e.At.Format(time.RFC3339), e.Actor, e.Action, e.Detail} })
	})
}
