package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

// untilTurnedAway makes a request until it is refused with 429, and returns that
// answer and how many passed, of at most 1,000.
func untilTurnedAway(w *harness.Instance, send func() harness.Reply) (refused harness.Reply, passed int) {
	w.Helper()
	for ; passed < 1_000; passed++ {
		if r := send(); r.StatusCode == http.StatusTooManyRequests {
			return r, passed
		}
	}
	w.Fatal("a thousand requests passed")
	return harness.Reply{}, 0
}

func TestRequestsOfSessionsHaveARate(t *testing.T) {
	t.Parallel()
	w := harness.Start(t, func(c *app.Config) { c.Proxies = []string{"127.0.0.1"} })
	baker, smith := w.NewTenant("baker", plan.Standard), w.NewTenant("smith", plan.Standard)
	owner, other := w.SignedIn(baker.Email, baker.Password), w.SignedIn(smith.Email, smith.Password)
	documents := func(tn harness.Tenant) string { return "/api/chatbots/" + tn.Chatbot + "/documents" }
	sameOrigin := harness.Header{Name: "Sec-Fetch-Site", Value: "same-origin"}

	t.Run("a person who uploads endlessly is told to wait, and can still read pages", func(t *testing.T) {
		owner := owner.In(t)
		refused, passed := untilTurnedAway(owner.Instance, func() harness.Reply { return owner.Ask("POST", documents(baker), `{}`, sameOrigin) })
		owner.TurnedAway(refused, 429, 7, "Too many requests in the last minute")
		if passed < 30 || passed > 100 {
			t.Errorf("%d uploads passed", passed)
		}
		owner.Expect(owner.Get(documents(baker)), 200)
		owner.Expect(owner.Get("/workspaces/"+baker.Workspace), 200)
	})
	t.Run("a person who reads endlessly is told to wait, on pages and on management routes", func(t *testing.T) {
		owner := owner.In(t)
		refused, _ := untilTurnedAway(owner.Instance, func() harness.Reply { return owner.Get("/account") })
		if refused.Header.Get("Retry-After") == "" || !strings.HasPrefix(refused.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(refused.Text, "Too many requests") {
			t.Errorf("the page is %s, to come again in %q", harness.Shortened(refused.Text), refused.Header.Get("Retry-After"))
		}
		owner.TurnedAway(owner.Get(documents(baker)), 429, 7, "Too many requests in the last minute")
		owner.Expect(owner.Get("/static/0/parley.css"), 200)
		other := other.In(t)
		other.Expect(other.Get(documents(smith)), 200)
	})
	t.Run("a program that sends documents endlessly is told to wait, and others are not", func(t *testing.T) {
		w := w.Within(t)
		w.HasNoHurry()
		token := w.Editor(baker)
		refused, passed := untilTurnedAway(w, func() harness.Reply {
			return w.Call("PUT", harness.Named("hours"), `{"content":"Seven."}`, harness.Bearer(token))
		})
		w.IsRefused(refused, 429, "rate_limited", "Too many requests in the last minute")
		if passed < 30 || passed > 120 {
			t.Errorf("%d documents passed", passed)
		}
		w.CheckAnswer(w.Call("GET", harness.Named("hours"), "", harness.Bearer(token)), 200, 0)
		w.CheckAnswer(w.Call("PUT", harness.Named("hours"), `{"content":"Seven."}`, harness.Bearer(w.Editor(smith))), 200, 0)
	})
	t.Run("strangers count by network, and do not lock out people who are signed in there", func(t *testing.T) {
		other := other.In(t)
		stranger := other.NewVisitor()
		from := func(address string) harness.Header { return harness.Header{Name: "X-Forwarded-For", Value: address} }
		n := 0
		refused, _ := untilTurnedAway(other.Instance, func() harness.Reply {
			n++
			return stranger.Ask("GET", "/sign-in", "", from(fmt.Sprintf("2001:db8:1:2::%x", n)))
		})
		other.Expect(refused, 429)
		other.Expect(stranger.Ask("GET", documents(smith), "", harness.Header{Name: "Cookie", Value: "parley_session=made-up"}, from("2001:db8:1:2::8")), 429)
		other.Expect(stranger.Ask("GET", "/sign-in", "", from("2001:db8:1:3::1")), 200)
		other.Expect(other.Ask("GET", documents(smith), "", from("2001:db8:1:2::9")), 200)
	})
}
