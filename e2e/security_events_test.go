package e2e

import (
	"net/url"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
)

// securityEvents are the lines of the log about security events.
func (w *instance) securityEvents() (lines []string) {
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, `msg="security event"`) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestSecurityEvents(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *app.Config) {
		c.StripeKey, c.StripeSecret, c.StripeURL = "sk_test_1", "whsec_test", "http://127.0.0.1:9"
	})
	baker := w.newTenant("baker", plan.Standard, opening)
	owner, err := w.server.Tenants.Users.ByEmail(t.Context(), baker.email)
	w.must(err)
	helper, err := w.server.Tenants.SignUps.CreateUser(t.Context(), "helper@example.com", staffPassword)
	w.must(err)
	w.must(w.server.Tenants.Members.Add(t.Context(), baker.workspace, helper, tenant.RoleMember))
	asHelper := w.session(helper.ID)
	gone, revoked := w.newToken(baker.workspace, baker.chatbot, "gone")
	w.must(w.server.Chatbots.Tokens.Revoke(t.Context(), baker.workspace, baker.chatbot, gone))
	reader, readerSecret, err := w.server.Chatbots.Tokens.Issue(t.Context(), baker.workspace, baker.chatbot, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeRead}})
	w.must(err)
	signIn := func(email string) func() {
		return func() {
			w.call("POST", "/sign-in", url.Values{"email": {email}, "password": {"canary-guess"}}.Encode(), header{"Content-Type", ""}, formType)
		}
	}
	ask := func(secret string) func() {
		return func() { w.call("POST", "/api/v1/chat", `{"message":"canary question"}`, bearer(secret)) }
	}
	for _, refusal := range []struct {
		what  string
		do    func()
		wants []string
	}{
		{"a wrong password", signIn(baker.email), []string{"event=sign_in_refused", "user_id=" + owner.ID, "address=127.0.0.1", "request_id=", "route=/sign-in"}},
		{"an address without an account", signIn("canary@example.com"), []string{"event=sign_in_refused"}},
		{"a code of no invitation", func() {
			w.call("POST", "/join", "code=canary-guess&password=canary-guess", header{"Content-Type", ""}, formType)
		}, []string{"event=invitation_refused"}},
		{"a malformed token", ask("canary-guess"), []string{"event=token_refused", "reason=malformed"}},
		{"an unknown token", ask(unknownToken), []string{"event=token_refused", "reason=unknown"}},
		{"a revoked token", ask(revoked), []string{"event=token_refused", "reason=revoked", "token_id=" + gone, "chatbot_id=" + baker.chatbot, "workspace_id=" + baker.workspace, "token_hint="}},
		{"a token without the scope", ask(readerSecret), []string{"event=permission_denied", "token_id=" + reader.ID}},
		{"a member's attempt to make a token", func() {
			w.call("POST", "/api/chatbots/"+baker.chatbot+"/api-tokens", "{}", asHelper)
		}, []string{"event=permission_denied", "user_id=" + helper.ID, "chatbot_id=" + baker.chatbot}},
		{"a member's attempt to invite", func() {
			w.call("POST", "/workspaces/"+baker.workspace+"/invitations", "email=canary%40example.com&role=admin", header{"Content-Type", ""}, formType, asHelper)
		}, []string{"event=permission_denied", "user_id=" + helper.ID, "workspace_id=" + baker.workspace}},
		{"another site's form", func() {
			w.call("POST", "/sign-out", "", asHelper, header{"Sec-Fetch-Site", "cross-site"})
		}, []string{"event=cross_site_refused"}},
		{"an event that Stripe did not sign", func() {
			w.call("POST", webhookPath, `{"id":"evt_1"}`, header{"Stripe-Signature", "t=1,v1=canary-guess"})
		}, []string{"event=webhook_refused"}},
		{"a source in a private network", func() {
			w.call("POST", "/api/chatbots/"+baker.chatbot+"/sources", `{"url":"http://169.254.169.254/latest"}`, w.session(owner.ID))
			w.settled(baker)
		}, []string{"event=target_refused", "target=169.254.169.254:80", "workspace_id=" + baker.workspace}},
	} {
		t.Run(refusal.what+" is an event", func(t *testing.T) {
			w := w.within(t)
			before := len(w.securityEvents())
			refusal.do()
			added := w.securityEvents()[before:]
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
		w := w.within(t)
		for range 12 {
			signIn(baker.email)()
		}
		if all := strings.Join(w.securityEvents(), "\n"); !strings.Contains(all, "event=attempts_throttled") {
			t.Errorf("logged are\n%s", all)
		}
	})
	t.Run("no event has a secret, an address that was typed or a text", func(t *testing.T) {
		w.within(t).notLogged("canary", baker.token, revoked, readerSecret, baker.email, "helper@example.com")
	})
	t.Run("a success is no event", func(t *testing.T) {
		w := w.within(t)
		before := len(w.securityEvents())
		w.expect(w.call("POST", "/api/v1/chat", `{"message":"When does it open?"}`, bearer(baker.token)), 200)
		w.expect(w.call("GET", "/workspaces/"+baker.workspace, "", asHelper), 200)
		if added := w.securityEvents()[before:]; len(added) != 0 {
			t.Errorf("logged are %q", added)
		}
	})
}
