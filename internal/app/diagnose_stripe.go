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
func diagnoseStripe(ctx context.Context, p *Program) []Diagnosis {
	if p.Billing == nil {
		return diagnoseUnverified(ctx, p)
	}
	found := []Diagnosis{diagnoseKey(ctx, p)}
	if found[0].OK {
		found = append(found, diagnoseCustomers(ctx, p), diagnosed("prices", pricesDiffer(ctx, p), "Stripe sells what the plans say",
			"Run parley billing sync. Until then people are shown, and pay, what Stripe sells."))
	}
	return append(found, diagnoseWebhook(ctx, p))
}

func diagnoseKey(ctx context.Context, p *Program) Diagnosis {
	lacking, err := p.Billing.Check(ctx)
	if err != nil {
		return Diagnosis{"stripe", false, Sentence(err), "Check STRIPE_SECRET_KEY. Without it plans are changed by hand."}
	}
	if len(lacking) > 0 {
		var names []string
		for _, right := range lacking {
			names = append(names, right.Resource+" ("+right.Level+")")
		}
		return Diagnosis{"stripe", false, "the key lacks these rights: " + strings.Join(names, ", "), "Give the restricted key these rights at Stripe, under Developers, API keys."}
	}
	here, err := p.Billing.Account(ctx)
	if err != nil {
		return Diagnosis{"stripe", false, Sentence(err), "Check STRIPE_SECRET_KEY. Without it plans are changed by hand."}
	}
	detail := "the key is taken and has all rights: account " + here.ID
	if here.Mode != "" {
		detail += fmt.Sprintf(", %s mode", here.Mode)
	}
	return Diagnosis{Part: "stripe", OK: true, Detail: detail}
}

func diagnoseCustomers(ctx context.Context, p *Program) Diagnosis {
	strays, err := p.Billing.Strays(ctx)
	if err != nil {
		return Diagnosis{"customers", false, Sentence(err), "Try again in a minute."}
	}
	if says := strays.Sentences(); len(says) > 0 {
		return Diagnosis{
			"customers", false, strings.Join(says, " "),
			"If STRIPE_SECRET_KEY is the key of the wrong account or mode, set the right one. Otherwise parley billing unlink lets these workspaces buy again.",
		}
	}
	return Diagnosis{Part: "customers", OK: true, Detail: "all customers are of this account and mode"}
}

const webhookRemedy = "Run parley billing webhook. It says what has to go into STRIPE_WEBHOOK_SECRET."

// diagnoseWebhook compares the endpoint at Stripe with what the server needs. A
// server without BASE_URL is only being tried out.
func diagnoseWebhook(ctx context.Context, p *Program) Diagnosis {
	if err := p.Config.CheckServing(); err != nil {
		return Diagnosis{"webhook", false, Sentence(err), webhookRemedy}
	}
	if p.Config.BaseURL == "" {
		return Diagnosis{Part: "webhook", OK: true, Detail: "there is a secret; the endpoint at Stripe is not compared, as BASE_URL is not set"}
	}
	return diagnosed("webhook", p.Billing.CheckEndpoint(ctx, p.Config.WebhookURL()), "Stripe sends what is needed to "+p.Config.WebhookURL(), webhookRemedy)
}

func diagnoseUnverified(ctx context.Context, p *Program) []Diagnosis {
	found, err := p.Tenants.Lapses.Unverified(ctx)
	if err != nil || len(found.Workspaces) == 0 {
		return nil // the database has its own line
	}
	return []Diagnosis{{
		"stripe", false,
		fmt.Sprintf("%d workspaces have plans that were paid for at Stripe, which is switched off here; the first of them ends on %s", len(found.Workspaces), found.Until.Format(time.DateOnly)),
		"Set STRIPE_SECRET_KEY again, or lower the plans with parley plan set.",
	}}
}

// pricesDiffer returns an error if Stripe sells something else than the plans
// say.
func pricesDiffer(ctx context.Context, p *Program) error {
	plans, err := p.Tenants.Plans.All(ctx)
	if err != nil {
		return err
	}
	differences, err := p.Billing.Sync(ctx, plans, true)
	if err != nil || len(differences) == 0 {
		return err
	}
	first := differences[0]
	return fault.New(fault.Conflict, "Stripe does not have what the plans say: %s %s, and %d more.", first.Verb, first.What, len(differences)-1)
}
