package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
)

// untilTurnedAway makes a request until it is refused with 429, and returns that
// answer and how many passed, of at most 1,000.
func (w *instance) untilTurnedAway(send func() reply) (refused reply, passed int) {
	w.Helper()
	for ; passed < 1_000; passed++ {
		if r := send(); r.StatusCode == http.StatusTooManyRequests {
			return r, passed
		}
	}
	w.Fatal("a thousand requests passed")
	return reply{}, 0
}

func TestRequestsOfSessionsHaveARate(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *app.Config) { c.Proxies = []string{"127.0.0.1"} })
	baker, smith := w.newTenant("baker", plan.Standard), w.newTenant("smith", plan.Standard)
	owner, other := w.signedIn(baker.email, baker.password), w.signedIn(smith.email, smith.password)
	documents := func(tn tenantOf) string { return "/api/chatbots/" + tn.chatbot + "/documents" }
	sameOrigin := header{"Sec-Fetch-Site", "same-origin"}

	t.Run("a person who uploads endlessly is told to wait, and can still read pages", func(t *testing.T) {
		owner := owner.in(t)
		refused, passed := owner.untilTurnedAway(func() reply { return owner.ask("POST", documents(baker), `{}`, sameOrigin) })
		owner.turnedAway(refused, 429, 7, "Too many requests in the last minute")
		if passed < 30 || passed > 100 {
			t.Errorf("%d uploads passed", passed)
		}
		owner.expect(owner.get(documents(baker)), 200)
		owner.expect(owner.get("/workspaces/"+baker.workspace), 200)
	})
	t.Run("a person who reads endlessly is told to wait, on pages and on management routes", func(t *testing.T) {
		owner := owner.in(t)
		refused, _ := owner.untilTurnedAway(func() reply { return owner.get("/account") })
		if refused.Header.Get("Retry-After") == "" || !strings.HasPrefix(refused.Header.Get("Content-Type"), "text/html") ||
			!contains(refused.body, "Too many requests") {
			t.Errorf("the page is %s, to come again in %q", shortened(refused.body), refused.Header.Get("Retry-After"))
		}
		owner.turnedAway(owner.get(documents(baker)), 429, 7, "Too many requests in the last minute")
		owner.expect(owner.get("/static/0/parley.css"), 200)
		other := other.in(t)
		other.expect(other.get(documents(smith)), 200)
	})
	t.Run("a program that sends documents endlessly is told to wait, and others are not", func(t *testing.T) {
		w := w.within(t)
		w.hasNoHurry()
		token := w.editor(baker)
		refused, passed := w.untilTurnedAway(func() reply { return w.call("PUT", named("hours"), `{"content":"Seven."}`, bearer(token)) })
		w.isRefused(refused, 429, "rate_limited", "Too many requests in the last minute")
		if passed < 30 || passed > 120 {
			t.Errorf("%d documents passed", passed)
		}
		w.checkAnswer(w.call("GET", named("hours"), "", bearer(token)), 200, 0)
		w.checkAnswer(w.call("PUT", named("hours"), `{"content":"Seven."}`, bearer(w.editor(smith))), 200, 0)
	})
	t.Run("strangers count by network, and do not lock out people who are signed in there", func(t *testing.T) {
		other := other.in(t)
		stranger := other.visitor()
		from := func(address string) header { return header{"X-Forwarded-For", address} }
		n := 0
		refused, _ := other.untilTurnedAway(func() reply {
			n++
			return stranger.ask("GET", "/sign-in", "", from(fmt.Sprintf("2001:db8:1:2::%x", n)))
		})
		other.expect(refused, 429)
		other.expect(stranger.ask("GET", documents(smith), "", header{"Cookie", "parley_session=made-up"}, from("2001:db8:1:2::8")), 429)
		other.expect(stranger.ask("GET", "/sign-in", "", from("2001:db8:1:3::1")), 200)
		other.expect(other.ask("GET", documents(smith), "", from("2001:db8:1:2::9")), 200)
	})
}
