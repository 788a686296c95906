package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
)

func TestKnowledgeInTheBrowser(t *testing.T) {
	site := newSite(t)
	site.put("/page", "A page that takes its time.")
	w := start(t, site.allowed)
	baker := w.newTenant("baker", plan.Standard)
	b := w.window()
	b.signIn(t, baker)
	page := b.base + "/chatbots/" + baker.chatbot + "/knowledge"
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		w.must(os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	release := site.hold("/page")

	t.Run("an address that is added is being fetched", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.Click(chromedp.CSS("details:last-of-type > summary")),
			chromedp.SendKeys(chromedp.ID("url"), site.url("/page")))
		if got := b.follow(t, "#add-address"); !strings.HasSuffix(got, "?done=source") {
			t.Fatalf("it leads to %q", got)
		}
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="fetching"]`)))
	})
	t.Run("the list updates by itself, without losing what is typed", func(t *testing.T) {
		b.do(t, chromedp.SendKeys(chromedp.ID("title"), "Half a title"))
		release()
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="ready"]`)), chromedp.WaitNotPresent(chromedp.ID("working")))
		if got := get(t, b, chromedp.Value(chromedp.ID("title"))); got != "Half a title" {
			t.Errorf("what was typed became %q", got)
		}
		b.quiet(t)
	})
	t.Run("each of several files is sent by itself, and a refused one is named", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.CSS("details:nth-of-type(2) > summary")),
			chromedp.SetUploadFiles(chromedp.ID("files"), []string{
				file("manual.pdf", manual()), file("empty.pdf", ""), file("notes.md", "# Notes\n\nThe lamp needs a dynamo.\n"),
			}), chromedp.Click(chromedp.ID("add-files")), chromedp.WaitVisible(chromedp.CSS("#files-failed li")))
		if got := get(t, b, chromedp.Poll[string](`document.getElementById("files-status").textContent.includes("added") && document.getElementById("files-status").textContent`)); got != "2 of 3 added." {
			t.Errorf("it says %q", got)
		}
		if got := b.text(t, "#files-failed"); got != "empty.pdf: The file is empty." {
			t.Errorf("it says %q", got)
		}
		if heard := b.heard(); len(heard) != 1 || !strings.Contains(heard[0], "422") {
			t.Errorf("the console has %q", heard)
		}
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="ready"]:nth-of-type(3)`)))
		if got := len(w.within(t).settled(baker)); got != 3 {
			t.Errorf("there are %d documents", got)
		}
	})
	t.Run("when all files are accepted, the page says so", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.Click(chromedp.CSS("details:nth-of-type(2) > summary")),
			chromedp.SetUploadFiles(chromedp.ID("files"), []string{file("a.txt", "One."), file("b.txt", "Two.")}),
			chromedp.Click(chromedp.ID("add-files")), chromedp.WaitVisible(chromedp.CSS(".toast p")))
		if got := b.text(t, ".toast p"); got != "Your knowledge has been added." {
			t.Errorf("it says %q", got)
		}
		b.quiet(t)
	})
}
