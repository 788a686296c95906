package person_test

import (
	"net/url"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestProfile(t *testing.T) {
	shop := shoptest.Open(t, nil)
	address := func(email, password string) url.Values {
		return url.Values{"email": {email}, "email_password": {password}}
	}
	t.Run("another address needs the password", func(t *testing.T) {
		s := shop.Within(t)
		got := s.Post("/account", address("ada@new.example", "a wrong guess"))
		s.WantPage(got, 422, `id="email_password-error"`, `value="ada@new.example"`)
		if strings.Contains(got.Body, "a wrong guess") {
			t.Error("the page repeats the password")
		}
	})
	t.Run("what is no address is refused beside it", func(t *testing.T) {
		s := shop.Within(t)
		s.WantPage(s.Post("/account", address("ada", shoptest.Password)), 422, `id="email-error"`)
	})
	code := func() string {
		links := *shop.Links
		_, code, _ := strings.Cut(links[len(links)-1], "#")
		return code
	}
	t.Run("somebody else's address is refused when its link is followed", func(t *testing.T) {
		s := shop.Within(t)
		_, err := s.Tenants.SignUps.CreateUser(t.Context(), "ben@example.com", shoptest.Password)
		webtest.Must(t, err)
		s.WantGone(s.Post("/account", address("ben@example.com", shoptest.Password)), "/account?done=confirm-log")
		s.WantPage(s.Post("/account/email", url.Values{"code": {code()}}), 409, "There is already an account with this e-mail address.")
	})
	t.Run("with the password, and by the link, the address is another", func(t *testing.T) {
		s := shop.Within(t)
		s.WantGone(s.Post("/account", address("ada@new.example", shoptest.Password)), "/account?done=confirm-log")
		got := s.Post("/account/email", url.Values{"code": {code()}})
		s.WantGone(got, "/account?done=email")
		if old := s.Get("/account"); old.Status != 303 {
			t.Errorf("the old session gets %d", old.Status)
		}
		shop.Cookie, _, _ = strings.Cut(got.Header.Get("Set-Cookie"), ";")
		s.Cookie = shop.Cookie
		s.WantPage(s.Get("/account?done=email"), 200, "Use it to sign in from now on.", `Account of </span>ada@new.example`)
	})
	t.Run("another password needs the present one", func(t *testing.T) {
		s := shop.Within(t)
		s.WantPage(s.Post("/account/password", url.Values{"old_password": {"a wrong guess"}, "new_password": {"another long one"}}), 422, `id="old_password-error"`)
	})
	t.Run("a short password is refused beside it", func(t *testing.T) {
		s := shop.Within(t)
		s.WantPage(s.Post("/account/password", url.Values{"old_password": {shoptest.Password}, "new_password": {"short"}}), 422, `id="new_password-error"`)
	})
	t.Run("another password ends other sessions and begins one here", func(t *testing.T) {
		s := shop.Within(t)
		got := s.Post("/account/password", url.Values{"old_password": {shoptest.Password}, "new_password": {"another long one"}})
		s.WantGone(got, "/account/security?done=password")
		if old := s.Get("/account"); old.Status != 303 {
			t.Errorf("the old session gets %d", old.Status)
		}
		s.Cookie, _, _ = strings.Cut(got.Header.Get("Set-Cookie"), ";")
		s.WantPage(s.Get("/account/security?done=password"), 200, "Your password has been changed.")
	})
}

func TestDeleteWorkspace(t *testing.T) {
	s := shoptest.Open(t, nil)
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
	webtest.Must(t, err)
	there := func(t *testing.T) {
		t.Helper()
		if _, err := s.Chatbots.Get(t.Context(), s.Home.ID, bot.ID); err != nil {
			t.Errorf("the chatbot is gone: %v", err)
		}
	}
	t.Run("another name deletes nothing", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(s.Url("/delete"), url.Values{"confirm_name": {"Acne"}}), 422, "Type the name exactly as it is shown.", `value="Acne"`)
		if len(s.Till.Canceled) != 0 {
			t.Error("the subscription was canceled")
		}
		there(t)
	})
	t.Run("while the subscription cannot be canceled, all stays as it is", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Fail = fault.New(fault.Upstream, "Stripe does not answer.")
		defer func() { s.Till.Fail = nil }()
		s.WantPage(s.Post(s.Url("/delete"), url.Values{"confirm_name": {"Acme"}}), 503, "nothing was deleted")
		there(t)
	})
	t.Run("with the name, the subscription is canceled, and only the page that restores it is left", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Canceled = nil
		s.WantGone(s.Post(s.Url("/delete"), url.Values{"confirm_name": {" Acme "}}), s.Url("/deletion"))
		if len(s.Till.Canceled) != 1 || s.Till.Canceled[0] != s.Home.ID {
			t.Errorf("canceled are %q", s.Till.Canceled)
		}
		there(t)
		for _, path := range []string{"/", s.Url(""), s.Url("/settings"), "/chatbots/" + bot.ID, "/chatbots/" + bot.ID + "/settings"} {
			s.WantGone(s.Get(path), s.Url("/deletion"))
		}
		s.WantGone(s.Post(s.Url("/delete"), url.Values{"confirm_name": {"Acme"}}), s.Url("/deletion"))
		s.WantPage(s.Get(s.Url("/deletion")), 200, "is being deleted", "restore-workspace", "(being deleted)")
	})
	t.Run("restored, it is as it was", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/restore"), nil), s.Url(""))
		there(t)
		s.WantPage(s.Get(s.Url("/settings")), 200, "delete-workspace")
		s.WantGone(s.Get(s.Url("/deletion")), s.Url("/settings"))
	})
}
