package pages

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/e2e/harness"
)

// askFromPage is what a page of another site runs: it asks with a token, and gives the status, the
// error code and the text of the answer, or why the browser kept it back.
const askFromPage = `fetch(%q, {method: "POST", headers: {"Authorization": "Bearer %s", "Content-Type": "application/json"}, body: JSON.stringify({message: "Hello"})})
	.then(async (r) => [r.status, r.headers.get("X-Error-Code"), r.headers.get("RateLimit-Policy"), await r.text()].join(" "), (e) => e.name)`

func TestPublishableTokensInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	page := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, "<!doctype html><title>A shop</title><p>Ask us.")
	})
	shop, other := httptest.NewServer(page), httptest.NewServer(page)
	t.Cleanup(shop.Close)
	t.Cleanup(other.Close)
	b := openWindow(w)
	b.signIn(t, baker)
	b.do(t, chromedp.Navigate(b.Base+"/chatbots/"+baker.Chatbot+"/tokens"), chromedp.WaitVisible(chromedp.CSS("#token-list tr")))

	t.Run("an origin with a path is refused beside its field, and what was typed stays", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.ID("new-token")), chromedp.WaitVisible(chromedp.ID("create-dialog")), chromedp.WaitNotVisible(chromedp.ID("token-origins")),
			chromedp.Click(chromedp.ID("kind-publishable")), chromedp.WaitVisible(chromedp.ID("token-origins")), chromedp.WaitNotVisible(chromedp.ID("scope-read")),
			chromedp.SendKeys(chromedp.ID("token-name"), "Shop"), chromedp.SendKeys(chromedp.ID("token-origins"), shop.URL+"/"),
			chromedp.Click(chromedp.ID("create-token")), chromedp.WaitVisible(chromedp.ID("token-origins-error")))
		if got := b.text(t, "#token-origins-error"); !strings.Contains(got, "without a path") {
			t.Errorf("it says %q", got)
		}
		if got := get(t, b, chromedp.Evaluate[string](`document.getElementById("token-origins").value`)); got != shop.URL+"/" {
			t.Errorf("the field has %q", got)
		}
	})
	var public string
	t.Run("a publishable token is created", func(t *testing.T) {
		b.do(t, chromedp.SetValue(chromedp.ID("token-origins"), shop.URL), chromedp.Click(chromedp.ID("create-token")), chromedp.WaitVisible(chromedp.ID("token-secret")))
		if public = b.text(t, "#token-secret"); !strings.HasPrefix(public, "parley_pub_") {
			t.Fatalf("it is %q", public)
		}
		b.do(t, chromedp.Click(chromedp.ID("token-done")), chromedp.WaitNotVisible(chromedp.ID("secret-dialog")))
		if got := b.text(t, "#token-list tr:first-child"); !strings.Contains(got, "Publishable") {
			t.Errorf("the list has %q", got)
		}
	})
	t.Run("its settings are shown again, and can be changed", func(t *testing.T) {
		b.openMenu(t, "#token-list tr:first-child .row-menu")
		b.do(t, chromedp.Click(chromedp.CSS("#token-list tr:first-child .edit")), chromedp.WaitVisible(chromedp.ID("token-visitor-requests")), chromedp.WaitNotVisible(chromedp.ID("token-kinds")))
		if got := get(t, b, chromedp.Evaluate[string](`document.getElementById("token-origins").value`)); got != shop.URL {
			t.Errorf("the origins are %q", got)
		}
		b.do(t, chromedp.SetValue(chromedp.ID("token-visitor-requests"), "7"), chromedp.Click(chromedp.ID("create-token")), chromedp.WaitNotVisible(chromedp.ID("create-dialog")))
	})

	ask := func(path, token string) string {
		return get(t, b, chromedp.Evaluate[string](fmt.Sprintf(askFromPage, w.Base+path, token), chromedp.EvalAwaitPromise))
	}
	b.do(t, chromedp.Navigate(shop.URL))
	t.Run("a page of its origin asks, reads and streams", func(t *testing.T) {
		if got := ask(harness.ChatPath, public); !strings.HasPrefix(got, `200  "visitor";q=7;w=60 {"error":0`) {
			t.Errorf("it gets %s", got)
		}
		if got := ask(harness.ChatPath+"/stream", public); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, `"type":"delta"`) || !strings.Contains(got, "data: [DONE]") {
			t.Errorf("it streams %s", got)
		}
	})
	t.Run("a secret token is refused there, and the page reads why", func(t *testing.T) {
		if got := ask(harness.ChatPath, baker.Token); !strings.HasPrefix(got, "403 secret_token_in_browser ") || !strings.Contains(got, "This is a secret token, and a web page sent it") {
			t.Errorf("it gets %s", got)
		}
	})
	t.Run("a page of another origin gets nothing", func(t *testing.T) {
		b.do(t, chromedp.Navigate(other.URL))
		for _, token := range []string{public, baker.Token} {
			if got := ask(harness.ChatPath, token); got != "TypeError" {
				t.Errorf("it gets %s", got)
			}
		}
	})
}
