package pages

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"parley/e2e/harness"
)

// window is a tab of a real browser.
type window struct {
	*harness.Instance
	ctx context.Context

	mu sync.Mutex
	// complaints are errors and warnings of the console: exceptions, what the
	// content policy stopped, and what could not be loaded.
	complaints []string
}

// findChromium returns the program, or fails the test. A Chromium without its own windows and
// menus comes first: it starts in a third of the time.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("This test needs a Chromium, and there is none. Run scripts/setup.sh.")
	return ""
}

// openWindow opens a browser with nothing in it, until the test ends.
func openWindow(w *harness.Instance) *window {
	w.Helper()
	return openWindowFor(w, 4*harness.Patience)
}

// openWindowFor is openWindow for a test that takes longer.
func openWindowFor(w *harness.Instance, limit time.Duration) *window {
	w.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(findChromium(w.T)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1200, 1000),
	)
	limited, stop := context.WithTimeout(context.WithoutCancel(w.Context()), limit)
	allocator, stopAllocator := chromedp.NewExecAllocator(limited, options...)
	b := &window{Instance: w}
	b.ctx, _ = chromedp.NewContext(allocator)
	w.Cleanup(func() {
		if err := chromedp.Cancel(b.ctx); err != nil {
			w.Errorf("closing the browser: %v", err)
		}
		stopAllocator()
		stop()
	})
	w.Must(chromedp.Listen(b.ctx, b.hear))
	for _, permission := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: permission}, Setting: browser.PermissionSettingGranted, Origin: w.Base,
		})
		w.Must(err)
	}
	return b
}

func (b *window) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, "exception: "+event.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if event.Type == "error" || event.Type == "warning" || event.Type == "assert" {
			b.complaints = append(b.complaints, fmt.Sprintf("console: %v", event.Args))
		}
	case *cdplog.EventEntryAdded:
		if entry := event.Entry; entry.Level == "error" || entry.Level == "warning" {
			b.complaints = append(b.complaints, string(entry.Source)+": "+entry.Text+" "+entry.URL)
		}
	}
}

// heard returns the complaints and forgets them.
func (b *window) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	heard := b.complaints
	b.complaints = nil
	return heard
}

// quiet fails the test on any complaint.
func (b *window) quiet(t *testing.T) {
	t.Helper()
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the console has:\n%s", strings.Join(heard, "\n"))
	}
}

func (b *window) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	for _, step := range steps {
		get(t, b, step)
	}
}

// get returns what an action finds out. It acts again if the page was replaced
// before it could.
func get[T any](t *testing.T, b *window, action chromedp.Action[T]) T {
	t.Helper()
	value, err := chromedp.Run(b.ctx, action)
	for again := 0; again < 50 && replaced(err); again++ {
		value, err = chromedp.Run(b.ctx, action)
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// replaced says whether an element or a page was gone before it could be read.
func replaced(err error) bool {
	if err == nil {
		return false
	}
	for _, gone := range []string{"No node with given id", "Could not find node", "Cannot find context", "Execution context was destroyed", "Inspected target navigated"} {
		if strings.Contains(err.Error(), gone) {
			return true
		}
	}
	return false
}

// choose chooses files, when the scripts of the page listen: people are not faster.
func (b *window) choose(t *testing.T, files ...string) {
	t.Helper()
	get(t, b, chromedp.Poll[bool](`document.readyState === "complete" && customElements.get("drop-zone") !== undefined`))
	b.do(t, chromedp.SetUploadFiles(chromedp.ID("files"), files))
}

// text is what a person reads in the element.
func (b *window) text(t *testing.T, selector string) string {
	t.Helper()
	return get(t, b, chromedp.Text(chromedp.CSS(selector)))
}

// follow clicks on what leads to another page, and returns its path.
func (b *window) follow(t *testing.T, selector string) string {
	t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(get(t, b, chromedp.Location()), b.Base)
}

// openMenu waits until the menu has its place and the focus: what is clicked
// before that moves away under the pointer.
func (b *window) openMenu(t *testing.T, button string) {
	t.Helper()
	b.do(t, chromedp.Click(chromedp.CSS(button)))
	get(t, b, chromedp.Poll[bool](`document.querySelector(".menu:popover-open")?.contains(document.activeElement)`))
}

// signOut leaves by the menu of the account.
func (b *window) signOut(t *testing.T) string {
	t.Helper()
	b.openMenu(t, "[popovertarget=account]")
	return b.follow(t, "form.account button")
}

func (b *window) signIn(t *testing.T, tn harness.Tenant) {
	t.Helper()
	b.do(t, chromedp.Navigate(b.Base+"/sign-in"),
		chromedp.SendKeys(chromedp.ID("email"), tn.Email), chromedp.SendKeys(chromedp.ID("password"), tn.Password))
	if got := b.follow(t, "main button[type=submit]"); got != "/workspaces/"+tn.Workspace {
		t.Fatalf("signing in leads to %q", got)
	}
}
