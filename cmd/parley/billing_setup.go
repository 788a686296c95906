package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"parley/core/fault"
	"parley/core/plan"
	"parley/internal/app"
)

type billingWebhookCmd struct {
	Rotate bool `help:"Make a new endpoint with a new secret, in place of the one that is there."`
	JSON   bool `name:"json" help:"Print JSON."`
}

// Run makes the endpoint, or brings it to what is needed.
func (cmd *billingWebhookCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if config.BaseURL == "" {
		return fault.New(fault.Invalid, "Set BASE_URL to the address under which Stripe reaches this server, such as https://parley.example.com.")
	}
	return withBilling(ctx, config, func(p *app.Program) error {
		made, err := p.Billing.SaveEndpoint(ctx, config.WebhookURL(), cmd.Rotate)
		if made.Secret == "" && err != nil {
			return err
		}
		shown := show1(io.out, cmd.JSON, map[string]any{"id": made.ID, "url": config.WebhookURL(), "changed": made.Changed, "secret": made.Secret},
			webhookSays(made.Changed, made.ID, config.WebhookURL(), made.Secret))
		if err != nil { // the secret of the new endpoint is told once, whatever became of the old one
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
		return fmt.Sprintf("The webhook endpoint %s for %s is as it should be. Stripe shows its secret, and --rotate makes a new one.", id, address)
	}
	return fmt.Sprintf("The webhook endpoint %s for %s was %s. Its secret stays the same.", id, address, changed)
}

type billingUnlinkCmd struct {
	Workspace string `arg:"" help:"Id of the workspace."`
	Yes       bool   `help:"Do it without asking."`
	JSON      bool   `name:"json" help:"Print JSON. Needs --yes."`
}

// Run says what happens to the plan, asks, and unlinks.
func (cmd *billingUnlinkCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if cmd.JSON && !cmd.Yes {
		return fault.New(fault.Invalid, "--json needs --yes: a question is no JSON.")
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
			fmt.Fprintf(io.out, "%s is Stripe's customer %s, and on the %s plan. Without the customer it is on the %s plan. "+
				"Nothing is deleted, and nothing is canceled at Stripe. It can buy a plan again, without a trial if it had one.\nType yes to go on: ",
				workspace.Name, known.CustomerID, workspace.Plan, then)
			if !saysYes(io) {
				return fault.New(fault.Invalid, "Nothing was changed. Type yes, or give --yes.")
			}
		}
		inForce, err := p.Tenants.Ledger.Unlink(ctx, cmd.Workspace)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, map[string]any{"workspace": workspace.ID, "customer": known.CustomerID, "plan_before": workspace.Plan, "plan": inForce},
			fmt.Sprintf("%s has no customer at Stripe any more. It was on the %s plan and is on the %s plan.", workspace.Name, workspace.Plan, inForce))
	})
}

// saysYes reads a line.
func saysYes(io streams) bool {
	line, _ := bufio.NewReader(io.in).ReadString('\n')
	return strings.TrimSpace(line) == "yes"
}

// orEmpty is a list that JSON shows as one, even without items.
func orEmpty(ids []string) []string { return append([]string{}, ids...) }
