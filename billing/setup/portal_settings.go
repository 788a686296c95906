package setup

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/stripe/stripe-go/v76"
)

// portalSettings are the actions that the portal allows.
type portalSettings struct {
	CustomerUpdates          []string
	Invoices, PaymentMethods bool
	Cancel                   bool
	CancelMode               string
	Update                   bool
	Updates                  []string
	Proration                string
	// Later are the changes that wait until the end of the paid period.
	Later []string
	// Prices are the prices available for a change, by product.
	Prices map[string][]string
}

// wantedPortal lets people change to a higher plan immediately and pay the difference, and
// change to a lower one or cancel at the end of the paid period.
func wantedPortal(prices map[string][]string) portalSettings {
	settings := portalSettings{
		CustomerUpdates: []string{"address", "email", "name", "tax_id"},
		Invoices:        true, PaymentMethods: true,
		Cancel: true, CancelMode: string(stripe.BillingPortalConfigurationFeaturesSubscriptionCancelModeAtPeriodEnd),
		Prices: prices,
	}
	if len(prices) > 0 { // Stripe refuses it without prices
		settings.Update = true
		settings.Updates = []string{"price", "promotion_code"}
		settings.Proration = string(stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateProrationBehaviorAlwaysInvoice)
		settings.Later = []string{"decreasing_item_amount", "shortening_interval"}
	}
	return settings
}

// addLater adds parameters that this version of stripe-go lacks:
// https://docs.stripe.com/api/customer_portal/configurations/create
func (p portalSettings) addLater(params *stripe.Params) {
	for i, condition := range p.Later {
		params.AddExtra(fmt.Sprintf("features[subscription_update][schedule_at_period_end][conditions][%d][type]", i), condition)
	}
}

// laterIn is the counterpart of addLater.
func laterIn(raw []byte) []string {
	var body struct {
		Features struct {
			SubscriptionUpdate struct {
				ScheduleAtPeriodEnd struct {
					Conditions []struct {
						Type string `json:"type"`
					} `json:"conditions"`
				} `json:"schedule_at_period_end"`
			} `json:"subscription_update"`
		} `json:"features"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil
	}
	var later []string
	for _, condition := range body.Features.SubscriptionUpdate.ScheduleAtPeriodEnd.Conditions {
		later = append(later, condition.Type)
	}
	return later
}

// sorted returns the settings in a canonical order; Stripe's order has no meaning.
func (p portalSettings) sorted() portalSettings {
	p.CustomerUpdates = slices.Sorted(slices.Values(p.CustomerUpdates))
	p.Updates = slices.Sorted(slices.Values(p.Updates))
	p.Later = slices.Sorted(slices.Values(p.Later))
	prices := map[string][]string{}
	for product, ids := range p.Prices {
		prices[product] = slices.Sorted(slices.Values(ids))
	}
	p.Prices = prices
	return p
}

func presentPortal(f *stripe.BillingPortalConfigurationFeatures) portalSettings {
	var p portalSettings
	if f == nil {
		return p
	}
	if u := f.CustomerUpdate; u != nil && u.Enabled {
		p.CustomerUpdates = texts(u.AllowedUpdates)
	}
	p.Invoices = f.InvoiceHistory != nil && f.InvoiceHistory.Enabled
	p.PaymentMethods = f.PaymentMethodUpdate != nil && f.PaymentMethodUpdate.Enabled
	if c := f.SubscriptionCancel; c != nil && c.Enabled {
		p.Cancel, p.CancelMode = true, string(c.Mode)
	}
	if u := f.SubscriptionUpdate; u != nil && u.Enabled {
		p.Update, p.Updates, p.Proration = true, texts(u.DefaultAllowedUpdates), string(u.ProrationBehavior)
		p.Prices = map[string][]string{}
		for _, offered := range u.Products {
			p.Prices[offered.Product] = offered.Prices
		}
	}
	return p
}

func texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

func (p portalSettings) params() *stripe.BillingPortalConfigurationFeaturesParams {
	features := &stripe.BillingPortalConfigurationFeaturesParams{
		CustomerUpdate: &stripe.BillingPortalConfigurationFeaturesCustomerUpdateParams{
			Enabled: stripe.Bool(true), AllowedUpdates: stripe.StringSlice(p.CustomerUpdates),
		},
		InvoiceHistory:      &stripe.BillingPortalConfigurationFeaturesInvoiceHistoryParams{Enabled: stripe.Bool(p.Invoices)},
		PaymentMethodUpdate: &stripe.BillingPortalConfigurationFeaturesPaymentMethodUpdateParams{Enabled: stripe.Bool(p.PaymentMethods)},
		SubscriptionCancel: &stripe.BillingPortalConfigurationFeaturesSubscriptionCancelParams{
			Enabled: stripe.Bool(p.Cancel), Mode: stripe.String(p.CancelMode),
		},
		SubscriptionUpdate: &stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateParams{Enabled: stripe.Bool(p.Update)},
	}
	if p.Update {
		features.SubscriptionUpdate.DefaultAllowedUpdates = stripe.StringSlice(p.Updates)
		features.SubscriptionUpdate.ProrationBehavior = stripe.String(p.Proration)
		for _, product := range slices.Sorted(maps.Keys(p.Prices)) {
			features.SubscriptionUpdate.Products = append(features.SubscriptionUpdate.Products,
				&stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateProductParams{
					Product: stripe.String(product), Prices: stripe.StringSlice(p.Prices[product]),
				})
		}
	}
	return features
}
