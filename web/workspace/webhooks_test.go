package workspace_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/core/plan"
	"parley/web/shoptest"
	"parley/web/webtest"
)

var (
	webhookID  = regexp.MustCompile(`/webhooks/(we_[0-9a-z]+)`)
	sendsAgain = regexp.MustCompile(`/deliveries/([0-9]+)/send`)
	secretText = regexp.MustCompile(`whsec_[A-Za-z0-9+/]+=`)
)

func TestWebhookPages(t *testing.T) {
	s := shoptest.Open(t, nil)
	typed := url.Values{"url": {"https://example.com/in"}, "message.unanswered": {"on"}, "description": {"For the desk"}}

	t.Run("a plan without API access has no webhooks, and says where they are", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/webhooks")), fiber.StatusOK, "plan has no webhooks", "See the plans")
		s.WantPage(s.Post(s.Url("/webhooks"), typed), fiber.StatusForbidden, "Upgrade to a plan with API access")
	})
	webtest.Must(t, s.Tenants.Grants.SetPlan(s.Context(), s.Home.ID, plan.Standard))
	s.WantPage(s.Get(s.Url("/webhooks")), fiber.StatusOK, "No webhooks yet")

	made := s.Post(s.Url("/webhooks"), typed)
	s.WantPage(made, fiber.StatusOK, "Save the secret", "the only time")
	if got := made.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("a page with a secret is kept: %q", got)
	}
	secret, hook := secretText.FindString(made.Body), s.Url("/webhooks/"+webhookID.FindStringSubmatch(made.Body)[1])

	t.Run("the secret is shown once", func(t *testing.T) {
		s := s.Within(t)
		for _, path := range []string{s.Url("/webhooks"), hook} {
			got := s.Get(path)
			s.WantPage(got, fiber.StatusOK, "example.com", "For the desk", "message.unanswered")
			if secret == "" || strings.Contains(got.Body, secret) {
				t.Errorf("%s has the secret %q", path, secret)
			}
		}
	})
	t.Run("a form without an event keeps what was typed", func(t *testing.T) {
		s := s.Within(t)
		for _, path := range []string{s.Url("/webhooks"), hook} {
			s.WantPage(s.Post(path, url.Values{"url": {"https://example.org/other"}}), fiber.StatusUnprocessableEntity, "Choose at least one event.", "https://example.org/other")
		}
	})
	t.Run("what names no chatbot is refused, and does not stand for all", func(t *testing.T) {
		s := s.Within(t)
		for _, chatbot := range []string{"<script>", "cb_unknown"} {
			s.WantPage(s.Post(hook, url.Values{"url": {"https://example.com/in"}, "message.unanswered": {"on"}, "chatbot": {chatbot}}), fiber.StatusUnprocessableEntity, "Choose a chatbot of this workspace.")
		}
	})
	t.Run("settings are changed", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(hook, url.Values{"url": {"https://example.org/other"}, "document.failed": {"on"}}), hook+"?done=saved")
		s.WantPage(s.Get(s.Url("/webhooks")), fiber.StatusOK, "example.org", "document.failed")
	})
	t.Run("a test is listed, canceled by a pause, and sent again", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(hook+"/test", nil), hook)
		s.WantPage(s.Get(hook), fiber.StatusOK, "webhook.test", "Waiting")
		s.WantGone(s.Post(hook+"/pause", nil), hook)
		s.WantPage(s.Get(hook), fiber.StatusOK, "Paused", "Canceled", "Resume")
		s.WantGone(s.Post(hook+"/test", nil), hook)
		s.WantPage(s.Get(hook), fiber.StatusOK, "Paused")
		s.WantGone(s.Post(hook+"/resume", nil), hook)
		again := sendsAgain.FindStringSubmatch(s.Get(hook).Body)
		if again == nil {
			t.Fatal("nothing can be sent again")
		}
		s.WantGone(s.Post(hook+again[0][strings.Index(again[0], "/deliveries"):], nil), hook)
		s.WantPage(s.Get(hook), fiber.StatusOK, "Waiting")
		if got := s.Post(hook+"/deliveries/1/send", nil); got.Status != fiber.StatusNotFound {
			t.Errorf("a number that is no identifier answers %d", got.Status)
		}
	})
	t.Run("older deliveries are on further pages", func(t *testing.T) {
		s := s.Within(t)
		for range 25 {
			s.WantGone(s.Post(hook+"/test", nil), hook)
		}
		next := regexp.MustCompile(`\?before=[0-9]+`).FindString(s.Get(hook).Body)
		if got := strings.Count(s.Get(hook+next).Body, `data-state="`); next == "" || got != 1 {
			t.Errorf("the page %q has %d deliveries", next, got)
		}
	})
	t.Run("the secret is rotated", func(t *testing.T) {
		s := s.Within(t)
		got := s.Post(hook+"/rotate", nil)
		s.WantPage(got, fiber.StatusOK, "signed with the previous secret, too")
		if next := secretText.FindString(got.Body); next == "" || next == secret {
			t.Errorf("the secret is %q", next)
		}
	})
	t.Run("a secret that cannot be read is shown, and rotated", func(t *testing.T) {
		s := s.Within(t)
		s.LoseWebhookSecrets()
		s.WantPage(s.Get(s.Url("/webhooks")), fiber.StatusOK, "Secret unreadable")
		s.WantPage(s.Get(hook), fiber.StatusOK, "Parley cannot read this webhook's secret")
		got := s.Post(hook+"/rotate", nil)
		s.WantPage(got, fiber.StatusOK, "whsec_")
		if strings.Contains(got.Body, "previous secret") {
			t.Error("it claims to sign with the previous secret")
		}
		if got := s.Get(hook).Body; strings.Contains(got, "cannot read") {
			t.Error("the new secret cannot be read")
		}
	})
	t.Run("a deleted webhook is gone", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(hook+"/delete", nil), s.Url("/webhooks"))
		for _, act := range []string{"", "/test", "/rotate", "/pause", "/resume", "/delete"} {
			if got := s.Post(hook+act, typed); got.Status != fiber.StatusNotFound {
				t.Errorf("%q answers %d", act, got.Status)
			}
		}
	})
}
