package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"parley/app"
	"parley/core/fault"
	"parley/core/plan"
)

type billingWebhookCmd struct {
	Rotate bool `help:"Replace the endpoint with a new one that has a new secret."`
	JSON   bool `name:"json" help:"Print JSON."`
}

// Run creates the endpoint, or updates it.
func (cmd *billingWebhookCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if config.BaseURL == "" {
		return fault.New(fault.Invalid, "Set BASE_URL to the address under which Stripe reaches this server, such as https://parley.example.com.")
	}
	return withBilling(ctx, config, func(p *app.Program) error {
		made, err := p.Billing.Setup.SaveEndpoint(ctx, config.WebhookURL(), cmd.Rotate)
		if made.Secret == "" && err != nil {
			return err
		}
		shown := show1(io.out, cmd.JSON, map[string]any{"id": made.ID, "url": config.WebhookURL(), "changed": made.Changed, "secret": made.Secret},
			webhookSays(made.Changed, made.ID, config.WebhookURL(), made.Secret))
		if err != nil { // show the new endpoint's secret, which exists only now, even if deleting the old one failed
			return err
		}
		return shown
	})
}

func webhookSays(changed, id, address, secret string) string {
	if secret != "" {
		return fmt.Sprintf("The webhook endpoint %s for %s was %s. Its secret is shown only now. Set it and start the servers again:\n\nSTRIPE_WEBHOOK_SECRET=%s", id, address, changed, secret)
	}
	if changed == "" {
		return fmt.Sprintf("The webhook endpoint %s for %s is up to date. Stripe's dashboard shows its secret; --rotate creates a new one.", id, address)
	}
	return fmt.Sprintf("The webhook endpoint %s for %s was %s. Its secret stays the same.", id, address, changed)
}

type billingUnlinkCmd struct {
	Workspace string `arg:"" help:"Id of the workspace."`
	Yes       bool   `help:"Do not ask for confirmation."`
	JSON      bool   `name:"json" help:"Print JSON. Requires --yes."`
}

// Run says what will happen to the plan, asks for confirmation, and unlinks.
func (cmd *billingUnlinkCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if cmd.JSON && !cmd.Yes {
		return fault.New(fault.Invalid, "--json requires --yes, because a question is not JSON.")
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		workspace, err := p.Tenants.Workspaces.Workspace(ctx, cmd.Workspace)
		if err != nil {
			return err
		}
		known, err := p.Tenants.Ledger.Subscription(ctx, cmd.Workspace)
		if err != nil {
			return err
		}
		if known.CustomerID == "" {
			return fault.New(fault.Conflict, "This workspace has no customer at Stripe.")
		}
		if p.Billing != nil {
			if err := p.Billing.MayUnlink(ctx, cmd.Workspace); err != nil {
				return err
			}
		}
		if !cmd.Yes {
			then := plan.Higher(workspace.Granted, plan.Free)
			fmt.Fprintf(io.out, "%s is customer %s at Stripe and has the %s plan. Without the customer it will have the %s plan. "+
				"Nothing is deleted, and nothing is canceled at Stripe. It can buy a plan again, but gets no second trial.\nType yes to continue: ",
				workspace.Name, known.CustomerID, workspace.Plan, then)
			if !saysYes(io) {
				return fault.New(fault.Invalid, "Nothing was changed. To unlink the workspace, type yes, or run this with --yes.")
			}
		}
		inForce, err := p.Tenants.Ledger.Unlink(ctx, cmd.Workspace)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, map[string]any{"workspace": workspace.ID, "customer": known.CustomerID, "plan_before": workspace.Plan, "plan": inForce},
			fmt.Sprintf("%s no longer has a customer at Stripe. It had the %s plan and now has the %s plan.", workspace.Name, workspace.Plan, inForce))
	})
}

// saysYes reads a line and reports whether it is yes.
func saysYes(io streams) bool {
	line, _ := bufio.NewReader(io.in).ReadString('\n')
	return strings.TrimSpace(line) == "yes"
}

// orEmpty turns a nil list into an empty one for JSON.
func orEmpty(ids []string) []string { return append([]string{}, ids...) }
