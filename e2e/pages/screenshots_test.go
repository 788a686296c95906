//go:build screenshots

package pages

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/seal"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// pictures is where the pages of the dashboard are written to.
var pictures = filepath.Join("..", "..", "bin", "screenshots")

// TestScreenshots writes every page of a lively workspace, light and dark, as wide as
// a laptop and as a phone.
func TestScreenshots(t *testing.T) {
	if err := os.RemoveAll(pictures); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(pictures, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	h := openHarbor(t)
	b := openWindowFor(h.Instance, 20*harness.Patience)

	b.becomes(t, "")
	for _, r := range harness.Routes {
		if isPage(r.Name()) && r.IsPublic() && r.Gets.Nobody == 200 {
			b.pictured(t, h.ids, r.Pattern, r.Target(), "")
		}
	}
	b.becomes(t, h.owner.ID)
	b.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(h.Base+"/chatbots/"+h.Chatbot+"/playground"), chromedp.WaitVisible(chromedp.CSS("parley-playground .composer")))
	for _, question := range []string{"What do I need to rent a bike?", "And if it rains?"} {
		b.asks(t, question)
		b.answeredLast(t)
	}
	for _, r := range harness.Routes {
		if isPage(r.Name()) && !r.IsPublic() && r.Gets == harness.APage {
			b.pictured(t, h.ids, r.Pattern, cmp.Or(shown[r.Pattern], examples[r.Pattern], r.Target()), cmp.Or(filled[r.Pattern], fills[r.Pattern]))
		}
	}
	for _, path := range []string{"/account", "/account/security", "/account/sessions", "/account/privacy", "/account/appearance", "/workspaces/new", "/nothing"} {
		b.pictured(t, h.ids, path, path, "")
	}
	for name, state := range states {
		b.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(h.Base+h.Fill(state.path, h.ids)), chromedp.WaitReady(chromedp.CSS(cmp.Or(state.wait, "main"))),
			chromedp.Evaluate[chromedp.Void](`void (`+state.do+`)`), chromedp.WaitVisible(chromedp.CSS(state.shows)))
		b.shoot(t, name)
	}
}

// shown are addresses at which a page has more to show.
var shown = map[string]string{
	"/chatbots/:chatbot/improve/answer": "/chatbots/:chatbot/improve/answer?message=:unanswered",
	"/chatbots/:chatbot/analytics":      "/chatbots/:chatbot/analytics?days=7",
}

// filled is what is there once a page shows all that the shop has.
var filled = map[string]string{"/chatbots/:chatbot/playground": `.turn:last-child .answer[aria-busy="false"] [data-part="after"]`}

// states are pages with something open above them.
var states = map[string]struct{ path, wait, do, shows string }{
	"open-menu-workspaces": {path: "/workspaces/:workspace", do: `document.querySelector("[popovertarget=workspaces]").click()`, shows: "#workspaces"},
	"open-keys":            {path: "/workspaces/:workspace", do: `document.getElementById("keys").showModal()`, shows: "#keys"},
	"open-add-knowledge":   {path: "/chatbots/:chatbot/knowledge", do: `document.querySelector("dialog.sheet").showModal()`, shows: "dialog.sheet"},
	"open-create-token":    {path: "/chatbots/:chatbot/tokens", wait: "#token-list tr", do: `document.getElementById("new-token").click()`, shows: "#create-dialog"},
	"open-menu-token":      {path: "/chatbots/:chatbot/tokens", wait: "#token-list tr", do: `document.querySelector(".row-menu").click()`, shows: ".menu:popover-open"},
	"open-drafts":          {path: "/chatbots/:chatbot/playground", wait: "parley-playground .composer", do: `document.getElementById("drafts").showModal()`, shows: "#drafts"},
	"open-palette": {
		path: "/chatbots/:chatbot", shows: "#palette-list li:nth-child(3)",
		do: `(document.querySelector("[data-palette]").click(), document.querySelector("#palette input").value = "re", document.querySelector("#palette input").dispatchEvent(new Event("input", { bubbles: true })))`,
	},
}

// openHarbor runs the shop's program, whose clock has shown the last two weeks.
func openHarbor(t *testing.T) *harbor {
	t.Helper()
	const days = 14
	var behind atomic.Int64
	clock := func() time.Time { return app.Now().Add(-time.Duration(behind.Load())) }
	begin := func(day int) time.Duration { return time.Duration(days-1-day)*24*time.Hour + 11*time.Hour }
	stripe := stripetest.New(t, stripetest.Options{Start: time.Now().Add(-days * 24 * time.Hour)})
	model := llmtest.NewServer(t, llmtest.Reply{})
	w := harness.StartWith(t, app.Options{Now: clock}, harness.PaidAt(stripe), harness.WithModel(model), func(c *app.Config) {
		c.LLMModel, c.SecretKey = "house-model", seal.ServerKey{1, 2, 3}.Text()
	})
	w.HasNoRates()
	w.Sells(stripe)
	h := &harbor{Instance: w, stripe: stripe, behind: &behind, random: rand.New(rand.NewPCG(14, 11)), ids: harness.IDs{}}
	model.Answers(h.answers)
	h.at(days * 24 * time.Hour)
	h.opens()
	h.issues()
	h.lives(days, begin)
	h.at(12 * time.Minute)
	h.asksOne("How do I return something?", "customer-1042")
	h.at(2 * time.Minute) // the model takes some of that
	h.improves()
	return h
}

// forDocs are the pages that docs/screenshots has, by route, with their names there.
// They are as large as a window, in a folder of their own.
var forDocs = map[string]string{
	"/chatbots/:chatbot":               "overview",
	"/chatbots/:chatbot/playground":    "playground",
	"/chatbots/:chatbot/knowledge":     "knowledge",
	"/chatbots/:chatbot/improve":       "improve",
	"/chatbots/:chatbot/improve/tests": "test-questions",
	"/chatbots/:chatbot/analytics":     "analytics",
}

// pictured goes to a page and pictures it. There is what it waits for.
func (b *window) pictured(t *testing.T, with harness.IDs, name, path, there string) {
	t.Helper()
	b.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.Base+b.Within(t).Fill(path, with)))
	if there != "" {
		b.do(t, chromedp.WaitReady(chromedp.CSS(there)))
	}
	if name := forDocs[name]; name != "" {
		b.area(t, 1280, 720)
		b.theme(t, "light")
		b.write(t, filepath.Join("docs", name+".png"), chromedp.CaptureScreenshot())
	}
	b.shoot(t, strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(name, "-"), "-"))
}

// shoot writes the page as it is.
func (b *window) shoot(t *testing.T, name string) {
	t.Helper()
	for _, width := range []int64{1280, 375} {
		b.size(t, width)
		high := get(t, b, chromedp.Evaluate[int64](`Math.max(innerHeight, document.documentElement.scrollHeight)`))
		b.area(t, width, high)
		for _, theme := range []string{"light", "dark"} {
			b.theme(t, theme)
			b.write(t, fmt.Sprintf("%s-%d-%s.png", name, width, theme), chromedp.FullScreenshot(100))
		}
	}
}

// write writes a picture once the page has its font.
func (b *window) write(t *testing.T, name string, picture chromedp.Action[[]byte]) {
	t.Helper()
	get(t, b, chromedp.Evaluate[bool](`document.fonts.ready.then(() => new Promise(requestAnimationFrame)).then(() => true)`, chromedp.EvalAwaitPromise))
	if err := os.WriteFile(filepath.Join(pictures, name), get(t, b, picture), 0o644); err != nil {
		t.Fatal(err)
	}
}
