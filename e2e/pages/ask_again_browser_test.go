package pages

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/core/plan"
	"parley/e2e/harness"
)

// ageSessions has every session be one in which nobody has shown lately who they are.
func ageSessions(w *harness.Instance) {
	w.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.Server.Config.DataDir, "parley.db")+"?_pragma=busy_timeout(10000)")
	w.Must(err)
	defer db.Close()
	_, err = db.ExecContext(w.Context(), "UPDATE sessions SET proved_at = '2026-01-01 00:00:00+00:00'")
	w.Must(err)
}

// confirms types the password on the page that asks again, and returns where it leads.
func (b *window) confirms(t *testing.T, tn harness.Tenant) string {
	t.Helper()
	b.do(t, chromedp.WaitVisible(chromedp.ID("confirm_password")), chromedp.SendKeys(chromedp.ID("confirm_password"), tn.Password))
	return b.follow(t, "#confirm-password")
}

// value is what is typed in an input.
func (b *window) value(t *testing.T, id string) string {
	t.Helper()
	return get(t, b, chromedp.Value(chromedp.ID(id)))
}

// Whoever is asked in the middle of something who they are finds all they had typed, but
// for what is secret.
func TestAskingAgainKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindow(w)
	b.signIn(t, baker)
	home := b.Base + "/workspaces/" + baker.Workspace
	t.Run("a form goes on by itself", func(t *testing.T) {
		ageSessions(w.Within(t))
		b.do(t, chromedp.Navigate(home+"/members"), chromedp.SetValue(chromedp.ID("email"), "guest@example.com"))
		b.follow(t, "#invite")
		b.confirms(t, baker)
		if got := b.text(t, "main"); !strings.Contains(got, "guest@example.com") {
			t.Errorf("the page says %q", got)
		}
	})
	t.Run("whoever thinks better of it goes back, and nothing has happened", func(t *testing.T) {
		ageSessions(w.Within(t))
		b.do(t, chromedp.Navigate(home+"/members"), chromedp.SetValue(chromedp.ID("email"), "second@example.com"))
		b.follow(t, "#invite")
		if got := b.follow(t, "#confirm-cancel"); got != "/workspaces/"+baker.Workspace+"/members" {
			t.Errorf("it leads to %q", got)
		}
		if got := b.text(t, "main"); strings.Contains(got, "second@example.com") {
			t.Errorf("the page says %q", got)
		}
	})
	t.Run("a form with a key waits on its page, without the key, which gets the focus", func(t *testing.T) {
		b.do(t, chromedp.Navigate(home+"/models"), chromedp.SetValue(chromedp.ID("kind"), "anthropic"), chromedp.SetValue(chromedp.ID("name"), "Ours & <b>theirs</b>"),
			chromedp.SetValue(chromedp.ID("key"), "sk-a-key-that-nobody-keeps"), chromedp.Click(chromedp.ID("tools")))
		tools := get(t, b, chromedp.Evaluate[bool](`document.getElementById("tools").checked`))
		ageSessions(w.Within(t))
		b.follow(t, "#add-provider")
		if got := b.text(t, "main"); !strings.Contains(got, "Your entries are kept") {
			t.Errorf("the page says %q", got)
		}
		if html := get(t, b, chromedp.OuterHTML(chromedp.CSS("html"))); strings.Contains(html, "sk-a-key") {
			t.Error("the page has the key")
		}
		if got := b.confirms(t, baker); got != "/workspaces/"+baker.Workspace+"/models" {
			t.Errorf("it leads to %q", got)
		}
		if name, kind := b.value(t, "name"), b.value(t, "kind"); name != "Ours & <b>theirs</b>" || kind != "anthropic" {
			t.Errorf("it has %q and %q", name, kind)
		}
		if got := get(t, b, chromedp.Evaluate[bool](`document.getElementById("tools").checked`)); got != tools {
			t.Error("the choice is gone")
		}
		if got := b.value(t, "key"); got != "" {
			t.Error("it has the key")
		}
		if got := get(t, b, chromedp.Evaluate[string](`document.activeElement.id`)); got != "key" {
			t.Errorf("the focus is on %q", got)
		}
		if got := get(t, b, chromedp.Evaluate[int](`sessionStorage.length`)); got != 0 {
			t.Error("the tab still keeps it")
		}
	})
	t.Run("a form whose answer is a file waits on its page", func(t *testing.T) {
		ageSessions(w.Within(t))
		b.do(t, chromedp.Navigate(home+"/privacy"), chromedp.SetValue(chromedp.ID("external_user_id"), "customer-4711"))
		b.follow(t, `form[action$="/end-user/export"] button`)
		if got := b.confirms(t, baker); got != "/workspaces/"+baker.Workspace+"/privacy" {
			t.Errorf("it leads to %q", got)
		}
		if got := b.value(t, "external_user_id"); got != "customer-4711" {
			t.Errorf("it has %q", got)
		}
	})
	t.Run("the dialog of a new token opens again as it was, by the keyboard, on a phone", func(t *testing.T) {
		b.size(t, 360)
		b.do(t, chromedp.Navigate(b.Base+"/chatbots/"+baker.Chatbot+"/tokens"), chromedp.WaitVisible(chromedp.CSS("#token-list tr")),
			chromedp.Click(chromedp.ID("new-token")), chromedp.WaitVisible(chromedp.ID("create-dialog")),
			chromedp.Click(chromedp.ID("scope-read")), chromedp.SetValue(chromedp.ID("token-days"), "90"), chromedp.SetValue(chromedp.ID("token-note"), "For the till"))
		ageSessions(w.Within(t))
		b.do(t, chromedp.SendKeys(chromedp.ID("token-name"), "Till"+kb.Enter), chromedp.WaitVisible(chromedp.ID("confirm_password")))
		if !get(t, b, chromedp.Evaluate[bool](`document.documentElement.scrollWidth <= innerWidth`)) {
			t.Error("the page is wider than a phone")
		}
		b.do(t, chromedp.SendKeys(chromedp.ID("confirm_password"), baker.Password+kb.Enter), chromedp.WaitVisible(chromedp.ID("create-dialog")))
		if name, days, note := b.value(t, "token-name"), b.value(t, "token-days"), b.value(t, "token-note"); name != "Till" || days != "90" || note != "For the till" {
			t.Errorf("it has %q, %q and %q", name, days, note)
		}
		if got := get(t, b, chromedp.Evaluate[string](`[...document.querySelectorAll("[name=scope]:checked")].map((box) => box.value).join(" ")`)); got != "chat conversations:read" {
			t.Errorf("it may %q", got)
		}
		b.do(t, chromedp.Click(chromedp.ID("create-token")), chromedp.WaitVisible(chromedp.ID("token-secret")), chromedp.Click(chromedp.ID("token-done")))
		b.size(t, 1200)
	})
	t.Run("a token that is being edited is edited on", func(t *testing.T) {
		row := "#token-list tr:first-child"
		b.do(t, chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(row)))
		b.openMenu(t, row+" .row-menu")
		b.do(t, chromedp.Click(chromedp.CSS(row+" .edit")), chromedp.WaitVisible(chromedp.ID("create-dialog")))
		ageSessions(w.Within(t))
		b.do(t, chromedp.SetValue(chromedp.ID("token-note"), "For both tills"), chromedp.Click(chromedp.ID("create-token")))
		b.confirms(t, baker)
		b.do(t, chromedp.WaitVisible(chromedp.ID("create-dialog")))
		if title, note := b.text(t, "#create-title"), b.value(t, "token-note"); title != "Edit “Till”" || note != "For both tills" {
			t.Errorf("it is %q with %q", title, note)
		}
		b.do(t, chromedp.Click(chromedp.ID("create-token")), chromedp.WaitNotVisible(chromedp.ID("create-dialog")))
	})
}
