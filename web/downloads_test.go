package web_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/web/shoptest"
	"parley/web/webtest"
)

// TestDownloadsEnd checks what is sent when its reader loses the right to it in the middle.
func TestDownloadsEnd(t *testing.T) {
	t.Parallel()
	s := shoptest.Open(t, nil)
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
	webtest.Must(t, err)
	s.Converse(bot.ID, shoptest.Answer{Question: "When do you open?", At: webtest.Today, EndUser: "eve"})
	webtest.Must(t, s.Tenants.Grants.SetPlan(t.Context(), s.Home.ID, plan.Enterprise))
	const out, removed, demoted, ended = "signs out", "is removed", "becomes a member", "sees the workspace deleted"
	losses := map[string]func(s *shoptest.Shop, reader account.User){
		out: func(s *shoptest.Shop, _ account.User) {
			_, secret, _ := strings.Cut(s.Cookie, "=")
			webtest.Must(s.T, s.Tenants.Sessions.SignOut(s.Context(), secret))
		},
		removed: func(s *shoptest.Shop, reader account.User) {
			webtest.Must(s.T, s.Tenants.Members.Remove(s.Context(), s.Home.ID, s.Owner.ID, reader.ID))
		},
		demoted: func(s *shoptest.Shop, reader account.User) {
			webtest.Must(s.T, s.Tenants.Members.ChangeRole(s.Context(), s.Home.ID, s.Owner.ID, reader.ID, tenant.RoleMember))
		},
		ended: func(s *shoptest.Shop, _ account.User) {
			_, err := s.Tenants.Workspaces.End(s.Context(), s.Home.ID, time.Hour)
			webtest.Must(s.T, err)
			s.Cleanup(func() { webtest.Must(s.T, s.Tenants.Workspaces.Restore(context.Background(), s.Home.ID, s.Owner.ID)) })
		},
	}
	for what, download := range map[string]struct {
		path  string
		typed url.Values
		ends  []string
	}{
		"an account":              {"/account/privacy/export", url.Values{}, []string{out}},
		"a workspace":             {s.Url("/privacy/export"), url.Values{}, []string{out, removed, demoted, ended}},
		"an end user":             {s.Url("/privacy/end-user/export"), url.Values{"external_user_id": {"eve"}}, []string{out, removed, demoted, ended}},
		"the audit log":           {s.Url("/audit/export"), nil, []string{out, removed, demoted, ended}},
		"conversations, as lines": {"/chatbots/" + bot.ID + "/conversations/export?format=jsonl", nil, []string{out, removed, ended}},
		"conversations, as rows":  {"/chatbots/" + bot.ID + "/conversations/export", nil, []string{out, removed, ended}},
	} {
		t.Run(what+" is sent whole to whoever may read it", func(t *testing.T) {
			s := s.Within(t)
			if got, err := s.Meanwhile(download.path, download.typed, func() {}); err != nil || got.Status != 200 || got.Body == "" {
				t.Errorf("status %d, %d bytes, %v", got.Status, len(got.Body), err)
			}
		})
		for _, how := range download.ends {
			t.Run(what+" is not sent on to somebody who "+how, func(t *testing.T) {
				s := s.Within(t)
				reader, err := s.Tenants.SignUps.CreateUser(t.Context(), strings.NewReplacer(" ", "", ",", "").Replace(what+how)+"@example.com", shoptest.Password)
				webtest.Must(t, err)
				webtest.Must(t, s.Tenants.Members.Add(t.Context(), s.Home.ID, reader, tenant.RoleOwner))
				s.SignIn(reader)
				got, err := s.Meanwhile(download.path, download.typed, func() { losses[how](s, reader) })
				if err == nil || fault.As(err).Kind == fault.Internal {
					t.Errorf("it ends with %v, and has %d bytes", err, len(got.Body))
				}
			})
		}
	}
}
