package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
)

func signUpOff(c *app.Config) { c.SignUp = false }

// location is where an answer sends the browser.
func location(r reply) string { return r.Header.Get("Location") }

func (w *instance) goesTo(r reply, path string) {
	w.Helper()
	if r.StatusCode != http.StatusSeeOther || location(r) != path {
		w.Errorf("answered %d to %q, want 303 to %q: %s", r.StatusCode, location(r), path, shortened(r.body))
	}
}

var newAccount = pairs{"email", "First@Example.com ", "password", "a long enough password", "workspace", "First shop"}

func TestSignUp(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		first := w.visitor()
		t.Run("the first visitor of an empty server is led to sign up", func(t *testing.T) {
			w := w.within(t)
			w.goesTo(w.visitor().get("/"), "/sign-up")
		})
		t.Run("signing up leads to a workspace on the Starter plan, as its owner", func(t *testing.T) {
			v := first.in(t)
			v.goesTo(v.post("/sign-up", newAccount), "/")
			home := location(v.get("/"))
			if !strings.HasPrefix(home, "/workspaces/ws_") {
				t.Fatalf("the start page leads to %q", home)
			}
			page := v.get(home)
			v.expect(page, 200)
			if got := textOf(v.page(page), "popovertarget", "workspaces"); got != "F Workspace First shop" {
				t.Errorf("the workspace is %q", got)
			}
			if !strings.Contains(page.body, `action="`+home+`/chatbots"`) {
				t.Error("the first page does not offer to make a chatbot")
			}
			plans := v.page(v.get(home + "/billing"))
			if got := textOf(plans, "class", "current"); got != "Starter Your plan" {
				t.Errorf("the plan is %q", got)
			}
			if got := textOf(v.page(v.get(home+"/members")), "id", "member-list"); !strings.Contains(got, "first@example.com You Owner") {
				t.Errorf("the members are %q", got)
			}
		})
		t.Run("the next visitor is led to sign in", func(t *testing.T) {
			w := w.within(t)
			w.goesTo(w.visitor().get("/"), "/sign-in")
		})
		t.Run("an address that has an account cannot sign up again", func(t *testing.T) {
			v := w.within(t).visitor()
			r := v.post("/sign-up", newAccount)
			v.goesTo(r, "/") // it is a sign-in
			other := pairs{"email", "first@example.com", "password", "another long password", "workspace", "Second"}
			r = w.within(t).visitor().post("/sign-up", other)
			v.expect(r, http.StatusUnauthorized)
			if got := text(v.page(r)); !strings.Contains(got, "No account was created.") {
				t.Errorf("the page says %q", got)
			}
			if strings.Contains(r.body, "another long password") {
				t.Error("the page repeats the password")
			}
		})
	})
}

