package pages

import (
	"context"
	"slices"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"parley/e2e/harness"
)

// openWindowFor is window for a test that takes longer.
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
