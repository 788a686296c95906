package billing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/setup"
	"parley/core/fault"
)

const hook = "https://parley.example/api/webhooks/stripe"

func (s *shop) save(t *testing.T, rotate bool) setup.Endpoint {
	t.Helper()
	made, err := s.Setup.SaveEndpoint(t.Context(), hook, rotate)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// wrong says what is wrong with the endpoint, or nothing.
func (s *shop) wrong(t *testing.T) string {
	t.Helper()
	err := s.Setup.CheckEndpoint(t.Context(), hook)
	if err == nil {
		return ""
	}
	if !fault.Is(err, fault.Conflict) {
		t.Fatal(err)
	}
	return fault.As(err).Message
}

func TestWebhookEndpoint(t *testing.T) {
	t.Run("it is made with the version that is read and exactly the events that are needed", func(t *testing.T) {
		s := newEmptyShop(t)
		if says := s.wrong(t); !strings.Contains(says, "no webhook endpoint") {
			t.Errorf("before it says %q", says)
		}
		made := s.save(t, false)
		all := s.stripe.Endpoints()
		if len(all) != 1 || all[0].URL != hook || all[0].APIVersion != stripe.APIVersion || !slices.Equal(all[0].EnabledEvents, setup.Events()) || !strings.HasPrefix(made.Secret, "whsec_") {
			t.Errorf("it made %+v, there are %+v", made, all)
		}
		if says := s.wrong(t); says != "The webhook endpoint at Stripe is misconfigured: STRIPE_WEBHOOK_SECRET is not its secret." {
			t.Errorf("with another secret it says %q", says)
		}
		s.configure(func(c *Config) { c.WebhookSecret = made.Secret })
		if says := s.wrong(t); says != "" {
			t.Errorf("then it says %q", says)
		}
		if all := fmt.Sprintf("%+v", s.stripe.Endpoints()); strings.Contains(all, made.Secret) {
			t.Errorf("Stripe shows the secret: %s", all)
		}
	})
	t.Run("a second run makes no second one", func(t *testing.T) {
		s := newEmptyShop(t)
		first := s.save(t, false)
		if again := s.save(t, false); again != (setup.Endpoint{ID: first.ID}) || len(s.stripe.Endpoints()) != 1 {
			t.Errorf("it made %+v", again)
		}
	})
	t.Run("one that was made by hand gets what it lacks, loses what it need not have, and keeps its secret", func(t *testing.T) {
		s := newEmptyShop(t)
		id := s.stripe.AddEndpoint(hook, stripe.APIVersion, "invoice.paid", "payout.paid")
		s.stripe.Disable(id)
		if says := s.wrong(t); !strings.Contains(says, "disabled") || !strings.Contains(says, "customer.deleted") || strings.Contains(says, "invoice.paid") {
			t.Errorf("before it says %q", says)
		}
		if made := s.save(t, false); made != (setup.Endpoint{ID: id, Changed: "updated"}) || s.wrong(t) != "" || !slices.Equal(s.stripe.Endpoints()[0].EnabledEvents, setup.Events()) {
			t.Errorf("it made %+v, and then it says %q", made, s.wrong(t))
		}
	})
	t.Run("another version is told and not changed in silence, as the secret changes with it", func(t *testing.T) {
		s := newEmptyShop(t)
		old := s.stripe.AddEndpoint(hook, "2020-08-27", setup.Events()...)
		if says := s.wrong(t); !strings.Contains(says, "2020-08-27") {
			t.Errorf("it says %q", says)
		}
		if _, err := s.Setup.SaveEndpoint(t.Context(), hook, false); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "--rotate") {
			t.Errorf("got %v", err)
		}
		made := s.save(t, true)
		s.configure(func(c *Config) { c.WebhookSecret = made.Secret })
		if all := s.stripe.Endpoints(); len(all) != 1 || all[0].ID == old || made.Secret == "" || s.wrong(t) != "" {
			t.Errorf("it made %+v, there are %+v", made, all)
		}
	})
	t.Run("endpoints of other addresses stay as they are", func(t *testing.T) {
		s := newEmptyShop(t)
		other := s.stripe.AddEndpoint("https://shop.example/hook", "", "*")
		s.save(t, true)
		s.save(t, true)
		if all := s.stripe.Endpoints(); len(all) != 2 || all[0].ID != other || all[0].Status != "enabled" {
			t.Errorf("there are %+v", all)
		}
	})
	t.Run("of two with one address nobody knows whose secret is set", func(t *testing.T) {
		s := newEmptyShop(t)
		s.stripe.AddEndpoint(hook, stripe.APIVersion, setup.Events()...)
		s.stripe.AddEndpoint(hook+"/", stripe.APIVersion, setup.Events()...)
		if says := s.wrong(t); !strings.Contains(says, "2 webhook endpoints") {
			t.Errorf("it says %q", says)
		}
		if _, err := s.Setup.SaveEndpoint(t.Context(), hook, false); !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("all events are enough events", func(t *testing.T) {
		s := newEmptyShop(t)
		s.stripe.AddEndpoint(hook, stripe.APIVersion, "*")
		if says := s.wrong(t); says != "" {
			t.Errorf("it says %q", says)
		}
	})
}
