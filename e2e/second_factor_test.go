package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"parley/app"
	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/account/signin"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store/storetest"
)

// byApp sets up an app for the owner of a tenant, and returns its secret.
func (w *instance) byApp(tn tenantOf, secret string) string {
	w.Helper()
	services, ctx := w.server.Tenants, w.Context()
	user, session, err := services.Sessions.SignedIn(ctx, secret)
	w.must(err)
	w.must(services.Factors.Apps.Begin(ctx, user))
	pending, err := services.Factors.Apps.Pending(ctx, user)
	w.must(err)
	code, err := totp.GenerateCode(pending.Secret, app.Now())
	w.must(err)
	_, err = services.Factors.Apps.Confirm(ctx, user, session, code)
	w.must(err)
	return pending.Secret
}

func TestSecondFactorOnTwoServers(t *testing.T) {
	database := storetest.Postgres(t)
	var ahead atomic.Int64
	clock := func() time.Time { return app.Now().Add(time.Duration(ahead.Load())) }
	on := func(c *app.Config) { c.DatabaseURL = database }
	here, there := startWith(t, app.Options{Now: clock}, on), startWith(t, app.Options{Now: clock}, on)
	baker := here.newTenant("baker", plan.Standard)
	client := account.Client{}
	keys, err := here.server.Tenants.Sessions.SignIn(t.Context(), baker.email, baker.password, client)
	here.must(err)
	secret := here.byApp(baker, keys.Session)
	ahead.Add(int64(time.Minute))
	code, err := totp.GenerateCode(secret, clock())
	here.must(err)

	t.Run("a sign-in that begins on one server ends on the other, and one code admits one of two", func(t *testing.T) {
		type result struct {
			keys account.Keys
			err  error
		}
		results := make(chan result, 2)
		for _, pair := range [][2]*instance{{here, there}, {there, here}} {
			begun, err := pair[0].server.Tenants.Sessions.SignIn(t.Context(), baker.email, baker.password, client)
			pair[0].must(err)
			if begun.Session != "" || begun.Step == "" {
				t.Fatalf("the password gives %+v", begun)
			}
			go func() {
				keys, err := pair[1].server.Tenants.Factors.Proofs.EnterWithCode(t.Context(), begun.Step, factor.Code{Text: code}, client)
				results <- result{keys, err}
			}()
		}
		started := 0
		for range 2 {
			if r := <-results; r.err == nil && r.keys.Session != "" {
				started++
			}
		}
		if started != 1 {
			t.Errorf("one code started %d sessions", started)
		}
	})
}

func TestSensitiveActsAskAgain(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) { asksAgain(t, database(t)) })
	}
}

