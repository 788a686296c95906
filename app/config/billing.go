package config

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"parley/billing"
)

// Payments configures how plans are sold and changed.
type Payments struct {
	StripeKey    string `name:"stripe-secret-key" env:"STRIPE_SECRET_KEY" placeholder:"KEY" secret:"text" help:"Stripe's secret key (sk_) or a restricted one (rk_) with the rights that docs/billing.md lists. If it is set, owners buy plans; the operator can still grant one with parley plan set."`
	StripeSecret string `name:"stripe-webhook-secret" env:"STRIPE_WEBHOOK_SECRET" placeholder:"SECRET" secret:"text" help:"Signing secret of Stripe's webhook endpoint, which is /api/webhooks/stripe. A server with STRIPE_SECRET_KEY needs it."`
	StripeURL    string `name:"stripe-url" env:"STRIPE_URL" placeholder:"URL" help:"Address of another server with Stripe's API, for tests."`
	StripeTax    bool   `name:"stripe-tax" env:"STRIPE_TAX" help:"Whether Stripe Tax calculates the taxes at checkout. Set up Stripe Tax at Stripe first."`
	TaxBehavior  string `name:"stripe-tax-behavior" env:"STRIPE_TAX_BEHAVIOR" placeholder:"HOW" default:"exclusive" help:"Whether taxes are added to the plans' prices (exclusive) or included in them (inclusive). After a change run parley billing sync."`
	TaxCode      string `name:"stripe-tax-code" env:"STRIPE_TAX_CODE" placeholder:"CODE" help:"Stripe's tax code for the plans, such as txcd_10103001 for software that businesses use. Default: that of the account at Stripe."`
	TrialDays    int    `name:"trial-days" env:"TRIAL_DAYS" range:"0-730" placeholder:"N" default:"14" help:"Free days at the start of the first subscription of a person and a workspace. 0 means no trial."`
	GraceDays    int    `name:"billing-grace-days" env:"BILLING_GRACE_DAYS" range:"0-365" placeholder:"N" default:"21" help:"Days for which a plan stays in force after a payment has failed."`
	PlanChanges  string `name:"plan-changes" env:"PLAN_CHANGES" placeholder:"WHO" help:"Who changes plans by hand while Stripe is not set up: owner, on the plan page, or operator, with parley plan set. Default: operator, and owner with parley serve --demo."`
}

// Who changes plans by hand without Stripe.
const (
	byOwner    = "owner"
	byOperator = "operator"
)

// The values of STRIPE_TAX_BEHAVIOR.
const (
	taxExclusive = "exclusive"
	taxInclusive = "inclusive"
)

// taxCode matches the codes of https://docs.stripe.com/tax/tax-codes.
var taxCode = regexp.MustCompile(`^txcd_[0-9]{8}$`)

func (c *Payments) check() error {
	switch {
	case c.StripeKey == "" && c.StripeSecret != "":
		return errors.New("STRIPE_SECRET_KEY must be set when STRIPE_WEBHOOK_SECRET is")
	case c.StripeKey != "" && !strings.HasPrefix(c.StripeKey, "sk_") && !strings.HasPrefix(c.StripeKey, "rk_"):
		return errors.New("STRIPE_SECRET_KEY must be a secret key, which begins with sk_, or a restricted key, which begins with rk_: a publishable key (pk_) cannot be used here")
	case c.StripeSecret != "" && !webhookSecret.MatchString(c.StripeSecret):
		return errors.New("STRIPE_WEBHOOK_SECRET must be the signing secret of the webhook endpoint, which begins with whsec_")
	case c.StripeURL != "" && !isWebOrigin(c.StripeURL):
		return errors.New("STRIPE_URL must be a scheme and host, such as http://127.0.0.1:12111")
	case c.TaxBehavior != "" && c.TaxBehavior != taxExclusive && c.TaxBehavior != taxInclusive:
		return errors.New("STRIPE_TAX_BEHAVIOR must be exclusive or inclusive")
	case c.TaxCode != "" && !taxCode.MatchString(c.TaxCode):
		return errors.New("STRIPE_TAX_CODE must be one of Stripe's codes, such as txcd_10103001")
	case c.PlanChanges != "" && c.PlanChanges != byOwner && c.PlanChanges != byOperator:
		return errors.New("PLAN_CHANGES must be owner or operator")
	}
	return nil
}

var webhookSecret = regexp.MustCompile(`^whsec_[A-Za-z0-9_+/=-]+$`)

var errNoWebhookSecret = errors.New("STRIPE_WEBHOOK_SECRET must be set when STRIPE_SECRET_KEY is: without it anybody could pretend to be Stripe")

// CheckServing checks what only a server needs: the webhook's secret. Commands work
// without it, because an operator may create the products at Stripe first.
func (c *Payments) CheckServing() error {
	if c.StripeKey != "" && c.StripeSecret == "" {
		return errNoWebhookSecret
	}
	return nil
}

// OwnersChangePlans reports whether owners change plans by hand. With Stripe they buy
// them.
func (c *Payments) OwnersChangePlans() bool { return c.StripeKey == "" && c.PlanChanges == byOwner }

// TaxInclusive reports whether prices include taxes.
func (c *Payments) TaxInclusive() bool { return c.TaxBehavior == taxInclusive }

// Grace is how long a plan stays in force after a payment failed.
func (c *Payments) Grace() time.Duration { return time.Duration(c.GraceDays) * 24 * time.Hour }

// Billing returns the adapter's configuration.
func (c *Payments) Billing() billing.Config {
	return billing.Config{
		Key: c.StripeKey, WebhookSecret: c.StripeSecret, BaseURL: c.StripeURL,
		TrialDays: c.TrialDays, Tax: c.StripeTax, TaxInclusive: c.TaxInclusive(), TaxCode: c.TaxCode,
	}
}

// LetOwnersChangePlans makes owner the default of PLAN_CHANGES.
func (c *Payments) LetOwnersChangePlans() {
	if c.PlanChanges == "" {
		c.PlanChanges = byOwner
	}
}
