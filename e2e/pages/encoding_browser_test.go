package pages

import (
	"testing"

	"github.com/chromedp/chromedp"

	"parley/app"
	"parley/core/knowledge/encoding"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestEncodingInTheBrowser(t *testing.T) {
	var work *encoding.Service
	w := harness.StartPrepared(t, app.Options{}, func(s *app.Server) {
		work, s.Encoding = s.Encoding, nil // so that passages are encoded when the test says so
	}, func(c *app.Config) { c.Encode = "on" })
	baker := w.NewTenant("baker", plan.Standard, "# Bread\n\nWe bake rye bread every morning.", "# Hours\n\nWe open at seven.")
	w.NewTenant("butcher", plan.Standard, "# Sausages\n\nWe make them on Mondays.")
	b := openWindowFor(w, 4*harness.Patience)
	b.signIn(t, baker)
	w.Settled(baker)
	page := b.Base + "/chatbots/" + baker.Chatbot + "/knowledge"

	t.Run("the knowledge says how many of its own passages are still to be encoded", func(t *testing.T) {
		b.do(t, chromedp.Navigate(page), chromedp.WaitVisible(chromedp.ID("unencoded")))
		if got, want := b.text(t, "#unencoded"), "Ready to use. Search quality keeps improving for a while."; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		b.quiet(t)
	})
	t.Run("and becomes current by itself when they are", func(t *testing.T) {
		w.EncodeAll(work)
		b.do(t, chromedp.WaitNotPresent(chromedp.ID("unencoded")))
		b.quiet(t)
	})
}
