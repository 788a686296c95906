package stripetest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripetest"
)

// page returns the HTML of a page.
func (a *account) page(url string) string {
	a.Helper()
	response := must[*http.Response](a)(http.Get(strings.Replace(url, "localhost", "127.0.0.1", 1)))
	defer response.Body.Close()
	return string(must[[]byte](a)(io.ReadAll(response.Body)))
}

// checkout starts a checkout of a price.
func (a *account) checkout(customer, price string, trialDays int64) *stripe.CheckoutSession {
	a.Helper()
	params := &stripe.CheckoutSessionParams{
		Mode: stripe.String("subscription"), Customer: stripe.String(customer), ClientReferenceID: stripe.String("w1"),
		SuccessURL: stripe.String("http://parley.example/done?session={CHECKOUT_SESSION_ID}"), CancelURL: stripe.String("http://parley.example/back"),
		LineItems: []*stripe.CheckoutSessionLineItemParams{{Price: stripe.String(price), Quantity: stripe.Int64(1)}},
	}
	if trialDays > 0 {
		params.SubscriptionData = &stripe.CheckoutSessionSubscriptionDataParams{TrialPeriodDays: stripe.Int64(trialDays)}
	}
	return must[*stripe.CheckoutSession](a)(a.api.CheckoutSessions.New(params))
}

func TestCheckout(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	price := a.sells("standard", 79_00)
	c := a.customer()
	session := a.checkout(c, price.ID, 14)

	t.Run("its page says what is bought, and leads back", func(t *testing.T) {
		html := a.page(session.URL)
		for _, part := range []string{"Subscribe to standard for 79.00 USD a month", "14 days are free", ">Pay</button>", `href="http://parley.example/back"`} {
			if !strings.Contains(html, part) {
				t.Errorf("the page has no %q: %s", part, html)
			}
		}
		if strings.Contains(session.URL, "127.0.0.1") {
			t.Errorf("%s is on the same site as the business", session.URL)
		}
	})
	t.Run("whoever pays has the subscription before returning", func(t *testing.T) {
		next, err := a.Press(session.URL, "pay")
		a.ok(err)
		if next != "http://parley.example/done?session="+session.ID {
			t.Errorf("it leads to %s", next)
		}
		sub := a.wantStatus(c, "trialing")
		done := must[*stripe.CheckoutSession](a)(a.api.CheckoutSessions.Get(session.ID, nil))
		if done.Status != "complete" || done.Subscription.ID != sub.ID || done.PaymentStatus != "no_payment_required" || done.ClientReferenceID != "w1" {
			t.Errorf("the session is %+v", done)
		}
	})
	t.Run("paying twice counts once", func(t *testing.T) {
		if _, err := a.Press(session.URL, "pay"); err != nil {
			t.Error(err)
		}
		if n := len(a.Subscriptions(c)); n != 1 {
			t.Errorf("there are %d subscriptions", n)
		}
	})
	t.Run("after a refused card the person can try again", func(t *testing.T) {
		poor := a.customer()
		session := a.checkout(poor, price.ID, 0)
		a.FailPayments(poor, true)
		if _, err := a.Press(session.URL, "pay"); err == nil || len(a.Subscriptions(poor)) != 0 {
			t.Errorf("there are %d subscriptions: %v", len(a.Subscriptions(poor)), err)
		}
		a.FailPayments(poor, false)
		_, err := a.Press(session.URL, "pay")
		a.ok(err)
		a.wantStatus(poor, "active")
	})
	t.Run("it expires after a day, or when the business expires it", func(t *testing.T) {
		late, closed := a.checkout(c, price.ID, 0), a.checkout(c, price.ID, 0)
		must[*stripe.CheckoutSession](a)(a.api.CheckoutSessions.Expire(closed.ID, nil))
		_, err := a.api.CheckoutSessions.Expire(closed.ID, nil)
		a.wantRefused(err, http.StatusBadRequest, "")
		a.Advance(day)
		for _, session := range []*stripe.CheckoutSession{late, closed} {
			if _, err := a.Press(session.URL, "pay"); err == nil {
				t.Error("it can still be paid")
			}
		}
	})
	t.Run("taxes need an address", func(t *testing.T) {
		_, err := a.api.CheckoutSessions.New(&stripe.CheckoutSessionParams{
			Mode: stripe.String("subscription"), Customer: stripe.String(c), SuccessURL: stripe.String("http://parley.example/"),
			LineItems:    []*stripe.CheckoutSessionLineItemParams{{Price: stripe.String(price.ID), Quantity: stripe.Int64(1)}},
			AutomaticTax: &stripe.CheckoutSessionAutomaticTaxParams{Enabled: stripe.Bool(true)},
		})
		a.wantRefused(err, http.StatusBadRequest, "customer_tax_location_invalid")
	})
}

