package config

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"parley/billing"
	"parley/mail"
)

// Who changes plans by hand while there is no Stripe.
const (
	byOwner    = "owner"
	byOperator = "operator"
)

// The values of STRIPE_TAX_BEHAVIOR.
const (
	taxExclusive = "exclusive"
	taxInclusive = "inclusive"
)

// taxCode is the form of https://docs.stripe.com/tax/tax-codes.
var taxCode = regexp.MustCompile(`^txcd_[0-9]{8}$`)

func (c *Config) validateBilling() error {
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
	case c.MailFrom != "" && c.SMTPURL == "":
		return errors.New("SMTP_URL must be set when MAIL_FROM is")
	}
	if c.SMTPURL == "" {
		return nil
	}
	_, err := mail.New(c.Mails(time.Now))
	return err
}

var webhookSecret = regexp.MustCompile(`^whsec_[A-Za-z0-9_+/=-]+$`)

var errNoWebhookSecret = errors.New("STRIPE_WEBHOOK_SECRET must be set when STRIPE_SECRET_KEY is: without it anybody could pretend to be Stripe")

// CheckServing is for a server only: the secret is that of an endpoint, and
// products can be brought to Stripe before there is one.
func (c *Config) CheckServing() error {
	if c.StripeKey != "" && c.StripeSecret == "" {
		return errNoWebhookSecret
	}
	return nil
}

// Mails is how mails are sent.
func (c *Config) Mails(now func() time.Time) mail.Config {
	return mail.Config{URL: c.SMTPURL, From: c.MailFrom, Now: now}
}

// OwnersChangePlans says that owners change plans by hand. Where there is a
// Stripe they buy them.
func (c *Config) OwnersChangePlans() bool { return c.StripeKey == "" && c.PlanChanges == byOwner }

// TaxInclusive reports whether prices include taxes.
func (c *Config) TaxInclusive() bool { return c.TaxBehavior == taxInclusive }

// Grace is for how long a plan stays in force after a payment failed.
func (c *Config) Grace() time.Duration { return time.Duration(c.GraceDays) * 24 * time.Hour }

// Billing is how Stripe is reached and what it is asked for.
func (c *Config) Billing() billing.Config {
	return billing.Config{
		Key: c.StripeKey, WebhookSecret: c.StripeSecret, BaseURL: c.StripeURL,
		TrialDays: c.TrialDays, Tax: c.StripeTax, TaxInclusive: c.TaxInclusive(), TaxCode: c.TaxCode,
	}
}

// webhookPath is the route of Stripe's events.
const webhookPath = "/api/webhooks/stripe"

// WebhookURL is where Stripe sends events.
func (c *Config) WebhookURL() string { return strings.TrimRight(c.BaseURL, "/") + webhookPath }

// LetOwnersChangePlans lets owners change plans by hand, unless it is set who
// does.
func (c *Config) LetOwnersChangePlans() {
	if c.PlanChanges == "" {
		c.PlanChanges = byOwner
	}
}
