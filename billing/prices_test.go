package billing

import (
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/price"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/billing/stripetest"
	"parley/core/fault"
	"parley/core/plan"
)

func priceClient(s *shop) price.Client { return price.Client{B: s.api.Backend, Key: s.api.Key} }

func TestPricesThatAreSold(t *testing.T) {
	dearer := plan.Defaults()
	dearer[1].Price.Monthly = 25_00

	t.Run("whoever pays an old price does not see the new one", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		s.sync(t, dearer)
		if row := s.refresh(t); row.Amount != 19_00 || row.Currency != "usd" || row.Costs() != "19.00 USD a month" {
			t.Errorf("got %d %s", row.Amount, row.Currency)
		}
	})
	t.Run("whoever has several of a plan sees their total cost", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		found, err := s.listSubscriptions(t.Context(), s.row(t).CustomerID)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.candidate(t.Context(), found[0])
		if err != nil {
			t.Fatal(err)
		}
		c.item.Quantity = 3
		if amount, currency := c.costs(); amount != 3*19_00 || currency != "usd" {
			t.Errorf("got %d %s", amount, currency)
		}
	})
	t.Run("Sync stores the prices on sale, and a dry run does not", func(t *testing.T) {
		s := newEmptyShop(t)
		if _, err := s.Setup.Sync(t.Context(), dearer, true); err != nil || len(s.ledger.sold) != 0 {
			t.Errorf("a dry run keeps %v, %v", s.ledger.sold, err)
		}
		s.sync(t, dearer)
		if got, want := s.ledger.sold[plan.Basic], (plan.Price{Monthly: 25_00, Yearly: 190_00, Currency: "usd"}); got != want {
			t.Errorf("got %+v", got)
		}
		if got := s.ledger.sold[plan.Enterprise]; got.Sold() {
			t.Errorf("a plan that is not sold is stored as %+v", got)
		}
	})
	t.Run("a price that is inactive at Stripe is not shown", func(t *testing.T) {
		s := newShop(t)
		plans := plan.Defaults()
		plans[1].Price.Yearly = plan.NotSold
		s.sync(t, plans)
		if err := s.Setup.RefreshPrices(t.Context(), plan.Defaults()); err != nil {
			t.Fatal(err)
		}
		if got := s.ledger.sold[plan.Basic]; got.Monthly != 19_00 || got.Yearly != plan.NotSold {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("an old price is archived, if necessary by the next run after an interruption", func(t *testing.T) {
		s := newShop(t)
		s.stripe.OnAnswer(func(r stripetest.Request) {
			if r.Path == "/v1/prices" && r.Method == "POST" {
				s.stripe.SetDown(true)
			}
		})
		if _, err := s.Setup.Sync(t.Context(), dearer, false); !fault.Is(err, fault.Upstream) {
			t.Fatalf("got %v", err)
		}
		s.stripe.OnAnswer(nil)
		s.stripe.SetDown(false)
		s.sync(t, dearer)
		active, err := stripeapi.All[*stripe.Price](priceClient(s).List(&stripe.PriceListParams{Product: stripe.String(setup.ProductID(plan.Basic)), Active: stripe.Bool(true)}).Iter)
		if err != nil || len(active) != 2 {
			t.Errorf("%d prices of the plan are active, %v", len(active), err)
		}
	})
	t.Run("a price created by hand is not archived", func(t *testing.T) {
		s := newShop(t)
		byHand := &stripe.PriceParams{
			Product: stripe.String(setup.ProductID(plan.Basic)), TransferLookupKey: stripe.Bool(true), UnitAmount: stripe.Int64(5_00), Currency: stripe.String("usd"),
			Recurring:   &stripe.PriceRecurringParams{Interval: stripe.String(string(stripe.PriceRecurringIntervalMonth))},
			TaxBehavior: stripe.String(string(stripe.PriceTaxBehaviorExclusive)),
		}
		if _, err := priceClient(s).New(byHand); err != nil {
			t.Fatal(err)
		}
		if got := s.sync(t, plan.Defaults()); len(got) != 0 {
			t.Errorf("it did %v", got)
		}
	})
	t.Run("whoever pays an archived price keeps paying it", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		s.sync(t, dearer)
		s.stripe.Advance(31 * 24 * time.Hour)
		if row := s.refresh(t); row.Status != plan.Active || row.Amount != 19_00 {
			t.Errorf("got %+v", row)
		}
		invoices, err := s.Invoices(t.Context(), workspace, 1)
		if err != nil || len(invoices) != 1 || invoices[0].Total != 19_00 {
			t.Errorf("got %+v, %v", invoices, err)
		}
	})
}

func TestTaxSettings(t *testing.T) {
	t.Run("prices that include taxes are different prices at Stripe", func(t *testing.T) {
		s := newShop(t)
		s.configure(func(c *Config) { c.TaxInclusive = true })
		if got := s.sync(t, plan.Defaults()); len(got) != 13 { // six new prices, the portal, six that are archived
			t.Errorf("it did %v", got)
		}
		if got := s.sync(t, plan.Defaults()); len(got) != 0 {
			t.Errorf("the second time it did %v", got)
		}
	})
	t.Run("every product has the tax code", func(t *testing.T) {
		s := newShop(t)
		s.configure(func(c *Config) { c.TaxCode = "txcd_10103001" })
		if got := s.sync(t, plan.Defaults()); len(got) != 3 {
			t.Errorf("it did %v", got)
		}
		if got := s.sync(t, plan.Defaults()); len(got) != 0 {
			t.Errorf("the second time it did %v", got)
		}
	})
	t.Run("an invoice names the workspace, the address and the tax number", func(t *testing.T) {
		s := newShop(t)
		s.config.TrialDays = 0
		address, form := s.checkout(t, plan.Basic, sessions)
		if form.Get("billing_address_collection") != "required" || form.Get("tax_id_collection[enabled]") != "true" || form.Get("customer_update[name]") != "auto" {
			t.Errorf("sent %v", form)
		}
		if _, err := s.stripe.Press(address, "pay"); err != nil {
			t.Fatal(err)
		}
		invoices := s.stripe.Invoices(s.row(t).CustomerID)
		if len(invoices) != 1 {
			t.Fatalf("there are %d invoices", len(invoices))
		}
		got := invoices[0]
		if got.CustomerName != "Ada's bakery" || got.CustomerAddress == nil || got.CustomerAddress.City != "Berlin" || len(got.CustomerTaxIDs) != 1 ||
			len(got.CustomFields) != 1 || got.CustomFields[0].Value != "Ada's bakery" {
			t.Errorf("got %+v", got)
		}
	})
}
