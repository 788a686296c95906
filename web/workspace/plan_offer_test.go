package workspace

import (
	"testing"

	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/web/page"
	"parley/web/webtest"
)

func offerOf(w tenant.Workspace, s subscription.Subscription) offer {
	return offer{Catalog: page.Catalog{Plans: plan.Defaults(), Now: webtest.Today}, workspace: w, subscription: s}
}

// buttons are the words on the buttons of an interval, in the order of plans.
func buttons(o offer, interval plan.Interval) [5]string {
	var words [5]string
	for _, row := range o.prices() {
		if row.Interval == string(interval) {
			for i, price := range row.Prices {
				words[i] = price.Button
			}
		}
	}
	return words
}

func TestButtons(t *testing.T) {
	free := tenant.Workspace{Plan: plan.Free, Granted: plan.Free}
	onStandard := tenant.Workspace{Plan: plan.Standard, Granted: plan.Free}
	for _, c := range []struct {
		name     string
		o        offer
		interval plan.Interval
		want     [5]string
	}{
		{"who has none can buy what has a price", offerOf(free, subscription.Subscription{}), plan.Monthly, [5]string{"", "Upgrade", "Upgrade", "Upgrade", ""}},
		{"what is paid cannot be bought again", offerOf(onStandard, standard(plan.Active, nil)), plan.Monthly, [5]string{"", "Change", "", "Upgrade", ""}},
		{"what is paid can be paid at another interval", offerOf(onStandard, standard(plan.Active, nil)), plan.Yearly, [5]string{"", "Change", "Pay yearly", "Upgrade", ""}},
		{"what has ended can be bought again", offerOf(free, standard(plan.Canceled, nil)), plan.Monthly, [5]string{"", "Upgrade", "Upgrade", "Upgrade", ""}},
		{"what was granted need not be bought", offerOf(tenant.Workspace{Plan: plan.Standard, Granted: plan.Standard}, subscription.Subscription{}), plan.Monthly, [5]string{"", "", "", "Upgrade", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := buttons(c.o, c.interval); got != c.want {
				t.Errorf("the buttons are %q", got)
			}
		})
	}
}

func TestOffer(t *testing.T) {
	free := tenant.Workspace{Plan: plan.Free, Granted: plan.Free}
	t.Run("every row has something for every plan", func(t *testing.T) {
		o := offerOf(free, subscription.Subscription{})
		for _, row := range o.page().Limits {
			if len(row.Amounts) != len(o.Plans) {
				t.Errorf("%s has %d amounts", row.Name, len(row.Amounts))
			}
		}
		for _, row := range o.priceList() {
			if len(row.Prices) != len(o.Plans) {
				t.Errorf("%s has %d prices", row.Name, len(row.Prices))
			}
		}
	})
	t.Run("one plan is the present one, and changes nothing", func(t *testing.T) {
		for _, p := range offerOf(tenant.Workspace{Plan: plan.Basic}, subscription.Subscription{}).page().Plans {
			nothing := len(p.Changes.Gains)+len(p.Changes.Loses) == 0
			if p.Current != (p.Name == "basic") || p.Current != nothing {
				t.Errorf("%s is present: %t, changes %+v", p.Name, p.Current, p.Changes)
			}
		}
	})
	t.Run("prices are written for people", func(t *testing.T) {
		for price, want := range map[plan.Price]string{
			{Currency: "usd"}: "Free", {Monthly: plan.NotSold, Yearly: plan.NotSold}: "On request",
			{Monthly: 1_900, Currency: "usd"}: "19.00 USD", {Yearly: 19_000, Currency: "usd"}: "–",
		} {
			if got := (offer{}).priceText(plan.Plan{Price: price}, plan.Monthly); got != want {
				t.Errorf("%+v is written %q, want %q", price, got, want)
			}
		}
	})
	t.Run("a trial is offered once", func(t *testing.T) {
		used := subscription.Subscription{TrialUsed: true}
		running := standard(plan.Active, nil)
		for _, c := range []struct {
			s    subscription.Subscription
			want int
		}{{subscription.Subscription{}, 14}, {used, 0}, {running, 0}} {
			if got := offerOf(free, c.s).trial(14); got != c.want {
				t.Errorf("%d days, want %d", got, c.want)
			}
		}
	})
	t.Run("the cheapest plan with API access that is sold is found", func(t *testing.T) {
		k := page.Catalog{Plans: plan.Defaults()}
		if p, found := k.CheapestWith(plan.FeatureAPI, plan.Starter); !found || p.Name != plan.Standard {
			t.Errorf("found %s, %t", p.Name, found)
		}
		if _, found := k.CheapestWith(plan.FeatureAPI, plan.Premium); found {
			t.Error("one above all that are sold is found")
		}
	})
	t.Run("a plan that is gone has its name for a title", func(t *testing.T) {
		if got := (page.Catalog{}).Title("gold"); got != "gold" {
			t.Errorf("it is called %q", got)
		}
	})
}
