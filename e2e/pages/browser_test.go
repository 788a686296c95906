package pages

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/index/indextest"
	"parley/llm/llmtest"
)

const hostileName = `<img src=x onerror="document.title='obeyed'">`

func TestTokensInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindow(w)
	var secret string
	firstRow := `#token-list tr:first-child`

	t.Run("signing in and two links lead to the tokens of a chatbot", func(t *testing.T) {
		b.signIn(t, baker)
		b.follow(t, "#chatbot-list th a")
		b.do(t, chromedp.Navigate(b.Base+"/chatbots/"+baker.Chatbot+"/tokens"))
		b.do(t, chromedp.WaitVisible(chromedp.CSS(firstRow)))
		if got := b.text(t, firstRow); !strings.HasPrefix(got, "test\t") || !strings.Contains(got, "Active") {
			t.Errorf("the first row is %q", got)
		}
	})
	t.Run("a new token may ask questions and no more, unless one says so", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.ID("new-token")), chromedp.WaitVisible(chromedp.ID("create-dialog")))
		if got := get(t, b, chromedp.Evaluate[string](`[...document.querySelectorAll("[name=scope]:checked")].map((box) => box.value).join(" ")`)); got != "chat" {
			t.Errorf("chosen are %q", got)
		}
	})
	t.Run("a new token is shown with its secret, which works", func(t *testing.T) {
		b.do(t, chromedp.SendKeys(chromedp.ID("token-name"), hostileName), chromedp.Click(chromedp.ID("create-token")),
			chromedp.WaitVisible(chromedp.ID("token-secret")), chromedp.WaitReady(chromedp.CSS(firstRow+`:nth-last-child(2)`)))
		secret = b.text(t, "#token-secret")
		if got := get(t, b, chromedp.Evaluate[string](`document.activeElement.id`)); got != "token-secret" {
			t.Errorf("the focus is on %q", got)
		}
		if !harness.SecretShape.MatchString(secret) {
			t.Fatalf("the secret is %q", secret)
		}
		if got := get(t, b, chromedp.Evaluate[string](`document.getElementById("token-curl").textContent`)); !strings.Contains(got, w.Base+"/api/v1/chat'") || !strings.Contains(got, secret) {
			t.Errorf("the command is %q", got)
		}
		w.Within(t).Chats(secret, http.StatusOK)
	})
	t.Run("a slip of the Escape key does not lose the secret", func(t *testing.T) {
		b.do(t, chromedp.KeyEvent(kb.Escape), chromedp.WaitVisible(chromedp.ID("token-secret")))
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
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(firstRow)), chromedp.WaitNotVisible(chromedp.ID("secret-dialog")))
		if page := get(t, b, chromedp.OuterHTML(chromedp.CSS("html"))); strings.Contains(page, secret) {
			t.Error("the page still has it")
		}
	})
	t.Run("revoking asks first, and can be canceled", func(t *testing.T) {
		owner := w.Within(t).SignedIn(baker.Email, baker.Password)
		owner.Eventually("the last use is written", func() bool { return owner.ListedTokens(baker.Chatbot)[0]["last_used_at"] != nil })
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(firstRow)))
		b.fromMenu(t, firstRow, "revoke")
		if got := b.text(t, "#revoke-name"); got != hostileName {
			t.Errorf("it asks about %q", got)
		}
		if got := b.text(t, "#revoke-last-use"); !strings.HasPrefix(got, "It was last used") {
			t.Errorf("it says %q of its last use", got)
		}
		b.do(t, chromedp.Click(chromedp.ID("cancel-revoke")), chromedp.WaitNotVisible(chromedp.ID("revoke-dialog")))
		b.fromMenu(t, firstRow, "revoke")
		b.do(t, chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(chromedp.ID("revoke-dialog")))
		if got := get(t, b, chromedp.AttributeValue(chromedp.CSS(firstRow), "data-status")).Value; got != "active" {
			t.Errorf("the token is %q", got)
		}
		w.Within(t).Chats(secret, http.StatusOK)
	})
	t.Run("once confirmed, the token is refused", func(t *testing.T) {
		b.fromMenu(t, firstRow, "revoke")
		b.do(t, chromedp.Click(chromedp.ID("confirm-revoke")), chromedp.WaitReady(chromedp.CSS(`#ended-list tr[data-status="revoked"]`)))
		if got := get(t, b, chromedp.Poll[string](`document.getElementById("token-status").textContent`)); !strings.Contains(got, hostileName) || !strings.Contains(got, "is revoked") {
			t.Errorf("the page says %q", got)
		}
		if got := get(t, b, chromedp.Evaluate[int](`document.querySelectorAll("#ended-list button").length`)); got != 0 {
			t.Error("it can be revoked once more")
		}
		w.Within(t).Chats(secret, http.StatusUnauthorized)
		w.Within(t).Chats(baker.Token, http.StatusOK)
	})
	t.Run("no name was executed by the page", func(t *testing.T) {
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
		w.Within(t).Eventually("the console complains", func() bool { return strings.Contains(strings.Join(b.heard(), ""), "Content Security Policy") })
	})
	t.Run("signing out leads to the sign-in", func(t *testing.T) {
		if got := b.signOut(t); got != "/sign-in" {
			t.Errorf("it leads to %q", got)
		}
		b.quiet(t)
	})
}

