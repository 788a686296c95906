package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/core/fault"
)

// diagnoseStripe checks the key, its rights, the customers and the webhook.
// Without a key, it looks for plans that were paid for earlier.
func (p *Program) diagnoseStripe(ctx context.Context) []Diagnosis {
	if p.Billing == nil {
		return p.diagnoseUnverified(ctx)
	}
	found := []Diagnosis{p.diagnoseStripeKey(ctx)}
	if found[0].OK {
		found = append(found, p.diagnoseCustomers(ctx), diagnosed("prices", p.checkPrices(ctx), "Stripe sells the plans at their prices",
			"Run parley billing sync. Until then people see and pay the prices at Stripe."))
	}
	return append(found, p.diagnoseWebhook(ctx))
}

func (p *Program) diagnoseStripeKey(ctx context.Context) Diagnosis {
	lacking, err := p.Billing.Setup.Check(ctx)
	if err != nil {
		return Diagnosis{Part: "stripe", Detail: Sentence(err), Remedy: "Check STRIPE_SECRET_KEY. Without it the operator changes plans by hand."}
	}
	if len(lacking) > 0 {
		var names []string
		for _, right := range lacking {
			names = append(names, right.Resource+" ("+right.Level+")")
		}
		return Diagnosis{Part: "stripe", Detail: "the key lacks these rights: " + strings.Join(names, ", "), Remedy: "Give the restricted key these rights at Stripe, under Developers, API keys."}
	}
	here, err := p.Billing.Account(ctx)
	if err != nil {
		return Diagnosis{Part: "stripe", Detail: Sentence(err), Remedy: "Check STRIPE_SECRET_KEY. Without it the operator changes plans by hand."}
	}
	detail := "the key works and has all rights: account " + here.ID
	if here.Mode != "" {
		detail += fmt.Sprintf(", %s mode", here.Mode)
	}
	return Diagnosis{Part: "stripe", OK: true, Detail: detail}
}

func (p *Program) diagnoseCustomers(ctx context.Context) Diagnosis {
	strays, err := p.Billing.Strays(ctx)
	if err != nil {
		return Diagnosis{Part: "customers", Detail: Sentence(err), Remedy: "Try again in a minute."}
	}
	if says := strays.Sentences(); len(says) > 0 {
		return Diagnosis{
			Part: "customers", Detail: strings.Join(says, " "),
			Remedy: "If STRIPE_SECRET_KEY is the key of the wrong account or mode, set the right one. Otherwise parley billing unlink lets these workspaces buy again.",
		}
	}
	return Diagnosis{Part: "customers", OK: true, Detail: "all customers belong to this account and mode"}
}

const webhookRemedy = "Run parley billing webhook. It prints the value for STRIPE_WEBHOOK_SECRET."

// diagnoseWebhook compares the endpoint at Stripe with the server's needs. It does not
// check a server without BASE_URL, which is only being tried out.
func (p *Program) diagnoseWebhook(ctx context.Context) Diagnosis {
	if err := p.Config.CheckServing(); err != nil {
		return Diagnosis{Part: "webhook", Detail: Sentence(err), Remedy: webhookRemedy}
	}
	if p.Config.BaseURL == "" {
		return Diagnosis{Part: "webhook", OK: true, Detail: "there is a secret; Parley does not check the endpoint at Stripe, because BASE_URL is not set"}
	}
	return diagnosed("webhook", p.Billing.Setup.CheckEndpoint(ctx, p.Config.WebhookURL()), "Stripe sends what is needed to "+p.Config.WebhookURL(), webhookRemedy)
}

func (p *Program) diagnoseUnverified(ctx context.Context) []Diagnosis {
	found, err := p.Tenants.Lapses.Unverified(ctx)
	if err != nil || found.Workspaces == 0 {
		return nil // the database has its own line
	}
	return []Diagnosis{{
		Part:   "stripe",
		Detail: fmt.Sprintf("%d workspaces have plans that were paid for at Stripe, which is switched off here; the first of them ends on %s", found.Workspaces, found.Until.Format(time.DateOnly)),
		Remedy: "Set STRIPE_SECRET_KEY again, or lower the plans with parley plan set.",
	}}
}

// checkPrices returns an error if the prices at Stripe differ from the plans.
func (p *Program) checkPrices(ctx context.Context) error {
	plans, err := p.Tenants.Plans.All(ctx)
	if err != nil {
		return err
	}
	differences, err := p.Billing.Setup.Sync(ctx, plans, true)
	if err != nil || len(differences) == 0 {
		return err
	}
	first := differences[0]
	return fault.New(fault.Conflict, "Stripe differs from the plans: %s %s, and %d more.", first.Verb, first.What, len(differences)-1)
}
