package e2e

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
)

// A body above the limit of its route is refused before it is read. A person is told
// nevertheless on the page with the form, also while a browser still sends.
func TestFilesThatAreTooLargeInTheBrowser(t *testing.T) {
	w := start(t)
	baker := w.newTenant("baker", plan.Standard, opening)
	b := w.window()
	b.signIn(t, baker)
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	const button = `form[enctype="multipart/form-data"] button.primary`
	base, folder := "/chatbots/"+baker.chatbot, t.TempDir()
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
				w.must(os.WriteFile(file, nil, 0o600))
				w.must(os.Truncate(file, size<<20))
				b.do(t, chromedp.Navigate(w.base+base+c.page), chromedp.SetUploadFiles(chromedp.ID(c.input), []string{file}))
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
		v := w.within(t).signedIn(baker.email, baker.password)
		got := v.sendForm(base+"/welcome", withFile(fields("none", ""), "files", "big.pdf", strings.Repeat("x", 22<<20)))
		if page := text(v.page(got)); got.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(page, "The files are larger than 20 MB together.") {
			t.Errorf("status %d: %s", got.StatusCode, page)
		}
	})
	t.Run("a text is refused on a page of its own, with a way back", func(t *testing.T) {
		v := w.within(t).signedIn(baker.email, baker.password)
		got := v.ask("POST", base+"/knowledge", upload("Long", strings.Repeat("long ", 5<<20)), header{"Content-Type", ""}, multipartType,
			header{"Sec-Fetch-Site", "same-origin"}, header{"Referer", w.base + base + "/knowledge/add?way=text"})
		if page := text(v.page(got)); got.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(page, "What you sent is too large.") || !strings.Contains(page, "Go back") {
			t.Errorf("status %d: %s", got.StatusCode, page)
		}
	})
	t.Run("a program gets the envelope", func(t *testing.T) {
		v := w.within(t).signedIn(baker.email, baker.password)
		v.checkAnswer(v.ask("PUT", "/api/chatbots/"+baker.chatbot+"/test-questions", `{"questions":[{"question":"`+strings.Repeat("long ", 1<<20)+`"}]}`), http.StatusRequestEntityTooLarge, 4)
	})
}
