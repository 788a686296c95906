package api

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestStorage(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		const limit = 2_000_000
		w := start()
		w.Includes(plan.Starter, func(l *plan.Limits) { l.StoredBytes = limit })
		baker := w.NewTenant("baker", plan.Starter)
		v := w.SignedIn(baker.Email, baker.Password)
		documents := "/api/chatbots/" + baker.Chatbot + "/documents"
		unreadable := func(name string) string {
			return harness.WithFile(harness.Fields("title", name), "file", name, "%PDF-1.7\n"+name+strings.Repeat("\x00", 600_000))
		}

		t.Run("files that cannot be read do not fill the disk", func(t *testing.T) {
			v := v.In(t)
			admitted := 0
			for n := range 6 {
				r := v.SendForm(documents, unreadable(string(rune('a'+n))+".pdf"))
				if r.StatusCode == 200 {
					admitted++
					continue
				}
				v.CheckAnswer(r, 403, 2)
				if !strings.Contains(r.Text, "stores up to 2 MB of files and texts") {
					t.Errorf("it says %s", r.Text)
				}
			}
			_, stored, err := v.Server.KnowledgeStores.Sizes.KnowledgeSizes(t.Context(), baker.Workspace)
			if admitted != 3 || stored > limit || err != nil {
				t.Errorf("%d files were admitted, %d bytes are stored, %v", admitted, stored, err)
			}
			for _, d := range v.Settled(baker) {
				if d.State != knowledge.Failed {
					t.Errorf("%s is %s", d.Title, d.State)
				}
			}
			v.CheckAnswer(v.SendForm(documents, unreadable("last.pdf")), 403, 2)
		})
		t.Run("the form says so beside the field, and the page of plans shows how much is used", func(t *testing.T) {
			v := v.In(t)
			r := v.SendForm("/chatbots/"+baker.Chatbot+"/knowledge/files", harness.WithFile(harness.Fields("none", ""), "files", "more.pdf", strings.Repeat("x", 600_000)))
			if r.StatusCode != 403 || !strings.Contains(r.Text, "stores up to 2 MB of files and texts") {
				t.Errorf("it is answered with %d", r.StatusCode)
			}
			if shown := harness.Text(v.Page(v.Get("/workspaces/" + baker.Workspace + "/billing"))); !strings.Contains(shown, "Storage, in megabytes") || !strings.Contains(shown, "2 of 2") {
				t.Errorf("the page shows %q", shown)
			}
		})
		t.Run("removing a document frees its storage at once", func(t *testing.T) {
			v := v.In(t)
			d := v.Settled(baker)[0]
			v.CheckAnswer(v.Ask("DELETE", documents+"/"+d.ID, ""), 200, 0)
			v.CheckAnswer(v.SendForm(documents, unreadable("room.pdf")), 200, 0)
		})
	})
}
