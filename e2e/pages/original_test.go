package pages

import (
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

// The file of a document as it was uploaded.
func TestOriginal(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker, other := w.NewTenant("baker", plan.Standard), w.NewTenant("other", plan.Standard)
		const menu = "<html><body><h1>Menü</h1><p>A roll costs two.</p><script>alert(1)</script></body></html>"
		w.PutsFile(w.Editor(baker), "menu", "Menü neu.html", menu)
		d := w.Settled(baker)[0]
		page := "/chatbots/" + baker.Chatbot + "/knowledge/" + d.ID
		v := w.SignedIn(baker.Email, baker.Password)

		t.Run("its page downloads it, and no browser shows it", func(t *testing.T) {
			v := v.In(t)
			if d.Original != knowledge.OriginalKept || !strings.Contains(v.Get(page).Text, `href="`+page+`/original"`) {
				t.Fatalf("the document is %+v", d)
			}
			got := v.Get(page + "/original")
			if got.StatusCode != http.StatusOK || got.Text != menu {
				t.Errorf("status %d: %s", got.StatusCode, got.Text)
			}
			for name, want := range map[string]string{
				"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
				"Content-Security-Policy": "sandbox; default-src 'none'",
				"Content-Disposition":     `attachment; filename="Men_ neu.html"; filename*=UTF-8''Men%C3%BC%20neu.html`,
			} {
				if value := got.Header.Get(name); value != want {
					t.Errorf("%s is %q, want %q", name, value, want)
				}
			}
		})
		t.Run("nobody else gets it, and a document without a file has none", func(t *testing.T) {
			v := v.In(t)
			if got := w.Within(t).SignedIn(other.Email, other.Password).Get(page + "/original"); got.StatusCode != http.StatusNotFound {
				t.Errorf("status %d: %s", got.StatusCode, got.Text)
			}
			typed, err := w.Server.Knowledge.Documents.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{Title: "Typed", Content: "Typed."})
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Get("/chatbots/" + baker.Chatbot + "/knowledge/" + typed.ID + "/original"); got.StatusCode != http.StatusNotFound {
				t.Errorf("status %d: %s", got.StatusCode, got.Text)
			}
		})
	})
}
