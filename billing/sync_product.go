package billing

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/product"

	"parley/core/plan"
)

func (y *synchronisation) productClient() product.Client {
	return product.Client{B: y.service.account.backend, Key: y.service.account.key}
}

func productTitle(p plan.Plan) string { return "Parley " + p.Title }

func (y *synchronisation) syncProducts(ctx context.Context) error {
	found, err := y.findProducts(ctx)
	if err != nil {
		return err
	}
	y.products = found
	for _, p := range y.plans {
		if !p.Price.Sold() {
			continue
		}
		if err := y.syncProduct(ctx, p, found[productID(p.Name)]); err != nil {
			return err
		}
	}
	return nil
}

func (y *synchronisation) findProducts(ctx context.Context) (map[string]*stripe.Product, error) {
	params := &stripe.ProductListParams{}
	for _, p := range y.plans {
		params.IDs = append(params.IDs, stripe.String(productID(p.Name)))
	}
	found, err := ask(ctx, func(ctx context.Context) ([]*stripe.Product, error) {
		params.Context = ctx
		params.Limit = stripe.Int64(pageSize)
		return all[*stripe.Product](y.productClient().List(params).Iter)
	})
	byID := map[string]*stripe.Product{}
	for _, p := range found {
		byID[p.ID] = p
	}
	return byID, err
}

func (y *synchronisation) syncProduct(ctx context.Context, p plan.Plan, found *stripe.Product) error {
	what := "product " + productID(p.Name)
	params := &stripe.ProductParams{Name: stripe.String(productTitle(p)), Active: stripe.Bool(true)}
	params.AddMetadata(metadataPlan, string(p.Name))
	code := y.service.config.TaxCode
	if code != "" {
		params.TaxCode = stripe.String(code)
	}
	switch {
	case found == nil:
		params.ID = stripe.String(productID(p.Name))
		return y.do(ctx, Change{"create", what, productTitle(p)}, func(ctx context.Context) error {
			_, err := ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
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
		_, err := ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
			params.Context = ctx
			return y.productClient().Update(found.ID, params)
		})
		return err
	})
}
