package store_test

import (
	"reflect"
	"testing"

	"parley/core/fault"
	"parley/core/plan"
	"parley/store"
)

func TestPlans(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()

		b.Run("a new database has the plans of the program", func(t *testing.T) {
			if got, err := b.Plans(ctx); err != nil || !reflect.DeepEqual(got, plan.Defaults()) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
		b.Run("what an operator writes is there, and stays when the program starts again", func(t *testing.T) {
			edited := plan.Defaults()[1]
			edited.Limits = plan.Limits{
				Features: []plan.Feature{plan.FeatureSites, plan.FeatureSchedules}, Chatbots: 7, Members: plan.Unlimited, TokensPerChatbot: 2,
				MessageChars: 11, MessagesPerMonth: 12, KnowledgeChars: 13, StoredBytes: 16, RequestsPerMinute: 14, RetentionDays: 15, AuditDays: 17,
			}
			edited.Price = plan.Price{Monthly: 1, Yearly: plan.NotSold, Currency: "eur"}
			b.must(b.UpdatePlan(ctx, edited))
			for range 2 {
				if got, err := b.Plan(ctx, plan.Basic); err != nil || !reflect.DeepEqual(got, edited) {
					t.Errorf("got %+v, %v", got, err)
				}
				b.must(store.AddPlans(ctx, b.Store))
			}
		})
		b.Run("what is sold is kept beside the price, and an edit leaves it", func(t *testing.T) {
			sold := plan.Price{Monthly: 79_00, Yearly: plan.NotSold, Currency: "usd"}
			b.must(b.SetOnSale(ctx, plan.Premium, sold))
			edited := plan.Defaults()[3]
			edited.Price.Monthly = 399_00
			b.must(b.UpdatePlan(ctx, edited))
			if got, err := b.Plan(ctx, plan.Premium); err != nil || got.OnSale != sold || got.Price.Monthly != 399_00 {
				t.Errorf("got %+v, %v", got, err)
			}
			b.wantKind(b.SetOnSale(ctx, "gold", sold), fault.NotFound)
		})
		b.Run("no other plan changes with it", func(t *testing.T) {
			got, err := b.Plan(ctx, plan.Standard)
			if err != nil || !reflect.DeepEqual(got, plan.Defaults()[2]) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
		b.Run("a row below Standard that says it has API access does not give it", func(t *testing.T) {
			edited := plan.Defaults()[0]
			edited.Limits.Features = []plan.Feature{plan.FeatureAPI, plan.FeatureSites}
			b.must(b.UpdatePlan(ctx, edited))
			got, err := b.Plan(ctx, plan.Starter)
			if err != nil || got.Limits.Has(plan.FeatureAPI) || !got.Limits.Has(plan.FeatureSites) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
		b.Run("a plan that there is not is not found", func(t *testing.T) {
			b.wantKind(b.UpdatePlan(ctx, plan.Plan{Name: "gold"}), fault.NotFound)
		})
	})
}
