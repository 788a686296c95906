package api

import (
	"net/url"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/e2e/harness"
)

// securityEvents are the lines of the log about security events.
func securityEvents(w *harness.Instance) (lines []string) {
	for line := range strings.Lines(w.ServerLog.String()) {
		if strings.Contains(line, `msg="security event"`) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestSecurityEvents(t *testing.T) {
	t.Parallel()
	w := harness.Start(t, func(c *app.Config) {
		c.StripeKey, c.StripeSecret, c.StripeURL = "sk_test_1", "whsec_test", "http://127.0.0.1:9"
	})
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	owner, err := w.Server.Tenants.Users.ByEmail(t.Context(), baker.Email)
	w.Must(err)
	helper, err := w.Server.Tenants.SignUps.CreateUser(t.Context(), "helper@example.com", harness.StaffPassword)
	w.Must(err)
	w.Must(w.Server.Tenants.Members.Add(t.Context(), baker.Workspace, helper, tenant.RoleMember))
	asHelper := w.Session(helper.ID)
	gone, revoked := w.NewToken(baker.Workspace, baker.Chatbot, "gone")
	w.Must(w.Server.Chatbots.Tokens.Revoke(t.Context(), baker.Workspace, baker.Chatbot, gone))
	reader, readerSecret, err := w.Server.Chatbots.Tokens.Issue(t.Context(), baker.Workspace, baker.Chatbot, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
	w.Must(err)
	signIn := func(email string) func() {
		return func() {
			w.Call("POST", "/sign-in", url.Values{"email": {email}, "password": {"canary-guess"}}.Encode(), harness.Header{Name: "Content-Type", Value: ""}, harness.FormType)
		}
	}
	ask := func(secret string) func() {
		return func() { w.Call("POST", "/api/v1/chat", `{"message":"canary question"}`, harness.Bearer(secret)) }
	}
	for _, refusal := range []struct {
		what  string
		do    func()
		wants []string
	}{
		{"a wrong password", signIn(baker.Email), []string{"event=sign_in_refused", "user_id=" + owner.ID, "address=127.0.0.1", "request_id=", "route=/sign-in"}},
		{"an address without an account", signIn("canary@example.com"), []string{"event=sign_in_refused"}},
		{"a code of no invitation", func() {
			w.Call("POST", "/join", "code=canary-guess&password=canary-guess", harness.Header{Name: "Content-Type", Value: ""}, harness.FormType)
		}, []string{"event=invitation_refused"}},
		{"a malformed token", ask("canary-guess"), []string{"event=token_refused", "reason=malformed"}},
		{"an unknown token", ask(unknownToken), []string{"event=token_refused", "reason=unknown"}},
		{"a revoked token", ask(revoked), []string{"event=token_refused", "reason=revoked", "token_id=" + gone, "chatbot_id=" + baker.Chatbot, "workspace_id=" + baker.Workspace, "token_hint="}},
		{"a token without the scope", ask(readerSecret), []string{"event=permission_denied", "token_id=" + reader.ID}},
		{"a member's attempt to make a token", func() {
			w.Call("POST", "/api/chatbots/"+baker.Chatbot+"/api-tokens", "{}", asHelper)
		}, []string{"event=permission_denied", "user_id=" + helper.ID, "chatbot_id=" + baker.Chatbot}},
		{"a member's attempt to invite", func() {
			w.Call("POST", "/workspaces/"+baker.Workspace+"/invitations", "email=canary%40example.com&role=admin", harness.Header{Name: "Content-Type", Value: ""}, harness.FormType, asHelper)
		}, []string{"event=permission_denied", "user_id=" + helper.ID, "workspace_id=" + baker.Workspace}},
		{"another site's form", func() {
			w.Call("POST", "/sign-out", "", asHelper, harness.Header{Name: "Sec-Fetch-Site", Value: "cross-site"})
		}, []string{"event=cross_site_refused"}},
		{"an event that Stripe did not sign", func() {
			w.Call("POST", harness.WebhookPath, `{"id":"evt_1"}`, harness.Header{Name: "Stripe-Signature", Value: "t=1,v1=canary-guess"})
		}, []string{"event=webhook_refused"}},
		{"a source in a private network", func() {
			w.Call("POST", "/api/chatbots/"+baker.Chatbot+"/sources", `{"url":"http://169.254.169.254/latest"}`, w.Session(owner.ID))
			w.Settled(baker)
		}, []string{"event=target_refused", "target=169.254.169.254:80", "workspace_id=" + baker.Workspace}},
	} {
		t.Run(refusal.what+" is an event", func(t *testing.T) {
			w := w.Within(t)
			before := len(securityEvents(w))
			refusal.do()
			added := securityEvents(w)[before:]
			if len(added) == 0 {
				t.Fatal("nothing is logged")
			}
			for _, want := range refusal.wants {
				if !strings.Contains(added[0], want) {
					t.Errorf("%s is not in %s", want, added[0])
				}
			}
		})
	}
	t.Run("after too many attempts the next ones are events of their own", func(t *testing.T) {
		w := w.Within(t)
		for range 12 {
			signIn(baker.Email)()
		}
		if all := strings.Join(securityEvents(w), "\n"); !strings.Contains(all, "event=attempts_throttled") {
			t.Errorf("logged are\n%s", all)
		}
	})
	t.Run("no event has a secret, an address that was typed or a text", func(t *testing.T) {
		w.Within(t).NotLogged("canary", baker.Token, revoked, readerSecret, baker.Email, "helper@example.com")
	})
	t.Run("a success is no event", func(t *testing.T) {
		w := w.Within(t)
		before := len(securityEvents(w))
		w.Expect(w.Call("POST", "/api/v1/chat", `{"message":"When does it open?"}`, harness.Bearer(baker.Token)), 200)
		w.Expect(w.Call("GET", "/workspaces/"+baker.Workspace, "", asHelper), 200)
		if added := securityEvents(w)[before:]; len(added) != 0 {
			t.Errorf("logged are %q", added)
		}
	})
}