// fromMenu chooses what is in the menu of a row of tokens, and waits for its dialog.
func (b *window) fromMenu(t *testing.T, row, what string) {
	t.Helper()
	b.openMenu(t, row+" .row-menu")
	b.do(t, chromedp.Click(chromedp.CSS(row+" ."+what)), chromedp.WaitVisible(chromedp.ID(what+"-dialog")))
}

// TestTheLifeOfATokenInTheBrowser goes from the page to the API and back, with a
// clock that the test sets.
func TestTheLifeOfATokenInTheBrowser(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	clock := func() time.Time { return app.Now().Add(time.Duration(ahead.Load())) }
	w := harness.StartWith(t, app.Options{Model: llmtest.RefuseInTx, Index: indextest.RefuseInTx, Now: clock})
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindow(w)
	b.signIn(t, baker)
	page := b.Base + "/chatbots/" + baker.Chatbot + "/tokens"
	firstRow := `#token-list tr:first-child`
	var first, second string

	t.Run("a token is created, and its use shows", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS(firstRow)), chromedp.Click(chromedp.ID("new-token")),
			chromedp.SendKeys(chromedp.ID("token-name"), "Website"), chromedp.Click(chromedp.ID("create-token")), chromedp.WaitVisible(chromedp.ID("token-secret")))
		first = b.text(t, "#token-secret")
		w.Within(t).Chats(first, http.StatusOK)
		b.do(t, chromedp.Click(chromedp.ID("token-done")))
		w.Within(t).Eventually("the page says when the token was last used", func() bool { // uses are written every few seconds
			b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(firstRow)))
			return !strings.Contains(b.text(t, firstRow+" td[data-label='Last used']"), "Never")
		})
	})
	t.Run("it is renamed", func(t *testing.T) {
		b.fromMenu(t, firstRow, "rename")
		b.do(t, chromedp.SetValue(chromedp.ID("rename-name"), "Help desk"), chromedp.Click(chromedp.ID("confirm-rename")),
			chromedp.WaitNotVisible(chromedp.ID("rename-dialog")))
		if got := get(t, b, chromedp.Poll[string](`document.getElementById("token-status").textContent`)); !strings.Contains(got, "Help desk") {
			t.Errorf("the page says %q", got)
		}
	})
	t.Run("it is rolled, and both work", func(t *testing.T) {
		b.fromMenu(t, firstRow, "roll")
		b.do(t, chromedp.SetValue(chromedp.ID("roll-days"), "2"), chromedp.Click(chromedp.ID("confirm-roll")), chromedp.WaitVisible(chromedp.ID("token-secret")))
		second = b.text(t, "#token-secret")
		if got := b.text(t, "#rolled-note"); !strings.Contains(got, "2 more days") {
			t.Errorf("the page says %q", got)
		}
		w.Within(t).Chats(first, http.StatusOK)
		w.Within(t).Chats(second, http.StatusOK)
		b.do(t, chromedp.WaitReady(chromedp.CSS(`#token-list tr:nth-child(3)`)), chromedp.Click(chromedp.ID("token-done")))
		get(t, b, chromedp.Poll[bool](`document.activeElement.matches("#token-list tr:first-child .row-menu")`))
		if got := get(t, b, chromedp.Evaluate[string](`document.getElementById("token-status").textContent`)); got != "“Help desk” is in the list." {
			t.Errorf("who listens hears %q", got)
		}
		if got := b.text(t, `#token-list tr:nth-child(2)`); !strings.Contains(got, "Help desk") || !strings.Contains(got, "Rolled") {
			t.Errorf("the old one is %q", got)
		}
	})
	t.Run("the old one works until the overlap ends", func(t *testing.T) {
		ahead.Store(int64(48*time.Hour - time.Minute))
		w.Within(t).Chats(first, http.StatusOK)
		ahead.Store(int64(48*time.Hour + time.Minute))
		w.Within(t).Chats(first, http.StatusUnauthorized)
		w.Within(t).Chats(second, http.StatusOK)
	})
	t.Run("revoked it is refused", func(t *testing.T) {
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(firstRow)))
		b.fromMenu(t, firstRow, "revoke")
		b.do(t, chromedp.Click(chromedp.ID("confirm-revoke")), chromedp.WaitNotVisible(chromedp.ID("revoke-dialog")))
		get(t, b, chromedp.Poll[bool](`document.activeElement.matches("#token-list .row-menu")`))
		w.Within(t).Chats(second, http.StatusUnauthorized)
	})
	t.Run("the console has no complaint", func(t *testing.T) { b.quiet(t) })
}

func TestPlanWithoutTokensInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	small := w.NewTenant("small", plan.Basic)
	b := openWindow(w)
	b.signIn(t, small)
	b.do(t, chromedp.Navigate(b.Base+"/chatbots/"+small.Chatbot+"/tokens"), chromedp.WaitVisible(chromedp.ID("upgrade")))

	t.Run("it says which plan has them and what that gives, and offers no form that refuses", func(t *testing.T) {
		if got := b.text(t, "#upgrade"); !strings.Contains(got, "API access starts with Standard") || !strings.Contains(got, "10 API tokens for each chatbot") {
			t.Errorf("the page says %q", got)
		}
		if got := get(t, b, chromedp.Evaluate[int](`document.querySelectorAll("#new-token").length`)); got != 0 {
			t.Error("it offers to create a token")
		}
		b.quiet(t)
	})
	t.Run("a button shows what the change of plan does, and the change leads back", func(t *testing.T) {
		if got := b.follow(t, "#upgrade-plan"); !strings.HasPrefix(got, "/workspaces/"+small.Workspace+"/billing/change?") {
			t.Errorf("the link leads to %q", got)
		}
		if got := b.text(t, "main"); !strings.Contains(got, "Change to Standard?") || !strings.Contains(got, "API access") {
			t.Errorf("it asks %q", got)
		}
		if got := b.follow(t, `button[name=plan][value=standard]`); !strings.HasPrefix(got, "/chatbots/"+small.Chatbot+"/tokens") {
			t.Errorf("the change leads to %q", got)
		}
	})
	t.Run("then a token can be created", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.ID("new-token")), chromedp.SendKeys(chromedp.ID("token-name"), "Website"),
			chromedp.Click(chromedp.ID("create-token")), chromedp.WaitVisible(chromedp.ID("token-secret")))
		w.Within(t).Chats(b.text(t, "#token-secret"), http.StatusOK)
		b.quiet(t)
	})
}
