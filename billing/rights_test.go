package billing

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/billing/setup"
	"parley/billing/stripetest"
	"parley/core/plan"
)

// allRights are those that the test's Stripe knows, by the names that Stripe
// shows.
var allRights = map[string]string{
	"Charges and refunds": "charges", "Customers": "customers", "Disputes": "disputes", "Events": "events", "PaymentMethods": "payment_methods", "Products": "products",
	"Checkout Sessions": "checkout_sessions", "Customer portal": "customer_portal", "Invoices": "invoices", "Prices": "prices",
	"Subscriptions": "subscriptions", "Webhook Endpoints": "webhook_endpoints", "Accounts": "account",
}

// enough returns exactly the necessary rights.
func enough() stripetest.Rights {
	rights := stripetest.Rights{}
	for _, right := range setup.Rights() {
		rights[allRights[right.Resource]] = map[string]stripetest.Level{"Read": stripetest.Read, "Write": stripetest.Write}[right.Level]
	}
	return rights
}

func TestRights(t *testing.T) {
	s := newShop(t)
	key := func(rights stripetest.Rights) *Service {
		s.stripe.Restrict("rk_test_1", rights)
		return serviceAt("rk_test_1", s.stripe.URL)
	}
	lacks := func(t *testing.T, service *Service) string {
		t.Helper()
		lacking, err := service.Setup.Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, right := range lacking {
			names = append(names, right.Resource)
		}
		return strings.Join(names, ", ")
	}
	t.Run("a restricted key with the rights that are listed lacks none", func(t *testing.T) {
		if got := lacks(t, key(enough())); got != "" {
			t.Errorf("it lacks %s", got)
		}
	})
	for _, right := range setup.Rights() {
		t.Run("a key without "+right.Resource+" is reported as lacking it, not as an unreachable Stripe", func(t *testing.T) {
			rights := maps.Clone(enough())
			rights[allRights[right.Resource]]--
			if got := lacks(t, key(rights)); got != right.Resource {
				t.Errorf("it lacks %q", got)
			}
		})
	}
	t.Run("checking changes nothing", func(t *testing.T) {
		customer := s.subscribe(t, plan.Basic)
		lacks(t, serviceAt(s.stripe.Key, s.stripe.URL))
		if got := s.stripe.Subscriptions(customer); len(got) != 1 || got[0].Status != "active" || len(s.stripe.Endpoints()) != 0 {
			t.Errorf("it changed %v, %v", got, s.stripe.Endpoints())
		}
	})
	t.Run("these rights suffice to set up, sell and change everything", func(t *testing.T) {
		s := newEmptyShop(t)
		s.stripe.Restrict("rk_test_1", enough())
		config := s.configured()
		config.Key = "rk_test_1"
		s.Service = New(config, s.ledger.books(), s.now, s.log, s.watcher)
		if _, err := s.Setup.Sync(t.Context(), plan.Defaults(), false); err != nil {
			t.Fatal(err)
		}
		address, _ := s.checkout(t, plan.Basic, sessions)
		if _, err := s.stripe.Press(address, "pay"); err != nil {
			t.Fatal(err)
		}
		s.refresh(t)
		if _, err := s.Portal(t.Context(), workspace, "http://parley.example/"); err != nil {
			t.Error(err)
		}
		if _, err := s.CatchUp(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := s.Setup.SaveEndpoint(t.Context(), hook, true); err != nil {
			t.Error(err)
		}
		if err := s.Cancel(t.Context(), workspace); err != nil {
			t.Error(err)
		}
	})
}

func TestAlarmsAndEventsAreSorted(t *testing.T) {
	if !slices.IsSorted(setup.Events()) || !slices.IsSorted(Alarms()) {
		t.Error("they are not sorted, but compared as if they were")
	}
}
