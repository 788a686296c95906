package pages

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/core/account"
	"parley/e2e/harness"
)

// sensitive are the routes that ask people again who they are, by the rule of
// docs/accounts.md: what lets somebody in later, what carries data and secrets away, and
// what destroys for good.
var sensitive = []string{
	// How people get in.
	"POST /account", "POST /account/password",
	"POST /account/security/app", "POST /account/security/app/confirm", "POST /account/security/app/remove", "POST /account/security/recovery-codes",
	"POST /account/security/passkeys/options", "POST /account/security/passkeys", "POST /account/security/passkeys/:passkey/remove",
	"POST /workspaces/:workspace/settings/second-factor",
	"POST /workspaces/:workspace/settings/sso", "POST /workspaces/:workspace/settings/sso/domain", "POST /workspaces/:workspace/settings/sso/delete",
	"POST /workspaces/:workspace/invitations", "POST /workspaces/:workspace/members/:user/role",
	"POST /api/chatbots/:id/api-tokens", "PATCH /api/chatbots/:id/api-tokens/:token_id", "POST /api/chatbots/:id/api-tokens/:token_id/roll",
	// What leaves the server, or says where to.
	"POST /workspaces/:workspace/webhooks", "POST /workspaces/:workspace/webhooks/:webhook", "POST /workspaces/:workspace/webhooks/:webhook/rotate",
	"POST /workspaces/:workspace/models", "POST /workspaces/:workspace/models/:provider", "POST /workspaces/:workspace/models/:provider/delete",
	"GET /chatbots/:chatbot/conversations/export", "GET /workspaces/:workspace/audit/export", "POST /account/privacy/export", "POST /workspaces/:workspace/privacy/export",
	"POST /workspaces/:workspace/privacy/end-user/export", "GET /api/workspaces/:workspace/end-users/:external_user_id",
	// What cannot be brought back.
	"POST /account/privacy/delete", "POST /chatbots/:chatbot/delete", "POST /workspaces/:workspace/delete",
	"POST /workspaces/:workspace/privacy/end-user/erase", "DELETE /api/workspaces/:workspace/end-users/:external_user_id",
}

// Why other routes of people that change something do not ask.
const (
	onlyTakesAway = "it takes access away, and nothing may delay that"
	dailyWork     = "it is daily work, which a person with the browser could do and others undo"
	ofOneself     = "it changes nothing but what its person sees"
	isTheProof    = "it is how people show who they are"
	triesOnly     = "it stores nothing, and sends what was typed where it was typed for"
	hasOwnDesk    = "Stripe asks who pays"
)

var notSensitive = map[string]string{
	"POST /account/name": ofOneself, "POST /account/appearance": ofOneself, "POST /account/email/send": ofOneself, "POST /account/security/passkeys/:passkey/rename": ofOneself,
	"POST /account/sessions/end": onlyTakesAway, "POST /account/sessions/end-others": onlyTakesAway,
	"POST /confirm": isTheProof, "POST /confirm/options": isTheProof, "POST /confirm/provider": isTheProof,
	"POST /workspaces": dailyWork, "POST /workspaces/:workspace/chatbots": dailyWork, "POST /workspaces/:workspace/settings": dailyWork,
	"POST /workspaces/:workspace/settings/sso/try": triesOnly, "POST /workspaces/:workspace/models/try": triesOnly, "POST /workspaces/:workspace/models/:provider/try": triesOnly,
	"POST /workspaces/:workspace/webhooks/:webhook/pause": onlyTakesAway, "POST /workspaces/:workspace/webhooks/:webhook/delete": onlyTakesAway,
	"POST /workspaces/:workspace/webhooks/:webhook/resume": dailyWork, "POST /workspaces/:workspace/webhooks/:webhook/test": dailyWork,
	"POST /workspaces/:workspace/webhooks/:webhook/deliveries/:delivery/send": dailyWork,
	"POST /workspaces/:workspace/members/:user/remove":                        onlyTakesAway, "POST /workspaces/:workspace/leave": onlyTakesAway,
	"POST /workspaces/:workspace/invitations/:invitation/cancel": onlyTakesAway, "DELETE /api/chatbots/:id/api-tokens/:token_id": onlyTakesAway,
	"POST /workspaces/:workspace/restore": dailyWork, "POST /workspaces/:workspace/limits": dailyWork,
	"POST /workspaces/:workspace/billing": dailyWork, "POST /workspaces/:workspace/billing/checkout": hasOwnDesk, "POST /workspaces/:workspace/billing/portal": hasOwnDesk,
	"POST /workspaces/:workspace/plan": dailyWork, "POST /workspaces/:workspace/plan/checkout": hasOwnDesk, "POST /workspaces/:workspace/plan/portal": hasOwnDesk,
}

