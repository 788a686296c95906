package pages

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/e2e/harness"
)

// A body above the limit of its route is refused before it is read. A person is told
// nevertheless on the page with the form, also while a browser still sends.
func TestFilesThatAreTooLargeInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	b := openWindow(w)
	b.signIn(t, baker)
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	const button = `form[enctype="multipart/form-data"] button.primary`
	base, folder := "/chatbots/"+baker.Chatbot, t.TempDir()
	for _, c := range []struct {
		page, input, name string
		sizes             []int64 // MiB
		says              string
	}{
		{"/knowledge/add?way=files", "files", "big.pdf", []int64{22, 150}, "The files are larger than 20 MB together. Add fewer at a time, or split the large ones."},
		{"/improve/tests/import", "file", "big.csv", []int64{4, 150}, "The file is larger than 2 MiB."},
	} {
		for _, size := range c.sizes {
			t.Run(fmt.Sprintf("%d MiB on %s are refused beside the input, and the form is there again", size, c.page), func(t *testing.T) {
				file := filepath.Join(folder, c.name)
				w.Must(os.WriteFile(file, nil, 0o600))
				w.Must(os.Truncate(file, size<<20))
				b.do(t, chromedp.Navigate(w.Base+base+c.page), chromedp.SetUploadFiles(chromedp.ID(c.input), []string{file}))
				answer, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS(button)))
				if err != nil || answer.Status != http.StatusRequestEntityTooLarge {
					t.Fatalf("the answer is %+v, %v", answer, err)
				}
				if got := b.text(t, "#"+c.input+"-error"); !strings.Contains(got, c.says) {
					t.Errorf("beside the input is %q", got)
				}
				b.do(t, chromedp.WaitVisible(chromedp.CSS(button)))
			})
		}
	}
	t.Run("so it is on the first page of a chatbot", func(t *testing.T) {
		v := w.Within(t).SignedIn(baker.Email, baker.Password)
		got := v.SendForm(base+"/welcome", harness.WithFile(harness.Fields("none", ""), "files", "big.pdf", strings.Repeat("x", 22<<20)))
		if page := harness.Text(v.Page(got)); got.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(page, "The files are larger than 20 MB together.") {
			t.Errorf("status %d: %s", got.StatusCode, page)
		}
	})
	t.Run("a text is refused on a page of its own, with a way back", func(t *testing.T) {
		v := w.Within(t).SignedIn(baker.Email, baker.Password)
		got := v.Ask("POST", base+"/knowledge", harness.Upload("Long", strings.Repeat("long ", 5<<20)), harness.Header{Name: "Content-Type", Value: ""}, harness.MultipartType,
			harness.Header{Name: "Sec-Fetch-Site", Value: "same-origin"}, harness.Header{Name: "Referer", Value: w.Base + base + "/knowledge/add?way=text"})
		if page := harness.Text(v.Page(got)); got.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(page, "What you sent is too large.") || !strings.Contains(page, "Go back") {
			t.Errorf("status %d: %s", got.StatusCode, page)
		}
	})
	t.Run("a program gets the envelope", func(t *testing.T) {
		v := w.Within(t).SignedIn(baker.Email, baker.Password)
		v.CheckAnswer(v.Ask("PUT", "/api/chatbots/"+baker.Chatbot+"/test-questions", `{"questions":[{"question":"`+strings.Repeat("long ", 1<<20)+`"}]}`), http.StatusRequestEntityTooLarge, 4)
	})
}
