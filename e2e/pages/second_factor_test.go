package pages

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
	"parley/e2e/harness"
	"parley/store/storetest"
)

// byApp sets up an app for the owner of a tenant, and returns its secret.
func byApp(w *harness.Instance, tn harness.Tenant, secret string) string {
	w.Helper()
	services, ctx := w.Server.Tenants, w.Context()
	user, session, err := services.Sessions.SignedIn(ctx, secret)
	w.Must(err)
	w.Must(services.Factors.Apps.Begin(ctx, user))
	pending, err := services.Factors.Apps.Pending(ctx, user)
	w.Must(err)
	code, err := totp.GenerateCode(pending.Secret, app.Now())
	w.Must(err)
	_, err = services.Factors.Apps.Confirm(ctx, user, session, code)
	w.Must(err)
	return pending.Secret
}

func TestSecondFactorOnTwoServers(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	var ahead atomic.Int64
	clock := func() time.Time { return app.Now().Add(time.Duration(ahead.Load())) }
	on := func(c *app.Config) { c.DatabaseURL = database }
	here, there := harness.StartWith(t, app.Options{Now: clock}, on), harness.StartWith(t, app.Options{Now: clock}, on)
	baker := here.NewTenant("baker", plan.Standard)
	client := account.Client{}
	keys, err := here.Server.Tenants.Sessions.SignIn(t.Context(), baker.Email, baker.Password, client)
	here.Must(err)
	secret := byApp(here, baker, keys.Session)
	ahead.Add(int64(time.Minute))
	code, err := totp.GenerateCode(secret, clock())
	here.Must(err)

	t.Run("a sign-in that begins on one server ends on the other, and one code admits one of two", func(t *testing.T) {
		type result struct {
			keys account.Keys
			err  error
		}
		results := make(chan result, 2)
		for _, pair := range [][2]*harness.Instance{{here, there}, {there, here}} {
			begun, err := pair[0].Server.Tenants.Sessions.SignIn(t.Context(), baker.Email, baker.Password, client)
			pair[0].Must(err)
			if begun.Session != "" || begun.Step == "" {
				t.Fatalf("the password gives %+v", begun)
			}
			go func() {
				keys, err := pair[1].Server.Tenants.Factors.Proofs.EnterWithCode(t.Context(), begun.Step, factor.Code{Text: code}, client)
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
	w := harness.StartWith(t, app.Options{Now: clock}, func(c *app.Config) { c.DatabaseURL = database })
	baker := w.NewTenant("baker", plan.Standard)
	keys, err := w.Server.Tenants.Sessions.SignIn(t.Context(), baker.Email, baker.Password, account.Client{})
	w.Must(err)
	cookie := harness.Header{Name: "Cookie", Value: "parley_session=" + keys.Session}
	form := harness.Header{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}
	age := func() { ahead.Add(int64(account.ProofLifetime)) }
	invitations := "/workspaces/" + baker.Workspace + "/invitations"
	tokens := "/api/chatbots/" + baker.Chatbot + "/api-tokens"
	invite := url.Values{"email": {"guest@example.com"}, "role": {string(tenant.RoleMember)}}
	t.Run("nothing asks within fifteen minutes after a sign-in", func(t *testing.T) {
		w := w.Within(t)
		if r := w.Call("POST", tokens, `{"name":"Fresh"}`, cookie); r.StatusCode != http.StatusOK {
			t.Errorf("got %d %s", r.StatusCode, r.Text)
		}
	})
	t.Run("a token is refused with a code of its own, and nothing is made", func(t *testing.T) {
		w := w.Within(t)
		age()
		r := w.Call("POST", tokens, `{"name":"Stale"}`, cookie)
		if r.StatusCode != http.StatusForbidden || r.Header.Get("X-Error-Code") != "reauthentication_required" {
			t.Errorf("got %d %s", r.StatusCode, r.Text)
		}
		if r := w.Call("GET", tokens, "", cookie); strings.Contains(string(r.Text), "Stale") {
			t.Error("the token was made")
		}
	})
	t.Run("a form is led to the page that asks, with what was entered, and on from there", func(t *testing.T) {
		w := w.Within(t)
		r := w.Call("POST", invitations, invite.Encode(), cookie, harness.Header{Name: "Content-Type", Value: ""}, form)
		if at := r.Header.Get("Location"); r.StatusCode != http.StatusTemporaryRedirect || at != "/confirm?to="+url.QueryEscape(invitations) {
			t.Fatalf("got %d to %q", r.StatusCode, at)
		}
		ask := r.Header.Get("Location")
		if r = w.Call("POST", ask, invite.Encode(), cookie, harness.Header{Name: "Content-Type", Value: ""}, form); !strings.Contains(string(r.Text), `value="guest@example.com"`) {
			t.Fatalf("the page lost what was entered: %d", r.StatusCode)
		}
		wrong := url.Values{"confirm_password": {"a wrong guess"}, "email": invite["email"], "role": invite["role"]}
		if r = w.Call("POST", ask, wrong.Encode(), cookie, harness.Header{Name: "Content-Type", Value: ""}, form); r.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(r.Text), `value="guest@example.com"`) {
			t.Errorf("a wrong password gets %d", r.StatusCode)
		}
		right := url.Values{"confirm_password": {baker.Password}, "email": invite["email"], "role": invite["role"]}
		if r = w.Call("POST", ask, right.Encode(), cookie, harness.Header{Name: "Content-Type", Value: ""}, form); r.StatusCode != http.StatusTemporaryRedirect || r.Header.Get("Location") != invitations {
			t.Fatalf("the password leads to %d %q", r.StatusCode, r.Header.Get("Location"))
		}
		if r = w.Call("POST", invitations, right.Encode(), cookie, harness.Header{Name: "Content-Type", Value: ""}, form); r.StatusCode != http.StatusOK && r.StatusCode != http.StatusSeeOther {
			t.Errorf("the form that goes on gets %d", r.StatusCode)
		}
	})
	t.Run("no address outside this server is led to", func(t *testing.T) {
		right := url.Values{"confirm_password": {baker.Password}, "next": {"//evil.example"}}
		for _, ask := range []string{"/confirm?to=//evil.example", "/confirm?to=https://evil.example/x"} {
			if r := w.Within(t).Call("POST", ask, right.Encode(), cookie, harness.Header{Name: "Content-Type", Value: ""}, form); r.Header.Get("Location") != "/" {
				t.Errorf("%s leads to %q", ask, r.Header.Get("Location"))
			}
		}
	})
}

func TestServerDemandsASecondFactorOfEverybody(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start(func(c *app.Config) { c.FactorOfAll = true })
		baker := w.NewTenant("baker", plan.Standard)
		owner, err := w.Server.Tenants.Users.ByEmail(t.Context(), baker.Email)
		w.Must(err)
		as := func(proof signin.Proof) harness.Header {
			keys, err := w.Server.Tenants.Sessions.Start(t.Context(), owner.ID, proof, account.Client{})
			w.Must(err)
			return harness.Header{Name: "Cookie", Value: "parley_session=" + keys.Session}
		}
		page, program := "/workspaces/"+baker.Workspace, "/api/chatbots/"+baker.Chatbot+"/api-tokens"
		for name, cookie := range map[string]harness.Header{
			"a password": as(signin.Proof{Method: signin.ByPassword}), "a workspace's provider": as(signin.Proof{Method: signin.BySSO, SSOWorkspaceID: baker.Workspace}),
		} {
			if r := w.Call("GET", page, "", cookie); r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), "/confirm?factor=1") {
				t.Errorf("%s gets %d to %q", name, r.StatusCode, r.Header.Get("Location"))
			}
			if r := w.Call("GET", program, "", cookie); r.StatusCode != http.StatusForbidden || r.Header.Get("X-Error-Code") != "second_factor_required" {
				t.Errorf("%s gets %d %q", name, r.StatusCode, r.Header.Get("X-Error-Code"))
			}
			if r := w.Call("GET", "/account/security", "", cookie); r.StatusCode != http.StatusOK {
				t.Errorf("%s gets %d of the own account", name, r.StatusCode)
			}
		}
		for name, cookie := range map[string]harness.Header{
			"a second factor": as(signin.Proof{Method: signin.ByPasskey, SecondFactor: true}), "the operator's provider": as(signin.Proof{Method: signin.BySSO}),
		} {
			if r := w.Call("GET", page, "", cookie); r.StatusCode != http.StatusOK {
				t.Errorf("%s gets %d", name, r.StatusCode)
			}
		}
		w.Chats(baker.Token, http.StatusOK) // programs are not affected
	})
}

