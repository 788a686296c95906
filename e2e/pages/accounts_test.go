package pages

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

var newAccount = harness.Pairs{"email", "First@Example.com ", "password", "a long enough password", "workspace", "First shop"}

func TestSignUp(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		first := w.NewVisitor()
		t.Run("the first visitor of an empty server is led to sign up", func(t *testing.T) {
			w := w.Within(t)
			w.GoesTo(w.NewVisitor().Get("/"), "/sign-up")
		})
		t.Run("signing up leads to a workspace on the Starter plan, as its owner", func(t *testing.T) {
			v := first.In(t)
			v.GoesTo(v.Post("/sign-up", newAccount), "/")
			home := harness.Location(v.Get("/"))
			if !strings.HasPrefix(home, "/workspaces/ws_") {
				t.Fatalf("the start page leads to %q", home)
			}
			page := v.Get(home)
			v.Expect(page, 200)
			if got := harness.TextOf(v.Page(page), "popovertarget", "workspaces"); got != "F Workspace First shop" {
				t.Errorf("the workspace is %q", got)
			}
			if !strings.Contains(page.Text, `action="`+home+`/chatbots"`) {
				t.Error("the first page does not offer to make a chatbot")
			}
			plans := v.Page(v.Get(home + "/billing"))
			if got := harness.TextOf(plans, "class", "current"); got != "Starter Your plan" {
				t.Errorf("the plan is %q", got)
			}
			if got := harness.TextOf(v.Page(v.Get(home+"/members")), "id", "member-list"); !strings.Contains(got, "first@example.com You Owner") {
				t.Errorf("the members are %q", got)
			}
		})
		t.Run("the next visitor is led to sign in", func(t *testing.T) {
			w := w.Within(t)
			w.GoesTo(w.NewVisitor().Get("/"), "/sign-in")
		})
		t.Run("an address that has an account cannot sign up again", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			r := v.Post("/sign-up", newAccount)
			v.GoesTo(r, "/") // it is a sign-in
			other := harness.Pairs{"email", "first@example.com", "password", "another long password", "workspace", "Second"}
			r = w.Within(t).NewVisitor().Post("/sign-up", other)
			v.Expect(r, http.StatusUnauthorized)
			if got := harness.Text(v.Page(r)); !strings.Contains(got, "No account was created.") {
				t.Errorf("the page says %q", got)
			}
			if strings.Contains(r.Text, "another long password") {
				t.Error("the page repeats the password")
			}
		})
	})
}

