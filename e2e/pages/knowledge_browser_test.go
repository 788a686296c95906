package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/e2e/harness"
)

func TestKnowledgeInTheBrowser(t *testing.T) {
	t.Parallel()
	site := harness.NewSite(t)
	site.Put("/page", "A page that takes its time.")
	w := harness.Start(t, site.Allowed)
	baker := w.NewTenant("baker", plan.Standard)
	b := openWindowFor(w, 8*harness.Patience)
	b.signIn(t, baker)
	page := b.Base + "/chatbots/" + baker.Chatbot + "/knowledge"
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		w.Must(os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	rows := func(t *testing.T) string {
		return get(t, b, chromedp.Evaluate[string](`[...document.querySelectorAll("#document-list tbody th a")].map((a) => a.textContent).join(", ")`))
	}
	toast := func(t *testing.T, want string) {
		t.Helper()
		b.do(t, chromedp.WaitVisible(chromedp.CSS(".toast p")))
		if got := b.text(t, ".toast p"); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	find, read := site.Hold("/robots.txt"), site.Hold("/page")

	t.Run("an address that is added is looked up and fetched, and the page becomes current by itself", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.Click(chromedp.ID("add-open")), chromedp.Click(chromedp.CSS("#add .tabs li:nth-of-type(2) a")),
			chromedp.SendKeys(chromedp.ID("url"), site.Address("/page")), chromedp.SetValue(chromedp.ID("reach"), "site"))
		if got := b.follow(t, "#add-address"); !strings.HasSuffix(got, "/knowledge/addresses") {
			t.Fatalf("it leads to %q", got)
		}
		b.do(t, chromedp.Navigate(page), chromedp.WaitVisible(chromedp.ID("none")))
		if got := b.text(t, "#none"); !strings.Contains(got, "Reading your website") {
			t.Errorf("it says %q", got)
		}
		find()
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="fetching"]`)), chromedp.Click(chromedp.CSS("td.select input")))
		read()
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="ready"]`)), chromedp.WaitNotPresent(chromedp.ID("working")))
		if !get(t, b, chromedp.Evaluate[bool](`document.querySelector("td.select input").checked`)) {
			t.Error("what was selected is not any more")
		}
		b.quiet(t)
	})
	t.Run("of several files, one that does not work is named, and the others are added", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.Click(chromedp.ID("add-open")),
			chromedp.SetUploadFiles(chromedp.ID("files"), []string{
				file("manual.pdf", harness.Manual()), file("empty.pdf", ""), file("song.mp3", "la la"), file("notes.md", "# Notes\n\nThe lamp needs a dynamo.\n"),
			}), chromedp.WaitVisible(chromedp.CSS("#uploads [data-close]:not([hidden])")))
		if got := b.text(t, "#uploads [data-summary]"); got != "2 of 4 files added. 2 failed." {
			t.Errorf("it says %q", got)
		}
		got := b.text(t, "#uploads [data-files]")
		for _, want := range []string{"empty.pdf", "The file is empty.", "song.mp3", "We can't read this file type. Add PDF"} {
			if !strings.Contains(got, want) {
				t.Errorf("it says %q, without %q", got, want)
			}
		}
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="ready"]:nth-of-type(3)`)), chromedp.Click(chromedp.CSS("#uploads [data-close]")))
		if got := len(w.Within(t).Settled(baker)); got != 3 {
			t.Errorf("there are %d documents", got)
		}
		b.quiet(t)
	})
	t.Run("a PDF that is dropped anywhere on the page becomes ready", func(t *testing.T) {
		get(t, b, chromedp.Evaluate[bool](`(() => {
			const files = new DataTransfer();
			files.items.add(new File([`+harness.Quoted(w, harness.Manual())+`], "dropped.pdf", { type: "application/pdf" }));
			files.items.add(new File(["Rolls are baked at dawn."], "rolls.txt"));
			for (const kind of ["dragenter", "dragover", "drop"]) {
				document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
			}
			return true;
		})()`))
		toast(t, "2 files added.")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="ready"]:nth-of-type(5)`)))
		b.quiet(t)
	})
	t.Run("a search finds titles without loading the page again", func(t *testing.T) {
		b.do(t, chromedp.SendKeys(chromedp.ID("q"), "ROLLS"), chromedp.WaitNotPresent(chromedp.CSS("#document-list tbody tr:nth-of-type(2)")))
		if got := rows(t); got != "rolls" {
			t.Errorf("it finds %q", got)
		}
		if got := get(t, b, chromedp.Location()); !strings.HasSuffix(got, "?q=ROLLS") {
			t.Errorf("the address is %q", got)
		}
		b.quiet(t)
	})
	t.Run("several are removed at once, and come back", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.Click(chromedp.CSS("th.select input")), chromedp.WaitVisible(chromedp.CSS(".selection.shown")))
		if got := b.text(t, "[data-selected]"); got != "5 selected" {
			t.Errorf("it says %q", got)
		}
		b.follow(t, "#remove-selected")
		toast(t, "5 documents removed.")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="removing"]:nth-of-type(5)`)))
		b.follow(t, ".toast form button")
		toast(t, "5 documents restored.")
		b.do(t, chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="ready"]:nth-of-type(5)`)))
		b.quiet(t)
	})
	t.Run("a document's page shows its text and its passages", func(t *testing.T) {
		rolls := harness.Titled(w.Within(t).Settled(baker), "rolls")
		b.do(t, chromedp.Navigate(page))
		b.follow(t, `tr[data-document-id="`+rolls.ID+`"] th a`)
		if got := b.text(t, "#document-text"); !strings.Contains(got, "dawn") {
			t.Errorf("its text is %q", got)
		}
		b.follow(t, ".tabs li:nth-of-type(2) a")
		if got := b.text(t, "#passages"); !strings.Contains(got, "dawn") || !strings.Contains(got, "tokens") {
			t.Errorf("its passages are %q", got)
		}
		b.quiet(t)
	})
	t.Run("a lost connection is told, and Retry sends what is missing", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page))
		get(t, b, chromedp.Evaluate[bool](`(() => {
			const open = XMLHttpRequest.prototype.open;
			let lost = 0;
			XMLHttpRequest.prototype.open = function (method, address) {
				return open.call(this, method, ++lost > 1 ? address : "http://127.0.0.1:9/");
			};
			return true;
		})()`))
		b.do(t, chromedp.Click(chromedp.ID("add-open")), chromedp.SetUploadFiles(chromedp.ID("files"), []string{file("a.txt", "One."), file("b.txt", "Two."), file("c.txt", "Three.")}),
			chromedp.WaitVisible(chromedp.CSS(`#uploads li[data-state="failed"]`)))
		if got := b.text(t, "#uploads [data-summary]"); !strings.Contains(got, "The connection was lost.") {
			t.Errorf("it says %q", got)
		}
		b.heard() // of the addresses that lead nowhere
		b.do(t, chromedp.Click(chromedp.CSS("[data-retry-all]")), chromedp.WaitVisible(chromedp.CSS(`#document-list tr[data-state="ready"]:nth-of-type(8)`)))
	})
	t.Run("when the server takes no more files, the page says that it waits, goes on by itself, and adds nothing twice", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page))
		get(t, b, chromedp.Evaluate[bool](`(() => {
			const send = XMLHttpRequest.prototype.send;
			let full = true;
			XMLHttpRequest.prototype.send = function (body) {
				if (full) {
					full = false;
					Object.defineProperty(this, "status", { value: 429 });
					this.getResponseHeader = () => "2";
				}
				return send.call(this, body);
			};
			return true;
		})()`))
		b.do(t, chromedp.Click(chromedp.ID("add-open")), chromedp.SetUploadFiles(chromedp.ID("files"), []string{file("d.txt", "Four."), file("e.txt", "Five.")}))
		get(t, b, chromedp.Poll[bool](`document.querySelector("#uploads [data-summary]").textContent.includes("keep this page open")`))
		toast(t, "2 files added.")
		if got := len(w.Within(t).Settled(baker)); got != 10 {
			t.Errorf("there are %d documents", got)
		}
		b.quiet(t)
	})
	t.Run("a thousand files dropped at once are all added", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page))
		get(t, b, chromedp.Evaluate[bool](`(() => {
			const files = new DataTransfer();
			for (let i = 0; i < 1000; i++) {
				files.items.add(new File(["Loaf " + i + " costs " + i + " cents."], "loaf-" + i + ".txt"));
			}
			for (const kind of ["dragenter", "dragover", "drop"]) {
				document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
			}
			return true;
		})()`))
		began := time.Now()
		toast(t, "1,000 files added.")
		t.Logf("a thousand files are added in %v", time.Since(began))
		documents, err := w.Server.Knowledge.Documents.List(t.Context(), baker.Workspace, baker.Chatbot)
		w.Must(err)
		if len(documents) != 1010 {
			t.Errorf("there are %d documents", len(documents))
		}
		b.quiet(t)
	})
}
