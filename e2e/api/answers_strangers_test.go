package api

import (
	"os"
	"path/filepath"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/knowledge/encoding"
	"parley/core/plan"
	"parley/e2e/harness"
)

// Pages of made-up businesses, and what their customers ask, as passages are encoded where
// nothing says otherwise. The questions were written before their answers were read. The
// mechanisms were chosen with the first four in view, and never with the others: nothing
// is to be mended by the answers for these four.
func TestAnswersForStrangers(t *testing.T) {
	t.Parallel()
	w, encode := startEncoding(t)
	tenants := map[string]harness.Tenant{}
	for _, c := range strangers {
		tenants[c.name] = w.NewTenant(c.name, plan.Enterprise)
		addPages(w, tenants[c.name], filepath.Join("../testdata", "strangers", c.name))
	}
	for _, tn := range tenants {
		w.Settled(tn)
	}
	encode()
	for _, c := range strangers {
		t.Run("questions are answered: "+c.name, func(t *testing.T) {
			checkAnswers(w, t, filepath.Join("..", "strangers", c.name, "questions"), tenants[c.name], c.answered)
		})
		t.Run("questions that nobody can answer there get no answer: "+c.name, func(t *testing.T) {
			checkAnswers(w, t, filepath.Join("..", "strangers", c.name, "unanswerable"), tenants[c.name], c.refused)
		})
	}
}

// strangers have what is reached, or one or two less.
var strangers = []struct {
	name              string
	answered, refused int
}{
	{"dental", 12, 6},
	{"hotel", 14, 4},
	{"saas", 10, 5},
	{"city", 15, 4},
	{"museum", 11, 6},
	{"energy", 13, 5},
	{"vet", 14, 3},
	{"cowork", 14, 4},
}

// startEncoding starts a server that encodes passages when the test says so: encode encodes
// all.
func startEncoding(t *testing.T) (w *harness.Instance, encode func()) {
	t.Helper()
	var work *encoding.Service
	w = harness.StartPrepared(t, app.Options{}, func(s *app.Server) { work, s.Encoding = s.Encoding, nil }, func(c *app.Config) { c.Encode = "on" })
	return w, func() {
		t.Helper()
		w.EncodeAll(work)
	}
}

// addPages adds the pages in a folder: Markdown, and plain text that has its file's name
// as its title.
func addPages(w *harness.Instance, tn harness.Tenant, folder string) {
	w.Helper()
	for ext, kind := range map[string]knowledge.Kind{"*.md": knowledge.Markdown, "*.txt": knowledge.Text} {
		names, err := filepath.Glob(filepath.Join(folder, ext))
		w.Must(err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			w.Must(err)
			page := knowledge.NewDocument{Title: knowledge.TitleOf(filepath.Base(name), string(text)), Kind: kind, Content: string(text)}
			_, err = w.Server.Program.Knowledge.Documents.Add(w.Context(), tn.Workspace, tn.Chatbot, page)
			w.Must(err)
		}
	}
}