func asksAgain(t *testing.T, database string) {
	var ahead atomic.Int64
	clock := func() time.Time { return app.Now().Add(time.Duration(ahead.Load())) }
	w := startWith(t, app.Options{Now: clock}, func(c *app.Config) { c.DatabaseURL = database })
	baker := w.newTenant("baker", plan.Standard)
	keys, err := w.server.Tenants.Sessions.SignIn(t.Context(), baker.email, baker.password, account.Client{})
	w.must(err)
	cookie := header{"Cookie", "parley_session=" + keys.Session}
	form := header{"Content-Type", "application/x-www-form-urlencoded"}
	age := func() { ahead.Add(int64(account.ProofLifetime)) }
	invitations := "/workspaces/" + baker.workspace + "/invitations"
	tokens := "/api/chatbots/" + baker.chatbot + "/api-tokens"
	invite := url.Values{"email": {"guest@example.com"}, "role": {string(tenant.RoleMember)}}
	t.Run("nothing asks within fifteen minutes after a sign-in", func(t *testing.T) {
		w := w.within(t)
		if r := w.call("POST", tokens, `{"name":"Fresh"}`, cookie); r.StatusCode != http.StatusOK {
			t.Errorf("got %d %s", r.StatusCode, r.body)
		}
	})
	t.Run("a token is refused with a code of its own, and nothing is made", func(t *testing.T) {
		w := w.within(t)
		age()
		r := w.call("POST", tokens, `{"name":"Stale"}`, cookie)
		if r.StatusCode != http.StatusForbidden || r.Header.Get("X-Error-Code") != "reauthentication_required" {
			t.Errorf("got %d %s", r.StatusCode, r.body)
		}
		if r := w.call("GET", tokens, "", cookie); strings.Contains(string(r.body), "Stale") {
			t.Error("the token was made")
		}
	})
	t.Run("a form is led to the page that asks, with what was entered, and on from there", func(t *testing.T) {
		w := w.within(t)
		r := w.call("POST", invitations, invite.Encode(), cookie, header{"Content-Type", ""}, form)
		if at := r.Header.Get("Location"); r.StatusCode != http.StatusTemporaryRedirect || at != "/confirm?to="+url.QueryEscape(invitations) {
			t.Fatalf("got %d to %q", r.StatusCode, at)
		}
		ask := r.Header.Get("Location")
		if r = w.call("POST", ask, invite.Encode(), cookie, header{"Content-Type", ""}, form); !strings.Contains(string(r.body), `value="guest@example.com"`) {
			t.Fatalf("the page lost what was entered: %d", r.StatusCode)
		}
		wrong := url.Values{"confirm_password": {"a wrong guess"}, "email": invite["email"], "role": invite["role"]}
		if r = w.call("POST", ask, wrong.Encode(), cookie, header{"Content-Type", ""}, form); r.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(r.body), `value="guest@example.com"`) {
			t.Errorf("a wrong password gets %d", r.StatusCode)
		}
		right := url.Values{"confirm_password": {baker.password}, "email": invite["email"], "role": invite["role"]}
		if r = w.call("POST", ask, right.Encode(), cookie, header{"Content-Type", ""}, form); r.StatusCode != http.StatusTemporaryRedirect || r.Header.Get("Location") != invitations {
			t.Fatalf("the password leads to %d %q", r.StatusCode, r.Header.Get("Location"))
		}
		if r = w.call("POST", invitations, right.Encode(), cookie, header{"Content-Type", ""}, form); r.StatusCode != http.StatusOK && r.StatusCode != http.StatusSeeOther {
			t.Errorf("the form that goes on gets %d", r.StatusCode)
		}
	})
	t.Run("no address outside this server is led to", func(t *testing.T) {
		right := url.Values{"confirm_password": {baker.password}, "next": {"//evil.example"}}
		for _, ask := range []string{"/confirm?to=//evil.example", "/confirm?to=https://evil.example/x"} {
			if r := w.within(t).call("POST", ask, right.Encode(), cookie, header{"Content-Type", ""}, form); r.Header.Get("Location") != "/" {
				t.Errorf("%s leads to %q", ask, r.Header.Get("Location"))
			}
		}
	})
}

func TestServerDemandsASecondFactorOfEverybody(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start(func(c *app.Config) { c.FactorOfAll = true })
		baker := w.newTenant("baker", plan.Standard)
		owner, err := w.server.Tenants.Users.ByEmail(t.Context(), baker.email)
		w.must(err)
		as := func(proof signin.Proof) header {
			keys, err := w.server.Tenants.Sessions.Start(t.Context(), owner.ID, proof, account.Client{})
			w.must(err)
			return header{"Cookie", "parley_session=" + keys.Session}
		}
		page, program := "/workspaces/"+baker.workspace, "/api/chatbots/"+baker.chatbot+"/api-tokens"
		for name, cookie := range map[string]header{
			"a password": as(signin.Proof{Method: signin.ByPassword}), "a workspace's provider": as(signin.Proof{Method: signin.BySSO, SSOWorkspaceID: baker.workspace}),
		} {
			if r := w.call("GET", page, "", cookie); r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), "/confirm?factor=1") {
				t.Errorf("%s gets %d to %q", name, r.StatusCode, r.Header.Get("Location"))
			}
			if r := w.call("GET", program, "", cookie); r.StatusCode != http.StatusForbidden || r.Header.Get("X-Error-Code") != "second_factor_required" {
				t.Errorf("%s gets %d %q", name, r.StatusCode, r.Header.Get("X-Error-Code"))
			}
			if r := w.call("GET", "/account/security", "", cookie); r.StatusCode != http.StatusOK {
				t.Errorf("%s gets %d of the own account", name, r.StatusCode)
			}
		}
		for name, cookie := range map[string]header{
			"a second factor": as(signin.Proof{Method: signin.ByPasskey, SecondFactor: true}), "the operator's provider": as(signin.Proof{Method: signin.BySSO}),
		} {
			if r := w.call("GET", page, "", cookie); r.StatusCode != http.StatusOK {
				t.Errorf("%s gets %d", name, r.StatusCode)
			}
		}
		w.chats(baker.token, http.StatusOK) // programs are not affected
	})
}

