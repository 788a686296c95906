package web

import (
	"net/url"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
)

func TestProfile(t *testing.T) {
	shop := open(t, nil)
	address := func(email, password string) url.Values {
		return url.Values{"email": {email}, "email_password": {password}}
	}
	t.Run("another address needs the password", func(t *testing.T) {
		s := shop.within(t)
		got := s.post("/account", address("ada@new.example", "a wrong guess"))
		s.wantPage(got, 422, `id="email_password-error"`, `value="ada@new.example"`)
		if strings.Contains(got.body, "a wrong guess") {
			t.Error("the page repeats the password")
		}
	})
	t.Run("what is no address is refused beside it", func(t *testing.T) {
		s := shop.within(t)
		s.wantPage(s.post("/account", address("ada", password)), 422, `id="email-error"`)
	})
	t.Run("somebody else's address is refused", func(t *testing.T) {
		s := shop.within(t)
		_, err := s.tenants.SignUps.CreateUser(t.Context(), "ben@example.com", password)
		must(t, err)
		s.wantPage(s.post("/account", address("ben@example.com", password)), 409, `id="email-error"`)
	})
	t.Run("with the password the address is another", func(t *testing.T) {
		s := shop.within(t)
		got := s.post("/account", address("ada@new.example", password))
		s.wantGone(got, "/account?done=email")
		if old := s.get("/account"); old.status != 303 {
			t.Errorf("the old session gets %d", old.status)
		}
		shop.cookie, _, _ = strings.Cut(got.header.Get("Set-Cookie"), ";")
		s.cookie = shop.cookie
		s.wantPage(s.get("/account?done=email"), 200, "Use it to sign in from now on.", `<a href="/account">ada@new.example</a>`)
	})
	t.Run("another password needs the present one", func(t *testing.T) {
		s := shop.within(t)
		s.wantPage(s.post("/account/password", url.Values{"old_password": {"a wrong guess"}, "new_password": {"another long one"}}), 422, `id="old_password-error"`)
	})
	t.Run("a short password is refused beside it", func(t *testing.T) {
		s := shop.within(t)
		s.wantPage(s.post("/account/password", url.Values{"old_password": {password}, "new_password": {"short"}}), 422, `id="new_password-error"`)
	})
	t.Run("another password ends other sessions and begins one here", func(t *testing.T) {
		s := shop.within(t)
		got := s.post("/account/password", url.Values{"old_password": {password}, "new_password": {"another long one"}})
		s.wantGone(got, "/account?done=password")
		if old := s.get("/account"); old.status != 303 {
			t.Errorf("the old session gets %d", old.status)
		}
		s.cookie, _, _ = strings.Cut(got.header.Get("Set-Cookie"), ";")
		s.wantPage(s.get("/account?done=password"), 200, "Your password has been changed.")
	})
}

func TestDeleteWorkspace(t *testing.T) {
	s := open(t, nil)
	bot, err := s.chatbots.Create(t.Context(), s.home.ID, chatbot.Settings{Name: "Guide"})
	must(t, err)
	there := func(t *testing.T) {
		t.Helper()
		if _, err := s.chatbots.Get(t.Context(), s.home.ID, bot.ID); err != nil {
			t.Errorf("the chatbot is gone: %v", err)
		}
	}
	t.Run("another name deletes nothing", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.post(s.url("/delete"), url.Values{"confirm_name": {"Acne"}}), 422, "Type the name exactly as it is shown.", `value="Acne"`)
		if len(s.till.canceled) != 0 {
			t.Error("the subscription was canceled")
		}
		there(t)
	})
	t.Run("while the subscription cannot be canceled, all stays as it is", func(t *testing.T) {
		s := s.within(t)
		s.till.fail = fault.New(fault.Upstream, "Stripe does not answer.")
		defer func() { s.till.fail = nil }()
		s.wantPage(s.post(s.url("/delete"), url.Values{"confirm_name": {"Acme"}}), 503, "nothing was deleted")
		there(t)
	})
	t.Run("with the name, the subscription is canceled and all is deleted", func(t *testing.T) {
		s := s.within(t)
		s.till.canceled = nil
		s.wantGone(s.post(s.url("/delete"), url.Values{"confirm_name": {" Acme "}}), "/?done=gone")
		if len(s.till.canceled) != 1 || s.till.canceled[0] != s.home.ID {
			t.Errorf("canceled are %q", s.till.canceled)
		}
		if _, err := s.tenants.Workspaces.Workspace(t.Context(), s.home.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("the workspace gives %v", err)
		}
		s.wantPage(s.get("/?done=gone"), 200, "The workspace has been deleted.", "You're not in a workspace yet")
	})
	t.Run("who has another workspace goes on there", func(t *testing.T) {
		s := s.within(t)
		one, err := s.tenants.Workspaces.CreateWorkspace(t.Context(), s.owner, "One")
		must(t, err)
		two, err := s.tenants.Workspaces.CreateWorkspace(t.Context(), s.owner, "Two")
		must(t, err)
		s.wantGone(s.post("/workspaces/"+two.ID+"/delete", url.Values{"confirm_name": {"Two"}}), "/workspaces/"+one.ID+"?done=gone")
	})
}
