package pages

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/e2e/harness"
)

// downloads has the browser keep what it downloads in a folder.
func (b *window) downloads(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	_, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder})
	b.Within(t).Must(err)
	return folder
}

// downloaded waits for a file with this ending, and returns its path. The browser
// takes the name with an empty file before it moves what it has there.
func downloaded(w *harness.Instance, folder, ending string) (path string) {
	w.Helper()
	w.Eventually("a file with the ending "+ending, func() bool {
		found, _ := filepath.Glob(filepath.Join(folder, "*"+ending))
		if len(found) != 1 {
			return false
		}
		path = found[0]
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0
	})
	return path
}

// TestAuditInTheBrowser filters the audit log, opens an entry and takes a file away, once
// with a mouse and once with a keyboard alone.
func TestAuditInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindow(w)
	b.signIn(t, baker)
	page := w.Base + "/workspaces/" + baker.Workspace + "/audit"
	t.Run("with a mouse", func(t *testing.T) { b.audits(t, b.pointing(), page, baker) })
	t.Run("with a keyboard alone", func(t *testing.T) { b.audits(t, b.typing(), page, baker) })
	t.Run("without scripts the filters are a form, and entries and files are links", func(t *testing.T) {
		v := w.Within(t).SignedIn(baker.Email, baker.Password)
		got := v.Get("/workspaces/" + baker.Workspace + "/audit?object=token&id=" + baker.TokenID)
		if !strings.Contains(got.Text, "Created the token") || strings.Contains(got.Text, "Created the chatbot") || !strings.Contains(got.Text, "<noscript>") {
			t.Errorf("the page is %s", harness.Shortened(got.Text))
		}
	})
	t.Run("a colleague who manages nobody is refused the page, an entry and a file", func(t *testing.T) {
		w := w.Within(t)
		e := &harness.FullWorkspace{Name: "bakery", Tenant: baker}
		entry := w.NewEntry(baker.Workspace, "token.created")
		b.becomes(t, w.Employ(e, tenant.RoleMember))
		for _, path := range []string{"", "/" + entry, "/export?format=jsonl"} {
			response, err := chromedp.RunResponse(b.ctx, chromedp.Navigate(page+path))
			if err != nil || response.Status != http.StatusForbidden {
				t.Errorf("%q is answered with %v, %v", path, response, err)
			}
		}
		if got := b.text(t, "main"); strings.Contains(got, "Created the token") {
			t.Errorf("the page says %q", got)
		}
		b.heard() // of the refusals
		b.becomes(t, w.Employ(e, tenant.RoleAdmin))
		b.do(t, chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS(`[data-action="token.created"]`)))
	})
	b.quiet(t)
}

func (b *window) audits(t *testing.T, hand hand, page string, tn harness.Tenant) {
	w := b.Within(t)
	folder := b.downloads(t)
	b.do(t, chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS(`[data-action="chatbot.created"]`)))
	// listed waits until only entries of an action are listed.
	listed := func(action string) {
		t.Helper()
		w.Eventually("only "+action+" is listed", func() bool {
			return get(t, b, chromedp.Evaluate[string](`[...new Set([...document.querySelectorAll("#audit-list tbody tr")].map((row) => row.dataset.action))].join(" ")`)) == action
		})
	}
	hand.press(t, "details.more > summary")
	hand.write(t, "#id", tn.TokenID)
	listed("token.created")
	if got := get(t, b, chromedp.Location()); !strings.Contains(got, "id="+tn.TokenID) {
		t.Errorf("the address is %q", got)
	}

	hand.press(t, "#audit-list tbody tr:first-child a.entry")
	b.do(t, chromedp.WaitVisible(chromedp.ID("entry-hash")))
	says := b.text(t, "main")
	for _, text := range []string{"Created the token", "token.created", tn.TokenID, "Number"} {
		if !strings.Contains(says, text) {
			t.Errorf("the entry lacks %q: %q", text, says)
		}
	}
	if hash := b.text(t, "#entry-hash"); len(hash) != 64 {
		t.Errorf("its hash is %q", hash)
	}
	b.do(t, chromedp.NavigateBack(), chromedp.WaitVisible(chromedp.CSS("#audit-list")))
	listed("token.created")

	for item, has := range map[string]string{"#export-csv": "id,at,workspace_id,", "#export-jsonl": `{"audit":1,`} {
		hand.press(t, "[popovertarget=export]")
		get(t, b, chromedp.Poll[bool](`document.querySelector(".menu:popover-open")?.contains(document.activeElement)`))
		if item == "#export-jsonl" { // the second item, which the arrow reaches
			b.do(t, chromedp.KeyEvent(kb.ArrowDown))
		}
		hand.press(t, item)
		path := downloaded(w, folder, strings.Replace(item, "#export-", ".", 1))
		text, err := os.ReadFile(path)
		w.Must(err)
		if !strings.HasPrefix(string(text), has) || !strings.Contains(string(text), tn.TokenID) || strings.Contains(string(text), "chatbot.created") {
			t.Errorf("%s has %s", path, text)
		}
		b.do(t, chromedp.KeyEvent(kb.Escape))
	}
	b.do(t, chromedp.Navigate(page))
	if got := b.text(t, "#audit-list tbody tr:first-child"); !strings.Contains(got, "Exported entries of the audit log") || !strings.Contains(got, tn.Email) || !strings.Contains(got, "object id: "+tn.TokenID) {
		t.Errorf("the latest entry is %q", got)
	}
	b.quiet(t)
}