func TestSignUpClosed(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start(harness.SignUpOff)
		t.Run("the first visitor gets in", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.GoesTo(v.Get("/"), "/sign-up")
			v.Expect(v.Get("/sign-up"), 200)
			v.GoesTo(v.Post("/sign-up", newAccount), "/")
		})
		t.Run("nobody else gets in, and no page offers it", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.Expect(v.Get("/sign-up"), http.StatusForbidden)
			second := harness.Pairs{"email", "second@example.com", "password", "a long enough password", "workspace", "Second"}
			v.Expect(v.Post("/sign-up", second), http.StatusForbidden)
			if page := v.Get("/sign-in"); strings.Contains(page.Text, "/sign-up") {
				t.Error("the sign-in offers to sign up")
			}
			if len(v.Cookies) != 0 {
				t.Errorf("there are cookies: %v", v.Cookies)
			}
		})
		t.Run("of several visitors who come to an empty server at once, one gets in", func(t *testing.T) {
			w := start(harness.SignUpOff)
			w.T = t
			statuses := make(chan int, 4)
			for i := range cap(statuses) {
				go func() {
					form := url.Values{"email": {"racer" + string(rune('a'+i)) + "@example.com"}, "password": {"a long enough password"}, "workspace": {"Race"}}
					response, err := http.Post(w.Base+"/sign-up", harness.FormType.Value, strings.NewReader(form.Encode()))
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
			if users := w.Users(); len(users) != 1 {
				t.Errorf("%d got in", len(users))
			}
		})
	})
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard)
		home := "/workspaces/" + baker.Workspace

		t.Run("the right password signs in, however the address is written", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.GoesTo(v.SignIn(" Baker@Example.COM", baker.Password), "/")
			v.Expect(v.Get(home), 200)
		})
		t.Run("a wrong password and an unknown address give the same page", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			pinned := harness.Header{Name: "X-Request-Id", Value: "the-same"}
			wrong := v.SignIn(baker.Email, "a wrong guess", pinned)
			unknown := v.SignIn("bread@example.com", "a wrong guess", pinned)
			v.Expect(wrong, http.StatusUnauthorized)
			if got := strings.ReplaceAll(wrong.Text, baker.Email, "bread@example.com"); got != unknown.Text || unknown.StatusCode != wrong.StatusCode {
				t.Errorf("wrong: %s\nunknown: %s", wrong.Text, unknown.Text)
			}
			wrong.Header.Del("Date")
			unknown.Header.Del("Date")
			if w, u := wrong.Header, unknown.Header; len(w) != len(u) || w.Get("Set-Cookie") != "" {
				t.Errorf("wrong: %v\nunknown: %v", w, u)
			}
			if strings.Contains(wrong.Text, "a wrong guess") {
				t.Error("the page repeats the password")
			}
		})
		t.Run("signing out ends the session, for a copy of its cookie too, and clears what pages kept", func(t *testing.T) {
			w := w.Within(t)
			v := w.SignedIn(baker.Email, baker.Password)
			secret := v.Cookies["parley_session"]
			left := v.Post("/sign-out", nil)
			v.GoesTo(left, "/sign-in")
			if got := left.Header.Get("Clear-Site-Data"); got != `"storage"` {
				t.Errorf("Clear-Site-Data is %q", got)
			}
			if _, kept := v.Cookies["parley_session"]; kept {
				t.Errorf("the browser keeps %v", v.Cookies)
			}
			v.Cookies["parley_session"] = secret
			v.GoesTo(v.Get(home), "/sign-in?next="+url.QueryEscape(home))
			v.Expect(v.Ask("GET", "/api/chatbots/"+baker.Chatbot+"/api-tokens", ""), 401)
		})
		t.Run("a planted cookie is not adopted at sign-in", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			planted := strings.Repeat("A", 43)
			v.Cookies["parley_session"] = planted
			v.GoesTo(v.SignIn(baker.Email, baker.Password), "/")
			if got := v.Cookies["parley_session"]; got == planted || got == "" {
				t.Errorf("the session is %q", got)
			}
		})
		t.Run("signing in again makes a new session and ends the old one", func(t *testing.T) {
			w := w.Within(t)
			v := w.SignedIn(baker.Email, baker.Password)
			old := v.Cookies["parley_session"]
			v.GoesTo(v.SignIn(baker.Email, baker.Password), "/")
			if v.Cookies["parley_session"] == old {
				t.Error("the session is the same")
			}
			v.Cookies["parley_session"] = old
			v.GoesTo(v.Get(home), "/sign-in?next="+url.QueryEscape(home))
		})
		t.Run("signing in goes on to where the visitor was, and never to another server", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			signIn := func(next string) harness.Reply {
				return v.Post("/sign-in", harness.Pairs{"email", baker.Email, "password", baker.Password, "next", next})
			}
			v.GoesTo(signIn(home+"/billing"), home+"/billing")
			v.GoesTo(signIn("//evil.example"), "/")
			v.GoesTo(signIn(`/\evil.example`), "/")
			v.GoesTo(v.Get("/sign-in?next="+url.QueryEscape(home)), home)
			for _, next := range []string{
				"", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "/\t/evil.example", "/\n/evil.example",
				"https://evil.example", "javascript:alert(1)", "evil.example",
			} {
				v.GoesTo(v.Get("/sign-in?next="+url.QueryEscape(next)), "/")
			}
		})
		t.Run("the log has no password and no session", func(t *testing.T) {
			w := w.Within(t)
			v := w.SignedIn(baker.Email, baker.Password)
			w.NotLogged(baker.Password, "a wrong guess", v.Cookies["parley_session"], baker.Email)
		})
	})
}

