package setup

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/product"

	"parley/billing/stripeapi"
	"parley/core/plan"
)

func (y productSync) productClient() product.Client {
	return product.Client{B: y.api.Backend, Key: y.api.Key}
}

func productTitle(p plan.Plan) string { return "Parley " + p.Title }

func (y productSync) syncProducts(ctx context.Context) error {
	found, err := y.findProducts(ctx)
	if err != nil {
		return err
	}
	y.products = found
	for _, p := range y.plans {
		if !p.Price.Sold() {
			continue
		}
		if err := y.syncProduct(ctx, p, found[ProductID(p.Name)]); err != nil {
			return err
		}
	}
	return nil
}

func (y productSync) findProducts(ctx context.Context) (map[string]*stripe.Product, error) {
	params := &stripe.ProductListParams{}
	for _, p := range y.plans {
		params.IDs = append(params.IDs, stripe.String(ProductID(p.Name)))
	}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Product, error) {
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.Product](y.productClient().List(params).Iter)
	})
	byID := map[string]*stripe.Product{}
	for _, p := range found {
		byID[p.ID] = p
	}
	return byID, err
}

func (y productSync) syncProduct(ctx context.Context, p plan.Plan, found *stripe.Product) error {
	what := "product " + ProductID(p.Name)
	params := &stripe.ProductParams{Name: stripe.String(productTitle(p)), Active: stripe.Bool(true)}
	params.AddMetadata(metadataPlan, string(p.Name))
	code := y.config.TaxCode
	if code != "" {
		params.TaxCode = stripe.String(code)
	}
	switch {
	case found == nil:
		params.ID = stripe.String(ProductID(p.Name))
		return y.do(ctx, Change{"create", what, productTitle(p)}, func(ctx context.Context) error {
			_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
				params.Context = ctx
				return y.productClient().New(params)
			})
			return err
		})
	case found.Name == productTitle(p) && found.Active && found.Metadata[metadataPlan] == string(p.Name) &&
		(code == "" || found.TaxCode != nil && found.TaxCode.ID == code):
		return nil
	}
	return y.do(ctx, Change{"update", what, productTitle(p)}, func(ctx context.Context) error {
		_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
			params.Context = ctx
			return y.productClient().Update(found.ID, params)
		})
		return err
	})
}
