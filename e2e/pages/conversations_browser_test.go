package pages

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
)

// reaches lets the browser reach the server, or not.
func (b *window) reaches(t *testing.T, server bool) {
	t.Helper()
	blocked := []*network.BlockPattern{{URLPattern: b.Base + "/*", Block: true}}
	if server {
		blocked = nil
	}
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: blocked})
		return err
	}))
}

// TestConversationsInTheBrowser looks for a conversation, reads it, loses the server, and
// has a second tab meanwhile.
func TestConversationsInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t, harness.WithLoopback)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	w.AskedFor(baker.Token, "alice", "When does the bakery open?")
	w.AskedFor(baker.Token, "bob", "Do you rent unicycles?")
	b := openWindow(w)
	b.signIn(t, baker)
	page := w.Base + "/chatbots/" + baker.Chatbot + "/conversations"
	b.do(t, chromedp.Navigate(page))
	// lists waits until the list has one row with one text, and not another.
	lists := func(t *testing.T, has, lacks string) {
		t.Helper()
		w.Within(t).Eventually("the list has "+has, func() bool {
			got := b.text(t, "#conversations")
			return strings.Contains(got, has) && (lacks == "" || !strings.Contains(got, lacks))
		})
	}
	chosen := func(t *testing.T, filter, value string) {
		t.Helper()
		b.do(t, chromedp.Evaluate[chromedp.Void](`{
			const select = document.querySelector('select[name=`+filter+`]');
			select.value = "`+value+`";
			select.dispatchEvent(new Event("input", { bubbles: true }));
		}`))
	}

	t.Run("filters and words choose among them, and the address has both", func(t *testing.T) {
		chosen(t, "outcome", "no_answer")
		lists(t, "unicycles", "bakery")
		if got := get(t, b, chromedp.Location()); !strings.Contains(got, "outcome=no_answer") {
			t.Errorf("the address is %q", got)
		}
		chosen(t, "outcome", "")
		lists(t, "bakery", "")
		b.do(t, chromedp.SendKeys(chromedp.ID("q"), "bakery open"))
		lists(t, "bakery", "unicycles")
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS("#conversations li")))
		lists(t, "bakery", "unicycles")
	})
	t.Run("a citation leads to its passage, and the passage to its document", func(t *testing.T) {
		b.follow(t, "#conversations li a")
		b.do(t, chromedp.Click(chromedp.CSS(".message.answer .chip")), chromedp.WaitVisible(chromedp.CSS("#passage-1:target")))
		if got := b.text(t, "#passage-1"); !strings.Contains(got, "Opening hours") || !strings.Contains(got, "opens at seven") || !strings.Contains(got, "Cited") {
			t.Errorf("the passage says %q", got)
		}
		if got := b.text(t, ".inspector"); !strings.Contains(got, "Time to first token") || !strings.Contains(got, "Prompt tokens") || !strings.Contains(got, "Model") {
			t.Errorf("the receipt says %q", got)
		}
		b.size(t, 1280)
		if got := get(t, b, chromedp.Evaluate[string](`[...document.querySelectorAll(".inspector .facts dd")].filter((dd) => dd.clientWidth < 100).map((dd) => dd.textContent).join("|")`)); got != "" {
			t.Errorf("too narrow for its words is %q", got)
		}
		if got := b.follow(t, "#passage-1 a"); !strings.Contains(got, "/knowledge/doc_") {
			t.Errorf("it leads to %q", got)
		}
		b.quiet(t)
	})
	t.Run("where the server does not answer, the page says so until it does", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS("#conversations li")))
		b.reaches(t, false)
		chosen(t, "outcome", "answered")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(".offline")))
		if got := b.text(t, ".offline"); !strings.Contains(got, "The server doesn't answer") {
			t.Errorf("it says %q", got)
		}
		if got := get(t, b, chromedp.Evaluate[bool](`(() => { const last = document.querySelector(".sidebar .end").lastElementChild.getBoundingClientRect(); return last.bottom <= innerHeight; })()`)); !got {
			t.Error("the last row of the sidebar is below the window")
		}
		b.reaches(t, true)
		b.do(t, chromedp.WaitNotPresent(chromedp.CSS(".offline")))
		lists(t, "bakery", "")
	})
	t.Run("a form that nobody answered keeps what was typed", func(t *testing.T) {
		b.do(t, chromedp.Navigate(w.Base+"/workspaces/new"), chromedp.SendKeys(chromedp.ID("name"), "Half a name"))
		b.reaches(t, false)
		_, _ = chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.ID("create-workspace")))
		b.reaches(t, true)
		b.do(t, chromedp.NavigateBack(), chromedp.WaitVisible(chromedp.ID("name")))
		w.Within(t).Eventually("the name is there", func() bool { return get(t, b, chromedp.Value(chromedp.ID("name"))) == "Half a name" })
		b.heard()
	})
	t.Run("of two tabs that change the same, the second is told", func(t *testing.T) {
		provider, err := w.Server.Chatbots.Providers.Create(t.Context(), baker.Workspace, chatbot.ProviderSettings{Name: "Ours", Kind: chatbot.OpenAI})
		w.Must(err)
		second := b.tab(t)
		for form, told := range map[string]struct{ path, save, says string }{
			"the name of a workspace": {"/workspaces/" + baker.Workspace + "/settings", "#rename-workspace", "Somebody renamed the workspace"},
			"a provider":              {"/workspaces/" + baker.Workspace + "/models/" + provider.ID, "#save-provider", "Somebody changed"},
		} {
			for _, tab := range []*window{b, second} {
				tab.do(t, chromedp.Navigate(w.Base+told.path), chromedp.WaitVisible(chromedp.ID("name")))
			}
			b.do(t, chromedp.SendKeys(chromedp.ID("name"), kb.End+" first"))
			b.follow(t, told.save)
			second.do(t, chromedp.SendKeys(chromedp.ID("name"), kb.End+" second"))
			second.follow(t, told.save)
			if got := second.text(t, "main"); !strings.Contains(got, told.says) {
				t.Errorf("of %s the page says %q", form, got)
			}
			if got := get(t, second, chromedp.Value(chromedp.ID("name"))); !strings.HasSuffix(got, " second") {
				t.Errorf("of %s the name is %q", form, got)
			}
		}
		b.quiet(t)
	})
}