func TestSignUpClosed(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start(signUpOff)
		t.Run("the first visitor gets in", func(t *testing.T) {
			v := w.within(t).visitor()
			v.goesTo(v.get("/"), "/sign-up")
			v.expect(v.get("/sign-up"), 200)
			v.goesTo(v.post("/sign-up", newAccount), "/")
		})
		t.Run("nobody else gets in, and no page offers it", func(t *testing.T) {
			v := w.within(t).visitor()
			v.expect(v.get("/sign-up"), http.StatusForbidden)
			second := pairs{"email", "second@example.com", "password", "a long enough password", "workspace", "Second"}
			v.expect(v.post("/sign-up", second), http.StatusForbidden)
			if page := v.get("/sign-in"); strings.Contains(page.body, "/sign-up") {
				t.Error("the sign-in offers to sign up")
			}
			if len(v.cookies) != 0 {
				t.Errorf("there are cookies: %v", v.cookies)
			}
		})
		t.Run("of several visitors who come to an empty server at once, one gets in", func(t *testing.T) {
			w := start(signUpOff)
			w.T = t
			statuses := make(chan int, 4)
			for i := range cap(statuses) {
				go func() {
					form := url.Values{"email": {"racer" + string(rune('a'+i)) + "@example.com"}, "password": {"a long enough password"}, "workspace": {"Race"}}
					response, err := http.Post(w.base+"/sign-up", formType.value, strings.NewReader(form.Encode()))
					if err != nil {
						statuses <- 0
						return
					}
					response.Body.Close()
					statuses <- response.StatusCode
				}()
			}
			for range cap(statuses) {
				<-statuses
			}
			if users := w.users(); len(users) != 1 {
				t.Errorf("%d got in", len(users))
			}
		})
	})
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard)
		home := "/workspaces/" + baker.workspace

		t.Run("the right password signs in, however the address is written", func(t *testing.T) {
			v := w.within(t).visitor()
			v.goesTo(v.signIn(" Baker@Example.COM", baker.password), "/")
			v.expect(v.get(home), 200)
		})
		t.Run("a wrong password and an unknown address give the same page", func(t *testing.T) {
			v := w.within(t).visitor()
			pinned := header{"X-Request-Id", "the-same"}
			wrong := v.signIn(baker.email, "a wrong guess", pinned)
			unknown := v.signIn("bread@example.com", "a wrong guess", pinned)
			v.expect(wrong, http.StatusUnauthorized)
			if got := strings.ReplaceAll(wrong.body, baker.email, "bread@example.com"); got != unknown.body || unknown.StatusCode != wrong.StatusCode {
				t.Errorf("wrong: %s\nunknown: %s", wrong.body, unknown.body)
			}
			wrong.Header.Del("Date")
			unknown.Header.Del("Date")
			if w, u := wrong.Header, unknown.Header; len(w) != len(u) || w.Get("Set-Cookie") != "" {
				t.Errorf("wrong: %v\nunknown: %v", w, u)
			}
			if strings.Contains(wrong.body, "a wrong guess") {
				t.Error("the page repeats the password")
			}
		})
		t.Run("signing out ends the session, for a copy of its cookie too, and clears what pages kept", func(t *testing.T) {
			w := w.within(t)
			v := w.signedIn(baker.email, baker.password)
			secret := v.cookies["parley_session"]
			left := v.post("/sign-out", nil)
			v.goesTo(left, "/sign-in")
			if got := left.Header.Get("Clear-Site-Data"); got != `"storage"` {
				t.Errorf("Clear-Site-Data is %q", got)
			}
			if _, kept := v.cookies["parley_session"]; kept {
				t.Errorf("the browser keeps %v", v.cookies)
			}
			v.cookies["parley_session"] = secret
			v.goesTo(v.get(home), "/sign-in?next="+url.QueryEscape(home))
			v.expect(v.ask("GET", "/api/chatbots/"+baker.chatbot+"/api-tokens", ""), 401)
		})
		t.Run("a planted cookie is not adopted at sign-in", func(t *testing.T) {
			v := w.within(t).visitor()
			planted := strings.Repeat("A", 43)
			v.cookies["parley_session"] = planted
			v.goesTo(v.signIn(baker.email, baker.password), "/")
			if got := v.cookies["parley_session"]; got == planted || got == "" {
				t.Errorf("the session is %q", got)
			}
		})
		t.Run("signing in again makes a new session and ends the old one", func(t *testing.T) {
			w := w.within(t)
			v := w.signedIn(baker.email, baker.password)
			old := v.cookies["parley_session"]
			v.goesTo(v.signIn(baker.email, baker.password), "/")
			if v.cookies["parley_session"] == old {
				t.Error("the session is the same")
			}
			v.cookies["parley_session"] = old
			v.goesTo(v.get(home), "/sign-in?next="+url.QueryEscape(home))
		})
		t.Run("signing in goes on to where the visitor was, and never to another server", func(t *testing.T) {
			v := w.within(t).visitor()
			signIn := func(next string) reply {
				return v.post("/sign-in", pairs{"email", baker.email, "password", baker.password, "next", next})
			}
			v.goesTo(signIn(home+"/billing"), home+"/billing")
			v.goesTo(signIn("//evil.example"), "/")
			v.goesTo(signIn(`/\evil.example`), "/")
			v.goesTo(v.get("/sign-in?next="+url.QueryEscape(home)), home)
			for _, next := range []string{
				"", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "/\t/evil.example", "/\n/evil.example",
				"https://evil.example", "javascript:alert(1)", "evil.example",
			} {
				v.goesTo(v.get("/sign-in?next="+url.QueryEscape(next)), "/")
			}
		})
		t.Run("the log has no password and no session", func(t *testing.T) {
			w := w.within(t)
			v := w.signedIn(baker.email, baker.password)
			w.notLogged(baker.password, "a wrong guess", v.cookies["parley_session"], baker.email)
		})
	})
}