func TestCookieAttributes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, name, attributes string }{
		{"", "parley_session", "; max-age=2592000; path=/; HttpOnly; SameSite=Lax"},
		{"https://parley.example.com", "__Host-parley_session", "; max-age=2592000; path=/; HttpOnly; secure; SameSite=Lax"},
		{"", "parley_device", "; max-age=15552000; path=/; HttpOnly; SameSite=Lax"},
		{"https://parley.example.com", "__Host-parley_device", "; max-age=15552000; path=/; HttpOnly; secure; SameSite=Lax"},
	} {
		t.Run("the cookie of a server at "+c.base+" is "+c.name, func(t *testing.T) {
			w := harness.Start(t, func(config *app.Config) { config.BaseURL = c.base })
			baker := w.NewTenant("baker", plan.Standard)
			r := w.NewVisitor().SignIn(baker.Email, baker.Password)
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
		w := harness.Start(t, func(config *app.Config) { config.BaseURL = "https://parley.example.com" })
		baker := w.NewTenant("baker", plan.Standard)
		v := w.SignedIn(baker.Email, baker.Password)
		v.Expect(v.Get("/workspaces/"+baker.Workspace), 200)
		v.Cookies = map[string]string{"parley_session": v.Cookies["__Host-parley_session"]}
		v.Expect(v.Get("/workspaces/"+baker.Workspace), http.StatusSeeOther)
	})
}

func behindProxy(c *app.Config) { c.Proxies = []string{"127.0.0.1"} }

func from(address string) harness.Header {
	return harness.Header{Name: "X-Forwarded-For", Value: address}
}

func TestThrottledSignIn(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start(behindProxy)
		baker, smith := w.NewTenant("baker", plan.Standard), w.NewTenant("smith", plan.Standard)
		for range 10 {
			w.Expect(w.NewVisitor().SignIn(baker.Email, "a wrong guess", from("192.0.2.1")), http.StatusUnauthorized)
		}
		t.Run("the eleventh attempt is told to wait, on a page and in a header", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			r := v.SignIn(baker.Email, baker.Password, from("192.0.2.1"))
			v.Expect(r, http.StatusTooManyRequests)
			if got := r.Header.Get("Retry-After"); got != "900" {
				t.Errorf("Retry-After is %q", got)
			}
			if !strings.Contains(harness.Text(v.Page(r)), "Wait 15 minutes") || len(v.Cookies) != 0 {
				t.Errorf("the page says %q, cookies %v", harness.Text(v.Page(r)), v.Cookies)
			}
		})
		t.Run("another address is not affected", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.GoesTo(v.SignIn(baker.Email, baker.Password, from("192.0.2.2")), "/")
		})
		t.Run("another account is not affected", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.GoesTo(v.SignIn(smith.Email, smith.Password, from("192.0.2.1")), "/")
		})
		t.Run("an address that the caller put in the header is not believed", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.Expect(v.SignIn(baker.Email, baker.Password, from("203.0.113.9, 192.0.2.1")), http.StatusTooManyRequests)
		})
		t.Run("a proxy before the proxy is looked through", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.Expect(v.SignIn(baker.Email, baker.Password, from("203.0.113.9, 192.0.2.1, 127.0.0.1")), http.StatusTooManyRequests)
		})
	})
	t.Run("strangers of one IPv6 network are one, and do not lock out a browser that has signed in before", func(t *testing.T) {
		harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
			w := start(behindProxy)
			baker := w.NewTenant("baker", plan.Standard)
			known := w.SignedIn(baker.Email, baker.Password)
			for n := range 10 {
				stranger := from(fmt.Sprintf("2001:db8:1:2::%x", n+1))
				w.Expect(w.NewVisitor().SignIn(baker.Email, "a wrong guess", stranger), http.StatusUnauthorized)
			}
			next := from("2001:db8:1:2:3:4:5:6")
			w.Expect(w.NewVisitor().SignIn(baker.Email, baker.Password, next), http.StatusTooManyRequests)
			w.GoesTo(known.Post("/sign-out", nil), "/sign-in")
			w.GoesTo(known.SignIn(baker.Email, baker.Password, next), "/")
		})
	})
	t.Run("without a trusted proxy the header is not believed", func(t *testing.T) {
		w := harness.Start(t)
		baker := w.NewTenant("baker", plan.Standard)
		for range 10 {
			w.NewVisitor().SignIn(baker.Email, "a wrong guess", from("192.0.2.1"))
		}
		w.Expect(w.NewVisitor().SignIn(baker.Email, baker.Password, from("192.0.2.2")), http.StatusTooManyRequests)
	})
}