func TestWorkspaceDemandsASecondFactor(t *testing.T) {
	t.Parallel()
	w := start(t)
	baker := w.newTenant("baker", plan.Standard)
	keys, err := w.server.Tenants.Sessions.SignIn(t.Context(), baker.email, baker.password, account.Client{})
	w.must(err)
	plain, err := w.server.Tenants.Sessions.SignIn(t.Context(), baker.email, baker.password, account.Client{})
	w.must(err)
	w.byApp(baker, keys.Session)
	cookie, without := header{"Cookie", "parley_session=" + keys.Session}, header{"Cookie", "parley_session=" + plain.Session}
	form := header{"Content-Type", "application/x-www-form-urlencoded"}
	settings := "/workspaces/" + baker.workspace + "/settings/second-factor"
	if r := w.call("POST", settings, "required=on", without, header{"Content-Type", ""}, form); r.StatusCode != http.StatusConflict {
		t.Errorf("an owner who has shown none gets %d", r.StatusCode)
	}
	if r := w.call("POST", settings, "required=on", cookie, header{"Content-Type", ""}, form); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d %s", r.StatusCode, r.body)
	}
	for _, path := range []string{"/workspaces/" + baker.workspace, "/chatbots/" + baker.chatbot, "/chatbots/" + baker.chatbot + "/tokens"} {
		if r := w.call("GET", path, "", without); r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), "/confirm?factor=1") {
			t.Errorf("%s gives %d to %q", path, r.StatusCode, r.Header.Get("Location"))
		}
		if r := w.call("GET", path, "", cookie); r.StatusCode != http.StatusOK {
			t.Errorf("%s gives %d with a second factor", path, r.StatusCode)
		}
	}
	for _, path := range []string{"/api/chatbots/" + baker.chatbot + "/api-tokens", "/api/workspaces/" + baker.workspace + "/find?q=a"} {
		if r := w.call("GET", path, "", without); r.StatusCode != http.StatusForbidden || r.Header.Get("X-Error-Code") != "second_factor_required" {
			t.Errorf("%s gives %d %q", path, r.StatusCode, r.Header.Get("X-Error-Code"))
		}
	}
	w.chats(baker.token, http.StatusOK) // programs are not affected
	t.Run("an owner restores the workspace when it is being deleted, with a second factor", func(t *testing.T) {
		w := w.within(t)
		_, err := w.server.Privacy.Workspaces.Delete(t.Context(), baker.workspace)
		w.must(err)
		restore := "/workspaces/" + baker.workspace + "/restore"
		if r := w.call("POST", restore, "", without, header{"Content-Type", ""}, form); r.StatusCode != http.StatusForbidden {
			t.Errorf("without one it is %d", r.StatusCode)
		}
		if r := w.call("POST", restore, "", cookie, header{"Content-Type", ""}, form); r.StatusCode != http.StatusSeeOther {
			t.Errorf("with one it is %d %s", r.StatusCode, r.body)
		}
	})
}
