package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/core/plan"
)

const hostileName = `<img src=x onerror="document.title='obeyed'">`

func TestTokensInTheBrowser(t *testing.T) {
	w := start(t)
	baker := w.newTenant("baker", plan.Standard)
	b := w.window()
	var secret string
	firstRow := `#token-list tr:first-child`

	t.Run("signing in and two links lead to the tokens of a chatbot", func(t *testing.T) {
		b.signIn(t, baker)
		if got := b.follow(t, `#chatbot-list td a[href$="/tokens"]`); got != "/chatbots/"+baker.chatbot+"/tokens" {
			t.Fatalf("the link leads to %q", got)
		}
		b.do(t, chromedp.WaitVisible(chromedp.CSS(firstRow)))
		if got := b.text(t, firstRow); !strings.HasPrefix(got, "test\t") || !strings.Contains(got, "Active") {
			t.Errorf("the first row is %q", got)
		}
	})
	t.Run("a new token is shown with its secret, which works", func(t *testing.T) {
		b.do(t, chromedp.SendKeys(chromedp.ID("token-name"), hostileName), chromedp.Click(chromedp.ID("create-token")),
			chromedp.WaitVisible(chromedp.ID("token-secret")), chromedp.WaitVisible(chromedp.CSS(firstRow+`:nth-last-child(2)`)))
		secret = b.text(t, "#token-secret")
		if !secretShape.MatchString(secret) {
			t.Fatalf("the secret is %q", secret)
		}
		if got := b.text(t, "#token-curl"); !strings.Contains(got, w.base+"/api/v1/chat'") || !strings.Contains(got, secret) {
			t.Errorf("the command is %q", got)
		}
		w.within(t).chats(secret, http.StatusOK)
	})
	t.Run("a hostile name is shown as text", func(t *testing.T) {
		if got := b.text(t, firstRow+" th"); got != hostileName {
			t.Errorf("the name is %q", got)
		}
	})
	t.Run("the button copies the secret", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.ID("copy-token")))
		if got := get(t, b, chromedp.Poll[string](`document.getElementById("token-secret-copied").textContent`)); got != "Copied." {
			t.Errorf("the page says %q", got)
		}
		if got := get(t, b, chromedp.Evaluate[string](`navigator.clipboard.readText()`, chromedp.EvalAwaitPromise)); got != secret {
			t.Errorf("the clipboard has %q", got)
		}
	})
	t.Run("once the page is loaded again, the secret is gone", func(t *testing.T) {
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(firstRow)), chromedp.WaitNotVisible(chromedp.ID("token-created")))
		if page := get(t, b, chromedp.OuterHTML(chromedp.CSS("html"))); strings.Contains(page, secret) {
			t.Error("the page still has it")
		}
	})
	t.Run("revoking asks first, and can be called off", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.CSS(firstRow+" .revoke")), chromedp.WaitVisible(chromedp.ID("revoke-dialog")))
		if got := b.text(t, "#revoke-name"); got != hostileName {
			t.Errorf("it asks about %q", got)
		}
		b.do(t, chromedp.Click(chromedp.ID("cancel-revoke")), chromedp.WaitNotVisible(chromedp.ID("revoke-dialog")),
			chromedp.Click(chromedp.CSS(firstRow+" .revoke")), chromedp.WaitVisible(chromedp.ID("revoke-dialog")),
			chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(chromedp.ID("revoke-dialog")))
		if got := get(t, b, chromedp.AttributeValue(chromedp.CSS(firstRow), "data-status")).Value; got != "active" {
			t.Errorf("the token is %q", got)
		}
		w.within(t).chats(secret, http.StatusOK)
	})
	t.Run("once confirmed, the token is refused", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.CSS(firstRow+" .revoke")), chromedp.WaitVisible(chromedp.ID("revoke-dialog")),
			chromedp.Click(chromedp.ID("confirm-revoke")), chromedp.WaitVisible(chromedp.CSS(firstRow+`[data-status="revoked"]`)))
		if got := b.text(t, "#token-status"); !strings.Contains(got, hostileName) || !strings.Contains(got, "is revoked") {
			t.Errorf("the page says %q", got)
		}
		if got := get(t, b, chromedp.Evaluate[int](`document.querySelectorAll("`+firstRow+` button").length`)); got != 0 {
			t.Error("it can be revoked once more")
		}
		w.within(t).chats(secret, http.StatusUnauthorized)
		w.within(t).chats(baker.token, http.StatusOK)
	})
	t.Run("the page obeyed no name", func(t *testing.T) {
		if got := get(t, b, chromedp.Title()); got != "API tokens – baker's chatbot – Parley" {
			t.Errorf("the title is %q", got)
		}
	})
	t.Run("the console has no complaint", func(t *testing.T) { b.quiet(t) })
	t.Run("a script that the page did not bring is stopped, and the console says so", func(t *testing.T) {
		b.do(t, chromedp.Evaluate[chromedp.Void](`{
			const script = document.createElement("script");
			script.textContent = "document.title = 'obeyed'";
			document.body.append(script);
		}`))
		if got := get(t, b, chromedp.Title()); got == "obeyed" {
			t.Error("it ran")
		}
		w.within(t).eventually("the console complains", func() bool { return strings.Contains(strings.Join(b.heard(), ""), "Content Security Policy") })
	})
	t.Run("signing out leads to the sign-in", func(t *testing.T) {
		if got := b.follow(t, "form.account button"); got != "/sign-in" {
			t.Errorf("it leads to %q", got)
		}
		b.quiet(t)
	})
}

func TestPlanWithoutTokensInTheBrowser(t *testing.T) {
	w := start(t)
	small := w.newTenant("small", plan.Basic)
	b := w.window()
	b.signIn(t, small)
	b.do(t, chromedp.Navigate(b.base+"/chatbots/"+small.chatbot+"/tokens"), chromedp.WaitVisible(chromedp.ID("token-empty")))
	b.quiet(t)

	t.Run("creating a token says which plan has them, beside a link to the plans", func(t *testing.T) {
		b.do(t, chromedp.SendKeys(chromedp.ID("token-name"), "Website"), chromedp.Click(chromedp.ID("create-token")),
			chromedp.WaitVisible(chromedp.CSS("#token-error a")))
		if got := b.text(t, "#token-error"); !strings.Contains(got, "Upgrade to the Standard plan or above") {
			t.Errorf("the page says %q", got)
		}
		if got := get(t, b, chromedp.Value(chromedp.ID("token-name"))); got != "Website" {
			t.Errorf("what was typed became %q", got)
		}
		if got := b.follow(t, "#token-error a"); got != "/workspaces/"+small.workspace+"/plan" {
			t.Errorf("the link leads to %q", got)
		}
	})
	t.Run("the refusal is all that the console complains of", func(t *testing.T) {
		heard := b.heard()
		if len(heard) != 1 || !strings.Contains(heard[0], "403") {
			t.Errorf("the console has %q", heard)
		}
	})
	t.Run("after choosing a plan that has them, a token can be created", func(t *testing.T) {
		b.follow(t, `button[name=plan][value=standard]`)
		b.do(t, chromedp.Navigate(b.base+"/chatbots/"+small.chatbot+"/tokens"), chromedp.SendKeys(chromedp.ID("token-name"), "Website"),
			chromedp.Click(chromedp.ID("create-token")), chromedp.WaitVisible(chromedp.ID("token-secret")))
		w.within(t).chats(b.text(t, "#token-secret"), http.StatusOK)
		b.quiet(t)
	})
}
