package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/e2e/harness"
)

func TestFirstRunInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	b := openWindow(w)
	hours := filepath.Join(t.TempDir(), "hours.md")
	w.Must(os.WriteFile(hours, []byte("# Opening hours\n\nThe shop is open Monday to Friday from nine to six.\n\n# Returns\n\nYou can return goods within 30 days.\n"), 0o600))

	t.Run("signing up leads to the first chatbot, which has the name of the business", func(t *testing.T) {
		b.do(t, chromedp.Navigate(b.Base+"/sign-up"), chromedp.SendKeys(chromedp.ID("email"), "mara@shop.example"),
			chromedp.SendKeys(chromedp.ID("password"), "a long pass phrase"), chromedp.SendKeys(chromedp.ID("workspace"), "Mara Cycles"))
		b.follow(t, "main button[type=submit]")
		if got := get(t, b, chromedp.Value(chromedp.ID("name"))); got != "Mara Cycles" {
			t.Errorf("the name is %q", got)
		}
		if got := b.follow(t, "#create-chatbot"); !strings.HasSuffix(got, "/welcome") {
			t.Errorf("it leads to %q", got)
		}
	})
	t.Run("a file that is dropped is read, and then the playground opens with questions", func(t *testing.T) {
		b.choose(t, hours)
		w.Within(t).Eventually("the playground opens", func() bool {
			return strings.HasSuffix(get(t, b, chromedp.Location()), "/playground")
		})
		w.Within(t).Eventually("a question about the file is suggested", func() bool {
			return strings.Contains(b.text(t, "main"), "When are you open?")
		})
	})
	t.Run("the box for questions is in sight below the banner about the address", func(t *testing.T) {
		b.do(t, chromedp.WaitVisible(chromedp.ID("unconfirmed")))
		for _, width := range []int64{1280, 375} {
			b.size(t, width)
			if got := get(t, b, chromedp.Evaluate[int](`Math.ceil(document.querySelector(".composer").getBoundingClientRect().bottom + scrollY - innerHeight)`)); got > 0 {
				t.Errorf("at %d pixels it ends %d below the window", width, got)
			}
		}
		b.size(t, 1280)
	})
	t.Run("the overview has ticked the first step", func(t *testing.T) {
		b.do(t, chromedp.Navigate(strings.TrimSuffix(get(t, b, chromedp.Location()), "/playground")), chromedp.WaitVisible(chromedp.CSS("#checklist .done")))
		if got := b.text(t, "#checklist .done"); !strings.Contains(got, "Add knowledge") {
			t.Errorf("the step that is ticked is %q", got)
		}
	})
	t.Run("the palette finds the document by a part of its title", func(t *testing.T) {
		b.do(t, chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.WaitVisible(chromedp.CSS("#palette input")), chromedp.SendKeys(chromedp.CSS("#palette input"), "hour"),
			chromedp.WaitVisible(chromedp.CSS(`#palette [data-url*="/knowledge/"]`)), chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(chromedp.ID("palette")))
	})
	t.Run("what was typed when the session ended is there again after signing in", func(t *testing.T) {
		b.do(t, chromedp.Navigate(b.Base+"/workspaces/new"), chromedp.SendKeys(chromedp.ID("name"), "Half a name"))
		b.do(t, chromedp.Evaluate[chromedp.Void](`fetch("/sign-out", { method: "POST" })`, chromedp.EvalAwaitPromise))
		b.follow(t, "#create-workspace")
		b.follow(t, `main a[href^="/sign-in"]`)
		b.do(t, chromedp.SendKeys(chromedp.ID("email"), "mara@shop.example"), chromedp.SendKeys(chromedp.ID("password"), "a long pass phrase"))
		if got := b.follow(t, "main button[type=submit]"); got != "/workspaces/new" {
			t.Fatalf("signing in leads to %q", got)
		}
		w.Within(t).Eventually("the name is there", func() bool { return get(t, b, chromedp.Value(chromedp.ID("name"))) == "Half a name" })
		heard := b.heard()
		if len(heard) != 1 || !strings.Contains(heard[0], "401") {
			t.Errorf("the console has %q", heard)
		}
	})
	t.Run("Escape closes a menu, and its button has the focus again", func(t *testing.T) {
		b.openMenu(t, "[popovertarget=account]")
		b.do(t, chromedp.KeyEvent(kb.Escape))
		get(t, b, chromedp.Poll[bool](`document.activeElement.getAttribute("popovertarget") === "account" && !document.querySelector(":popover-open")`))
	})
	t.Run("without a network a page says so, and keeps what was typed", func(t *testing.T) {
		b.do(t, chromedp.Evaluate[chromedp.Void](`Object.defineProperty(navigator, "onLine", { get: () => false }); dispatchEvent(new Event("offline")); document.getElementById("create-workspace").click()`),
			chromedp.WaitVisible(chromedp.CSS(".offline")), chromedp.WaitVisible(chromedp.CSS(".toast.danger")))
		if got := get(t, b, chromedp.Value(chromedp.ID("name"))); got != "Half a name" {
			t.Errorf("the name is %q", got)
		}
	})
}