// dailyPrefixes are where all else is daily work: knowledge, conversations one by one,
// settings of chatbots and the playground.
var dailyPrefixes = []string{"/chatbots/:chatbot/", "/api/chatbots/:id/"}

func TestSensitiveRoutesAreListed(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	var asks []string
	for _, d := range w.Server.Routes.All() {
		name := d.Method + " " + d.Path
		if d.Sensitive {
			asks = append(asks, name)
			continue
		}
		byPerson := d.Scope == "person" || d.Scope == "member"
		if !byPerson || d.Method == http.MethodGet || notSensitive[name] != "" {
			continue
		}
		if !slices.ContainsFunc(dailyPrefixes, func(prefix string) bool { return strings.HasPrefix(d.Path, prefix) }) {
			t.Errorf("%s does not ask again: mark it as route.Sensitive, or say in notSensitive why not", name)
		}
	}
	want := slices.Sorted(slices.Values(sensitive))
	slices.Sort(asks)
	if !slices.Equal(asks, want) {
		t.Errorf("these ask again:\n%s\nwant\n%s", strings.Join(asks, "\n"), strings.Join(want, "\n"))
	}
	for name := range notSensitive {
		if slices.Contains(asks, name) {
			t.Errorf("%s is in notSensitive, and asks", name)
		}
	}
}

// Nothing sensitive happens in a session in which nobody has shown lately who they are.
func TestSensitiveRoutesAsk(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	clock := func() time.Time { return app.Now().Add(time.Duration(ahead.Load())) }
	w := harness.StartWith(t, app.Options{Now: clock})
	w.HasNoRates()
	e := w.NewFullWorkspace("stale")
	e.IDs["passkey"] = "pk_unknown"
	session := w.Session(e.Owner)
	before := keptRows(w, t, e.Workspace)
	ahead.Store(int64(account.ProofLifetime))
	for _, d := range w.Server.Routes.All() {
		if !d.Sensitive {
			continue
		}
		name := d.Method + " " + d.Path
		at := slices.IndexFunc(harness.Routes, func(r harness.Route) bool { return r.Name() == name })
		if at < 0 {
			t.Errorf("%s has no row", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := w.Within(t)
			answer := w.Try(harness.Routes[at], e.IDs, session)
			where := answer.Header.Get("Location")
			switch {
			case d.AsksPassword:
				if answer.StatusCode != http.StatusUnprocessableEntity && answer.StatusCode != http.StatusConflict {
					t.Errorf("without the password it answers %d", answer.StatusCode)
				}
			case strings.HasPrefix(d.Path, "/api/"):
				if answer.StatusCode != http.StatusForbidden || answer.Header.Get("X-Error-Code") != "reauthentication_required" {
					t.Errorf("it answers %d %s", answer.StatusCode, answer.Header.Get("X-Error-Code"))
				}
			case d.Method == http.MethodGet && answer.StatusCode == http.StatusSeeOther && strings.HasPrefix(where, "/confirm?next="):
			case answer.StatusCode != http.StatusTemporaryRedirect || !strings.HasPrefix(where, "/confirm?to="):
				t.Errorf("it answers %d and leads to %s", answer.StatusCode, where)
			}
		})
	}
	after := keptRows(w, t, e.Workspace)
	for table, rows := range before {
		if after[table] != rows {
			t.Errorf("%s had\n%s\nand has\n%s", table, rows, after[table])
		}
	}
}
