package pages

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestReferenceInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	_, token := w.Issue(baker, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	b := openWindow(w)
	page := w.Base + "/docs/api/chat"
	// shows waits until a call that was tried shows a text.
	shows := func(t *testing.T, call, text string) {
		t.Helper()
		get(t, b, chromedp.Poll[bool](`document.querySelector("#`+call+`-try .tried").textContent.includes(`+harness.Quoted(w, text)+`)`))
	}
	// try sends a call with a body, and returns what it gave once that has a text.
	try := func(t *testing.T, call, body, has string) string {
		t.Helper()
		b.do(t, chromedp.SetValue(chromedp.ID(call+"-body"), body), chromedp.Click(chromedp.ID(call+"-send")))
		shows(t, call, has)
		return b.text(t, "#"+call+"-try .tried")
	}

	t.Run("whoever has no token is told so", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.Click(chromedp.CSS("#chat-try summary")))
		if got := try(t, "chat", `{"message":"When does it open?"}`, "}"); !strings.Contains(got, "401") || !strings.Contains(got, "invalid_token") {
			t.Errorf("it shows %q", got)
		}
		b.heard() // browsers report failed requests
	})
	t.Run("a pasted token asks, and the answer is shown with its headers", func(t *testing.T) {
		b.do(t, chromedp.SendKeys(chromedp.ID("reference-token"), token))
		got := try(t, "chat", `{"message":"When does it open?"}`, `"outcome"`)
		for _, want := range []string{"200", "seven in the morning", "x-request-id: req_", "ratelimit-policy: "} {
			if !strings.Contains(got, want) {
				t.Errorf("it shows %q, without %q", got, want)
			}
		}
		b.quiet(t)
	})
	t.Run("a stream is shown event by event", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.CSS("#chat-stream-try summary")))
		got := try(t, "chat-stream", `{"message":"When does it open?","include":["ids"]}`, "data: [DONE]")
		for _, want := range []string{`data: {"type":"conversation"`, `data: {"type":"delta"`, "seven in the morning"} {
			if !strings.Contains(got, want) {
				t.Errorf("it shows %q, without %q", got, want)
			}
		}
		b.quiet(t)
	})
	t.Run("the token goes along to the next page of the tab, and into no address", func(t *testing.T) {
		b.do(t, chromedp.Navigate(w.Base+"/docs/api/conversations"), chromedp.Click(chromedp.CSS("#get-conversation-try summary")), chromedp.Click(chromedp.ID("get-conversation-send")))
		if got := b.text(t, "#get-conversation-try .tried"); !strings.Contains(got, "Fill in conversation_id.") {
			t.Errorf("it shows %q", got)
		}
		b.do(t, chromedp.Click(chromedp.CSS("#list-conversations-try summary")), chromedp.Click(chromedp.ID("list-conversations-send")))
		shows(t, "list-conversations", "has_more")
		if got := get(t, b, chromedp.Evaluate[string](`location.href + performance.getEntriesByType("resource").map((e) => e.name).join(" ")`)); strings.Contains(got, token) {
			t.Errorf("an address has it: %s", got)
		}
		b.quiet(t)
	})
	t.Run("a call is found by its words", func(t *testing.T) {
		b.do(t, chromedp.SendKeys(chromedp.ID("reference-filter"), "delete conversations"))
		if got := get(t, b, chromedp.Evaluate[string](`[...document.querySelectorAll("#contents details:not([hidden]) li:not([hidden]) a span:first-child")].map((a) => a.textContent).join(", ")`)); got != "Delete a conversation" {
			t.Errorf("it finds %q", got)
		}
		b.quiet(t)
	})
	t.Run("a group that there is not is no page", func(t *testing.T) {
		w := w.Within(t)
		w.Expect(w.Call("GET", "/docs/api/nothing", ""), 404)
	})
}
