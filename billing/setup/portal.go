package setup

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/billingportal/configuration"

	"parley/billing/stripeapi"
)

// PortalConfiguration returns the configuration that [Setup.Sync] maintains, or nil: Stripe
// then uses the account's default.
func PortalConfiguration(ctx context.Context, api *stripeapi.Client) (*stripe.BillingPortalConfiguration, error) {
	client := configuration.Client{B: api.Backend, Key: api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.BillingPortalConfiguration, error) {
		params := &stripe.BillingPortalConfigurationListParams{Active: stripe.Bool(true)}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.BillingPortalConfiguration](client.List(params).Iter)
	})
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		if c.Metadata[metadataOurs] == "1" {
			return c, nil
		}
	}
	return nil, nil
}

// metadataOurs marks the portal's configuration.
const metadataOurs = "parley"
