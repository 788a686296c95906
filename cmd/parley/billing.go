package main

import (
	"context"
	"fmt"
	"strings"

	"parley/api/wire"
	"parley/app"
	"parley/billing/setup"
	"parley/core/fault"
)

type billingCmd struct {
	Sync      billingSyncCmd      `cmd:"" help:"Create or update products, prices and the customer portal at Stripe to match the plans. Prints the differences first."`
	Webhook   billingWebhookCmd   `cmd:"" help:"Create the webhook endpoint at Stripe, or correct its events. Prints the secret of a new endpoint once."`
	Unlink    billingUnlinkCmd    `cmd:"" help:"Detach a workspace from its customer at Stripe so that it can buy again."`
	Reconcile billingReconcileCmd `cmd:"" help:"Handle events that Stripe could not deliver, and compare all subscriptions with Stripe. The server does the first every hour and the second every night."`
}

type billingSyncCmd struct {
	DryRun bool `help:"Only print the differences."`
	JSON   bool `name:"json" help:"Print JSON."`
}

type changeView struct {
	Verb   string `json:"verb"`
	What   string `json:"what"`
	Detail string `json:"detail"`
}

func viewChange(c setup.Change) changeView { return changeView{c.Verb, c.What, c.Detail} }

// Run prints the differences and applies them.
func (cmd *billingSyncCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withBilling(ctx, config, func(p *app.Program) error {
		plans, err := p.Tenants.Plans.All(ctx)
		if err != nil {
			return err
		}
		differences, err := p.Billing.Setup.Sync(ctx, plans, true)
		if err != nil {
			return err
		}
		if len(differences) == 0 && !cmd.DryRun { // an earlier run may have stopped before it stored the prices
			if err := p.Billing.Setup.RefreshPrices(ctx, plans); err != nil {
				return err
			}
		}
		if len(differences) == 0 && !cmd.JSON {
			_, err := fmt.Fprintln(io.out, "Stripe matches the plans.")
			return err
		}
		err = showTable(io.out, cmd.JSON, wire.MapSlice(differences, viewChange), []string{"change", "what", "detail"},
			wire.MapSlice(differences, func(c setup.Change) []string { return []string{c.Verb, c.What, c.Detail} }))
		if err != nil || cmd.DryRun || len(differences) == 0 {
			return err
		}
		if _, err := p.Billing.Setup.Sync(ctx, plans, false); err != nil {
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
func (cmd *billingReconcileCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withBilling(ctx, config, func(p *app.Program) error {
		handled, err := p.Billing.CatchUp(ctx)
		if err != nil {
			return err
		}
		corrected, err := p.Billing.Reconcile(ctx)
		if err != nil {
			return err
		}
		strays, err := p.Billing.Strays(ctx)
		if err != nil {
			return err
		}
		says := append([]string{fmt.Sprintf("Missed events handled: %d. Subscriptions corrected: %d.", handled, corrected)}, strays.Sentences()...)
		return show1(io.out, cmd.JSON, map[string]any{
			"events": handled, "corrected": corrected, "missing": orEmpty(strays.Missing), "elsewhere": orEmpty(strays.Elsewhere),
		}, strings.Join(says, "\n"))
	})
}

// withBilling is withProgram for commands that need Stripe.
func withBilling(ctx context.Context, config *app.Config, do func(*app.Program) error) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		if p.Billing == nil {
			return fault.New(fault.Invalid, "Stripe is not set up. Set STRIPE_SECRET_KEY.")
		}
		return do(p)
	})
}
