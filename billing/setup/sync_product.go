package setup

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/product"

	"parley/billing/stripeapi"
	"parley/core/plan"
)

func (s *Setup) productClient() product.Client {
	return product.Client{B: s.api.Backend, Key: s.api.Key}
}

func productTitle(p plan.Plan) string { return "Parley " + p.Title }

func (r *syncRun) syncProducts(ctx context.Context) error {
	found, err := r.findProducts(ctx)
	if err != nil {
		return err
	}
	r.products = found
	for _, p := range r.plans {
		if !p.Price.Sold() {
			continue
		}
		if err := r.syncProduct(ctx, p, found[ProductID(p.Name)]); err != nil {
			return err
		}
	}
	return nil
}

func (r *syncRun) findProducts(ctx context.Context) (map[string]*stripe.Product, error) {
	params := &stripe.ProductListParams{}
	for _, p := range r.plans {
		params.IDs = append(params.IDs, stripe.String(ProductID(p.Name)))
	}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Product, error) {
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.Product](r.setup.productClient().List(params).Iter)
	})
	byID := map[string]*stripe.Product{}
	for _, p := range found {
		byID[p.ID] = p
	}
	return byID, err
}

func (r *syncRun) syncProduct(ctx context.Context, p plan.Plan, found *stripe.Product) error {
	what := "product " + ProductID(p.Name)
	params := &stripe.ProductParams{Name: stripe.String(productTitle(p)), Active: stripe.Bool(true)}
	params.AddMetadata(metadataPlan, string(p.Name))
	code := r.setup.config.TaxCode
	if code != "" {
		params.TaxCode = stripe.String(code)
	}
	switch {
	case found == nil:
		params.ID = stripe.String(ProductID(p.Name))
		return r.do(ctx, Change{"create", what, productTitle(p)}, func(ctx context.Context) error {
			_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
				params.Context = ctx
				return r.setup.productClient().New(params)
			})
			return err
		})
	case found.Name == productTitle(p) && found.Active && found.Metadata[metadataPlan] == string(p.Name) &&
		(code == "" || found.TaxCode != nil && found.TaxCode.ID == code):
		return nil
	}
	return r.do(ctx, Change{"update", what, productTitle(p)}, func(ctx context.Context) error {
		_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
			params.Context = ctx
			return r.setup.productClient().Update(found.ID, params)
		})
		return err
	})
}