func TestCookieAttributes(t *testing.T) {
	for _, c := range []struct{ base, name, attributes string }{
		{"", "parley_session", "; max-age=2592000; path=/; HttpOnly; SameSite=Lax"},
		{"https://parley.example.com", "__Host-parley_session", "; max-age=2592000; path=/; HttpOnly; secure; SameSite=Lax"},
		{"", "parley_device", "; max-age=15552000; path=/; HttpOnly; SameSite=Lax"},
		{"https://parley.example.com", "__Host-parley_device", "; max-age=15552000; path=/; HttpOnly; secure; SameSite=Lax"},
	} {
		t.Run("the cookie of a server at "+c.base+" is "+c.name, func(t *testing.T) {
			w := start(t, func(config *app.Config) { config.BaseURL = c.base })
			baker := w.newTenant("baker", plan.Standard)
			r := w.visitor().signIn(baker.email, baker.password)
			for _, line := range r.Header["Set-Cookie"] {
				name, rest, _ := strings.Cut(line, "=")
				_, attributes, _ := strings.Cut(rest, ";")
				if name == c.name && ";"+attributes == c.attributes {
					return
				}
			}
			t.Errorf("got %q", r.Header["Set-Cookie"])
		})
	}
	t.Run("by HTTPS a cookie without the prefix is no session", func(t *testing.T) {
		w := start(t, func(config *app.Config) { config.BaseURL = "https://parley.example.com" })
		baker := w.newTenant("baker", plan.Standard)
		v := w.signedIn(baker.email, baker.password)
		v.expect(v.get("/workspaces/"+baker.workspace), 200)
		v.cookies = map[string]string{"parley_session": v.cookies["__Host-parley_session"]}
		v.expect(v.get("/workspaces/"+baker.workspace), http.StatusSeeOther)
	})
}

func behindProxy(c *app.Config) { c.Proxies = []string{"127.0.0.1"} }

func from(address string) header { return header{"X-Forwarded-For", address} }

func TestThrottledSignIn(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start(behindProxy)
		baker, smith := w.newTenant("baker", plan.Standard), w.newTenant("smith", plan.Standard)
		for range 10 {
			w.expect(w.visitor().signIn(baker.email, "a wrong guess", from("192.0.2.1")), http.StatusUnauthorized)
		}
		t.Run("the eleventh attempt is told to wait, on a page and in a header", func(t *testing.T) {
			v := w.within(t).visitor()
			r := v.signIn(baker.email, baker.password, from("192.0.2.1"))
			v.expect(r, http.StatusTooManyRequests)
			if got := r.Header.Get("Retry-After"); got != "900" {
				t.Errorf("Retry-After is %q", got)
			}
			if !strings.Contains(text(v.page(r)), "Wait 15 minutes") || len(v.cookies) != 0 {
				t.Errorf("the page says %q, cookies %v", text(v.page(r)), v.cookies)
			}
		})
		t.Run("another address is not affected", func(t *testing.T) {
			v := w.within(t).visitor()
			v.goesTo(v.signIn(baker.email, baker.password, from("192.0.2.2")), "/")
		})
		t.Run("another account is not affected", func(t *testing.T) {
			v := w.within(t).visitor()
			v.goesTo(v.signIn(smith.email, smith.password, from("192.0.2.1")), "/")
		})
		t.Run("an address that the caller put in the header is not believed", func(t *testing.T) {
			v := w.within(t).visitor()
			v.expect(v.signIn(baker.email, baker.password, from("203.0.113.9, 192.0.2.1")), http.StatusTooManyRequests)
		})
		t.Run("a proxy before the proxy is looked through", func(t *testing.T) {
			v := w.within(t).visitor()
			v.expect(v.signIn(baker.email, baker.password, from("203.0.113.9, 192.0.2.1, 127.0.0.1")), http.StatusTooManyRequests)
		})
	})
	t.Run("strangers of one IPv6 network are one, and do not lock out a browser that has signed in before", func(t *testing.T) {
		onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
			w := start(behindProxy)
			baker := w.newTenant("baker", plan.Standard)
			known := w.signedIn(baker.email, baker.password)
			for n := range 10 {
				stranger := from(fmt.Sprintf("2001:db8:1:2::%x", n+1))
				w.expect(w.visitor().signIn(baker.email, "a wrong guess", stranger), http.StatusUnauthorized)
			}
			next := from("2001:db8:1:2:3:4:5:6")
			w.expect(w.visitor().signIn(baker.email, baker.password, next), http.StatusTooManyRequests)
			w.goesTo(known.post("/sign-out", nil), "/sign-in")
			w.goesTo(known.signIn(baker.email, baker.password, next), "/")
		})
	})
	t.Run("without a trusted proxy the header is not believed", func(t *testing.T) {
		w := start(t)
		baker := w.newTenant("baker", plan.Standard)
		for range 10 {
			w.visitor().signIn(baker.email, "a wrong guess", from("192.0.2.1"))
		}
		w.expect(w.visitor().signIn(baker.email, baker.password, from("192.0.2.2")), http.StatusTooManyRequests)
	})
}
