package e2e

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
)

func TestStorage(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		const limit = 2_000_000
		w := start()
		w.includes(plan.Starter, func(l *plan.Limits) { l.StoredBytes = limit })
		baker := w.newTenant("baker", plan.Starter)
		v := w.signedIn(baker.email, baker.password)
		documents := "/api/chatbots/" + baker.chatbot + "/documents"
		unreadable := func(name string) string {
			return withFile(fields("title", name), "file", name, "%PDF-1.7\n"+name+strings.Repeat("\x00", 600_000))
		}

		t.Run("files that cannot be read do not fill the disk", func(t *testing.T) {
			v := v.in(t)
			admitted := 0
			for n := range 6 {
				r := v.sendForm(documents, unreadable(string(rune('a'+n))+".pdf"))
				if r.StatusCode == 200 {
					admitted++
					continue
				}
				v.checkAnswer(r, 403, 2)
				if !strings.Contains(r.body, "stores up to 2 MB of files and texts") {
					t.Errorf("it says %s", r.body)
				}
			}
			_, stored, err := v.server.KnowledgeStores.Sizes.KnowledgeSizes(t.Context(), baker.workspace)
			if admitted != 3 || stored > limit || err != nil {
				t.Errorf("%d files were admitted, %d bytes are stored, %v", admitted, stored, err)
			}
			for _, d := range v.settled(baker) {
				if d.State != knowledge.Failed {
					t.Errorf("%s is %s", d.Title, d.State)
				}
			}
			v.checkAnswer(v.sendForm(documents, unreadable("last.pdf")), 403, 2)
		})
		t.Run("the form says so beside the field, and the page of plans shows how much is used", func(t *testing.T) {
			v := v.in(t)
			r := v.sendForm("/chatbots/"+baker.chatbot+"/knowledge/files", withFile(fields("none", ""), "files", "more.pdf", strings.Repeat("x", 600_000)))
			if r.StatusCode != 403 || !strings.Contains(r.body, "stores up to 2 MB of files and texts") {
				t.Errorf("it is answered with %d", r.StatusCode)
			}
			if shown := text(v.page(v.get("/workspaces/" + baker.workspace + "/billing"))); !strings.Contains(shown, "Storage, in megabytes") || !strings.Contains(shown, "2 of 2") {
				t.Errorf("the page shows %q", shown)
			}
		})
		t.Run("removing a document frees its storage at once", func(t *testing.T) {
			v := v.in(t)
			d := v.settled(baker)[0]
			v.checkAnswer(v.ask("DELETE", documents+"/"+d.ID, ""), 200, 0)
			v.checkAnswer(v.sendForm(documents, unreadable("room.pdf")), 200, 0)
		})
	})
}