// portal configures a portal that offers prices, and starts a session.
func (a *account) portal(customer string, flow *stripe.BillingPortalSessionFlowDataParams, offered ...*stripe.Price) (*stripe.BillingPortalSession, error) {
	a.Helper()
	update := &stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateParams{Enabled: stripe.Bool(true), DefaultAllowedUpdates: stripe.StringSlice([]string{"price"})}
	for _, p := range offered {
		update.Products = append(update.Products, &stripe.BillingPortalConfigurationFeaturesSubscriptionUpdateProductParams{Product: stripe.String(p.Product.ID), Prices: stripe.StringSlice([]string{p.ID})})
	}
	made := must[*stripe.BillingPortalConfiguration](a)(a.api.BillingPortalConfigurations.New(&stripe.BillingPortalConfigurationParams{
		BusinessProfile: &stripe.BillingPortalConfigurationBusinessProfileParams{},
		Features: &stripe.BillingPortalConfigurationFeaturesParams{
			SubscriptionUpdate: update, SubscriptionCancel: &stripe.BillingPortalConfigurationFeaturesSubscriptionCancelParams{Enabled: stripe.Bool(true), Mode: stripe.String("at_period_end")},
		},
		Metadata: map[string]string{"parley": "1"},
	}))
	return a.api.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{
		Customer: stripe.String(customer), Configuration: stripe.String(made.ID), ReturnURL: stripe.String("http://parley.example/plan"), FlowData: flow,
	})
}

func TestPortal(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	basic, standard := a.sells("basic", 19_00), a.sells("standard", 79_00)
	c := a.subscriber("basic", 0)
	session := must[*stripe.BillingPortalSession](a)(a.portal(c, nil, basic, standard))
	press := func(url, action string) string {
		t.Helper()
		next, err := a.Press(url, action)
		a.ok(err)
		return next
	}

	t.Run("there is none without a configuration", func(t *testing.T) {
		_, err := a.api.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{Customer: stripe.String(c)})
		a.wantRefused(err, http.StatusBadRequest, "")
	})
	t.Run("its page offers what the configuration allows", func(t *testing.T) {
		html := a.page(session.URL)
		for _, part := range []string{"basic for 19.00 USD a month is active", "Cancel the plan", "Change to standard for 79.00 USD a month", `href="http://parley.example/plan"`} {
			if !strings.Contains(html, part) {
				t.Errorf("the page has no %q: %s", part, html)
			}
		}
	})
	t.Run("a plan is canceled for the end of its period, and resumed", func(t *testing.T) {
		press(session.URL, "cancel")
		if !a.latest(c).CancelAtPeriodEnd {
			t.Error("it is not canceled")
		}
		press(session.URL, "resume")
		if sub := a.latest(c); sub.CancelAtPeriodEnd || sub.CancelAt != 0 {
			t.Error("it is not resumed")
		}
	})
	confirm := func(price *stripe.Price) *stripe.BillingPortalSessionFlowDataParams {
		sub := a.latest(c)
		return &stripe.BillingPortalSessionFlowDataParams{
			Type: stripe.String("subscription_update_confirm"),
			SubscriptionUpdateConfirm: &stripe.BillingPortalSessionFlowDataSubscriptionUpdateConfirmParams{
				Subscription: stripe.String(sub.ID),
				Items:        []*stripe.BillingPortalSessionFlowDataSubscriptionUpdateConfirmItemParams{{ID: stripe.String(sub.Items.Data[0].ID), Price: stripe.String(price.ID)}},
			},
			AfterCompletion: &stripe.BillingPortalSessionFlowDataAfterCompletionParams{
				Type: stripe.String("redirect"), Redirect: &stripe.BillingPortalSessionFlowDataAfterCompletionRedirectParams{ReturnURL: stripe.String("http://parley.example/done")},
			},
		}
	}
	t.Run("a price that is not offered cannot be confirmed", func(t *testing.T) {
		_, err := a.portal(c, confirm(standard), basic)
		a.wantRefused(err, http.StatusBadRequest, "")
	})
	t.Run("a confirmed change is paid, and leads back", func(t *testing.T) {
		session := must[*stripe.BillingPortalSession](a)(a.portal(c, confirm(standard), basic, standard))
		a.FailPayments(c, true)
		if _, err := a.Press(session.URL, "confirm"); err == nil {
			t.Error("a card that fails has paid")
		}
		a.FailPayments(c, false)
		if next := press(session.URL, "confirm"); next != "http://parley.example/done" {
			t.Errorf("it leads to %s", next)
		}
		if key := a.latest(c).Items.Data[0].Price.LookupKey; key != "parley_standard_monthly" {
			t.Errorf("the price is %s", key)
		}
	})
	t.Run("a new card pays what is overdue", func(t *testing.T) {
		a.FailPayments(c, true)
		a.Advance(29 * day)
		a.wantStatus(c, "past_due")
		press(session.URL, "card")
		a.wantStatus(c, "active")
	})
}