func TestWorkspaceDemandsASecondFactor(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	keys, err := w.Server.Tenants.Sessions.SignIn(t.Context(), baker.Email, baker.Password, account.Client{})
	w.Must(err)
	plain, err := w.Server.Tenants.Sessions.SignIn(t.Context(), baker.Email, baker.Password, account.Client{})
	w.Must(err)
	byApp(w, baker, keys.Session)
	cookie, without := harness.Header{Name: "Cookie", Value: "parley_session=" + keys.Session}, harness.Header{Name: "Cookie", Value: "parley_session=" + plain.Session}
	form := harness.Header{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}
	settings := "/workspaces/" + baker.Workspace + "/settings/second-factor"
	if r := w.Call("POST", settings, "required=on", without, harness.Header{Name: "Content-Type", Value: ""}, form); r.StatusCode != http.StatusConflict {
		t.Errorf("an owner who has shown none gets %d", r.StatusCode)
	}
	if r := w.Call("POST", settings, "required=on", cookie, harness.Header{Name: "Content-Type", Value: ""}, form); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d %s", r.StatusCode, r.Text)
	}
	for _, path := range []string{"/workspaces/" + baker.Workspace, "/chatbots/" + baker.Chatbot, "/chatbots/" + baker.Chatbot + "/tokens"} {
		if r := w.Call("GET", path, "", without); r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), "/confirm?factor=1") {
			t.Errorf("%s gives %d to %q", path, r.StatusCode, r.Header.Get("Location"))
		}
		if r := w.Call("GET", path, "", cookie); r.StatusCode != http.StatusOK {
			t.Errorf("%s gives %d with a second factor", path, r.StatusCode)
		}
	}
	for _, path := range []string{"/api/chatbots/" + baker.Chatbot + "/api-tokens", "/api/workspaces/" + baker.Workspace + "/find?q=a"} {
		if r := w.Call("GET", path, "", without); r.StatusCode != http.StatusForbidden || r.Header.Get("X-Error-Code") != "second_factor_required" {
			t.Errorf("%s gives %d %q", path, r.StatusCode, r.Header.Get("X-Error-Code"))
		}
	}
	w.Chats(baker.Token, http.StatusOK) // programs are not affected
	t.Run("an owner restores the workspace when it is being deleted, with a second factor", func(t *testing.T) {
		w := w.Within(t)
		_, err := w.Server.Privacy.Workspaces.Delete(t.Context(), baker.Workspace)
		w.Must(err)
		restore := "/workspaces/" + baker.Workspace + "/restore"
		if r := w.Call("POST", restore, "", without, harness.Header{Name: "Content-Type", Value: ""}, form); r.StatusCode != http.StatusForbidden {
			t.Errorf("without one it is %d", r.StatusCode)
		}
		if r := w.Call("POST", restore, "", cookie, harness.Header{Name: "Content-Type", Value: ""}, form); r.StatusCode != http.StatusSeeOther {
			t.Errorf("with one it is %d %s", r.StatusCode, r.Text)
		}
	})
}
