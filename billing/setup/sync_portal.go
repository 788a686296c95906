package setup

import (
	"context"
	"reflect"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/billingportal/configuration"

	"parley/billing/stripeapi"
)

func (r *syncRun) syncPortal(ctx context.Context) error {
	found, err := PortalConfiguration(ctx, r.setup.api)
	if err != nil {
		return err
	}
	wanted := wantedPortal(r.prices)
	change, id := Change{Verb: "create", What: "portal configuration"}, ""
	if found != nil {
		present, err := r.readPortal(ctx, found.ID)
		if err != nil || reflect.DeepEqual(present.sorted(), wanted.sorted()) {
			return err
		}
		change.Verb, id = "update", found.ID
	}
	return r.do(ctx, change, func(ctx context.Context) error {
		err := r.savePortal(ctx, id, wanted)
		if stripeapi.Refused(err) && len(wanted.Later) > 0 {
			// An account may not support later changes: then all apply immediately.
			wanted.Later = nil
			err = r.savePortal(ctx, id, wanted)
		}
		return err
	})
}

func (s *Setup) portalClient() configuration.Client {
	return configuration.Client{B: s.api.Backend, Key: s.api.Key}
}

// readPortal reads the settings of a configuration.
func (r *syncRun) readPortal(ctx context.Context, id string) (portalSettings, error) {
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.BillingPortalConfiguration, error) {
		params := &stripe.BillingPortalConfigurationParams{}
		params.Context = ctx
		params.AddExpand("features.subscription_update.products")
		return r.setup.portalClient().Get(id, params)
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
func (r *syncRun) savePortal(ctx context.Context, id string, settings portalSettings) error {
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.BillingPortalConfiguration, error) {
		params := &stripe.BillingPortalConfigurationParams{Features: settings.params()}
		params.Context = ctx
		params.AddMetadata(metadataOurs, "1")
		settings.addLater(&params.Params)
		if id == "" {
			// Versions of Stripe's API before 2024 require it, although all its fields are optional.
			params.BusinessProfile = &stripe.BillingPortalConfigurationBusinessProfileParams{Headline: stripe.String("Your plan and invoices")}
			return r.setup.portalClient().New(params)
		}
		return r.setup.portalClient().Update(id, params)
	})
	return err
}
