package person_test

import (
	"net/url"
	"strings"
	"testing"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestAccountPages(t *testing.T) {
	s := shoptest.Open(t, nil)
	here := s.Cookie

	t.Run("a name is kept as text", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post("/account/name", url.Values{"name": {"<b>Ada</b>"}}), "/account?done=saved")
		s.WantPage(s.Get("/account"), 200, `value="&lt;b&gt;Ada&lt;/b&gt;"`)
		s.WantPage(s.Post("/account/name", url.Values{"name": {strings.Repeat("x", 101)}}), 422, `id="name-error"`)
	})
	t.Run("the appearance and the time zone are those of all pages", func(t *testing.T) {
		s := s.Within(t)
		got := s.Post("/account/appearance", url.Values{"appearance": {"dark"}, "time_zone": {"Europe/Berlin"}})
		s.WantGone(got, "/account/appearance?done=saved")
		s.Cookie += "; parley_theme=dark"
		s.WantPage(s.Get(s.Url("/members")), 200, `data-theme="dark"`, `data-zone="Europe/Berlin"`)
		s.WantPage(s.Post("/account/appearance", url.Values{"appearance": {"dark"}, "time_zone": {"Mars/Olympus"}}), 422, `id="time_zone-error"`)
		s.WantPage(s.Post("/account/appearance", url.Values{"appearance": {"sepia"}}), 422, `id="appearance-error"`)
	})
	t.Run("browsers are listed by what they are, and one is signed out", func(t *testing.T) {
		s := s.Within(t)
		phone, err := s.Tenants.Sessions.Start(t.Context(), s.Owner.ID, signin.Proof{Method: signin.ByPassword}, account.Client{Agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"})
		webtest.Must(t, err)
		odd, err := s.Tenants.Sessions.Start(t.Context(), s.Owner.ID, signin.Proof{Method: signin.ByPassword}, account.Client{Agent: "<script>Windows"})
		webtest.Must(t, err)
		s.WantPage(s.Get("/account/sessions"), 200, "Safari on iPhone", "A browser on Windows", "This browser", "Sign out everywhere else")
		sessions, err := s.Tenants.Sessions.Of(t.Context(), s.Owner.ID)
		webtest.Must(t, err)
		for _, session := range sessions {
			if session.IsOf(phone.Session) {
				s.WantGone(s.Post("/account/sessions/end", url.Values{"session": {session.ID}}), "/account/sessions")
				s.WantPage(s.Post("/account/sessions/end", url.Values{"session": {session.ID}}), 404)
			}
		}
		s.WantGone(s.Post("/account/sessions/end-others", nil), "/account/sessions")
		for _, ended := range []string{phone.Session, odd.Session} {
			s.Cookie = "parley_session=" + ended
			s.WantGone(s.Get("/account"), "/sign-in?next=%2Faccount")
		}
		s.Cookie = here
		s.WantPage(s.Get("/account/sessions"), 200, "This browser")
		recorded := 0
		for entry, err := range s.Tenants.Audit.AuditLog(t.Context(), "", webtest.Today) {
			webtest.Must(t, err)
			if entry.Action == audit.SessionsEnded && entry.Actor.UserID == s.Owner.ID {
				recorded++
			}
		}
		if recorded != 2 {
			t.Errorf("the log has it %d times", recorded)
		}
	})
}
