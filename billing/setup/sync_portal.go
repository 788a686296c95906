package setup

import (
	"context"
	"reflect"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/billingportal/configuration"

	"parley/billing/stripeapi"
)

func (y portalSync) syncPortal(ctx context.Context) error {
	found, err := PortalConfiguration(ctx, y.api)
	if err != nil {
		return err
	}
	wanted := wantedPortal(y.prices)
	change, id := Change{Verb: "create", What: "portal configuration"}, ""
	if found != nil {
		present, err := y.portal(ctx, found.ID)
		if err != nil || reflect.DeepEqual(present.sorted(), wanted.sorted()) {
			return err
		}
		change.Verb, id = "update", found.ID
	}
	return y.do(ctx, change, func(ctx context.Context) error {
		err := y.savePortal(ctx, id, wanted)
		if stripeapi.Refused(err) && len(wanted.Later) > 0 {
			// An account may not support later changes: then all apply immediately.
			wanted.Later = nil
			err = y.savePortal(ctx, id, wanted)
		}
		return err
	})
}

func (y portalSync) portalClient() configuration.Client {
	return configuration.Client{B: y.api.Backend, Key: y.api.Key}
}

// portal reads the settings of a configuration.
func (y portalSync) portal(ctx context.Context, id string) (portalSettings, error) {
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.BillingPortalConfiguration, error) {
		params := &stripe.BillingPortalConfigurationParams{}
		params.Context = ctx
		params.AddExpand("features.subscription_update.products")
		return y.portalClient().Get(id, params)
	})
	if err != nil {
		return portalSettings{}, err
	}
	present := presentPortal(found.Features)
	if present.Update {
		present.Later = laterIn(found.LastResponse.RawJSON)
	}
	return present, nil
}

// savePortal updates a configuration, or creates it if id is empty.
func (y portalSync) savePortal(ctx context.Context, id string, settings portalSettings) error {
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.BillingPortalConfiguration, error) {
		params := &stripe.BillingPortalConfigurationParams{Features: settings.params()}
		params.Context = ctx
		params.AddMetadata(metadataOurs, "1")
		settings.addLater(&params.Params)
		if id == "" {
			// Versions of Stripe's API before 2024 require it, although all its fields are optional.
			params.BusinessProfile = &stripe.BillingPortalConfigurationBusinessProfileParams{Headline: stripe.String("Your plan and invoices")}
			return y.portalClient().New(params)
		}
		return y.portalClient().Update(id, params)
	})
	return err
}
