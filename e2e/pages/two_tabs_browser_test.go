package pages

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/core/plan"
	"parley/e2e/harness"
)

// tab opens another tab of the same browser.
func (b *window) tab(t *testing.T) *window {
	t.Helper()
	other := &window{Instance: b.Instance}
	other.ctx, _ = chromedp.NewContext(b.ctx)
	b.Must(chromedp.Listen(other.ctx, other.hear))
	return other
}

func TestTwoTabsOfTheSameSettings(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	first := openWindow(w)
	first.signIn(t, baker)
	second := first.tab(t)
	page := w.Base + "/chatbots/" + baker.Chatbot + "/settings"
	name := func() string {
		bot, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot)
		w.Must(err)
		return bot.Name
	}
	for _, tab := range []*window{first, second} {
		tab.do(t, chromedp.Navigate(page), chromedp.WaitVisible(chromedp.ID("name")))
	}

	t.Run("the one that saves later is told, and keeps what was typed", func(t *testing.T) {
		first.do(t, chromedp.SendKeys(chromedp.ID("name"), kb.End+" first"))
		first.follow(t, "#save-settings")
		second.do(t, chromedp.SendKeys(chromedp.ID("name"), kb.End+" second"))
		second.follow(t, "#save-settings")
		if got := second.text(t, "main"); !strings.Contains(got, "Somebody changed these settings") || !strings.Contains(got, "Yours differs in: Name.") {
			t.Errorf("the page says %q", got)
		}
		if got := get(t, second, chromedp.Value(chromedp.ID("name"))); got != "baker's chatbot second" {
			t.Errorf("the name is %q", got)
		}
		if got := name(); got != "baker's chatbot first" {
			t.Errorf("the chatbot is called %q", got)
		}
	})
	t.Run("who saves once more means it", func(t *testing.T) {
		second.do(t, chromedp.WaitVisible(chromedp.ID("save-settings")))
		second.follow(t, "#save-settings")
		if got := name(); got != "baker's chatbot second" {
			t.Errorf("the chatbot is called %q", got)
		}
		first.quiet(t)
		for _, complaint := range second.heard() {
			if !strings.Contains(complaint, "409") {
				t.Errorf("the console has %s", complaint)
			}
		}
	})
}

func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening, "# Rolls\n\nRolls are baked at dawn.", "# Cakes\n\nCakes are baked at noon.")
	b := openWindow(w)
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	base := "/chatbots/" + baker.Chatbot

	t.Run("somebody signs in", func(t *testing.T) { b.signIn(t, baker) })
	t.Run("a list is searched", func(t *testing.T) {
		b.do(t, chromedp.Navigate(w.Base+base+"/knowledge"), chromedp.SendKeys(chromedp.ID("q"), "rolls"))
		if got := b.follow(t, "#filters button[type=submit]"); !strings.Contains(got, "q=rolls") {
			t.Errorf("it leads to %q", got)
		}
		if got := b.text(t, "#document-list tbody"); !strings.Contains(got, "Rolls") || strings.Contains(got, "Cakes") {
			t.Errorf("it lists %q", got)
		}
	})
	t.Run("a text is added", func(t *testing.T) {
		b.do(t, chromedp.Navigate(w.Base+base+"/knowledge/add?way=text"), chromedp.SendKeys(chromedp.ID("title"), "Parking"), chromedp.SendKeys(chromedp.ID("content"), "Park behind the shop."))
		b.follow(t, "#add-document")
		if got := b.text(t, "main"); !strings.Contains(got, "Parking") {
			t.Errorf("the page says %q", got)
		}
	})
	t.Run("settings are saved", func(t *testing.T) {
		b.do(t, chromedp.Navigate(w.Base+base+"/settings"), chromedp.SendKeys(chromedp.ID("name"), kb.End+" of bread"))
		b.follow(t, "#save-settings")
		bot, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot)
		if err != nil || bot.Name != "baker's chatbot of bread" {
			t.Errorf("the chatbot is called %q: %v", bot.Name, err)
		}
	})
	t.Run("what needs scripts says so", func(t *testing.T) {
		for _, page := range []string{"/playground", "/tokens"} {
			if _, err := chromedp.RunResponse(b.ctx, chromedp.Navigate(w.Base+base+page)); err != nil {
				t.Fatal(err)
			}
			if got := b.text(t, "main"); !strings.Contains(got, "JavaScript") {
				t.Errorf("%s says %q", page, got)
			}
		}
	})
}
