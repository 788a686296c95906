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

// What the page Knowledge does where no script runs.
func TestKnowledgeWithoutScripts(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard)
		v := w.SignedIn(baker.Email, baker.Password)
		page := "/chatbots/" + baker.Chatbot + "/knowledge"
		const hostile = `<script>alert(1)</script> "Rye" & [x](javascript:alert(2))`

		t.Run("a text with a hostile title is added, and its title is only shown", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.SendForm(page, harness.Upload(hostile, "The rye loaf is baked at midnight.")), page)
			shown := v.Get(page)
			if !strings.Contains(harness.Text(v.Page(shown)), "“"+hostile+"” added.") || strings.Contains(shown.Text, "<script>alert") {
				t.Errorf("the page is %s", shown.Text)
			}
			if got := harness.Text(v.Page(v.Get(page))); strings.Contains(got, "added.") {
				t.Error("the message is shown twice")
			}
		})
		for name, body := range map[string]string{
			"a file of a kind that does not work":     harness.WithFile(harness.Fields("none", ""), "files", "song.mp3", "la la"),
			"an empty file":                           harness.WithFile(harness.Fields("none", ""), "files", "empty.pdf", ""),
			"nothing":                                 harness.Fields("none", ""),
			"a text without a title":                  "",
			"a title of more than 200 characters":     harness.Upload(strings.Repeat("long ", 50), "Text."),
			"a title that nobody sees":                harness.Upload("\u200b\u202e", "Text."),
			"questions and answers without an answer": "",
			"an address that is none":                 "",
			"a text without a word":                   harness.Upload("Empty", "  \n "),
		} {
			path := page + "/files"
			switch {
			case strings.HasPrefix(name, "a t"):
				path = page
			case strings.HasPrefix(name, "que"):
				path, body = page+"/pairs", harness.Fields("pairs_title", "Asked", "pairs", "")
			case strings.HasPrefix(name, "an ad"):
				path = ""
			}
			if name == "a text without a title" {
				body = harness.Upload("", "Text.")
			}
			t.Run(name+" is refused, and what was typed is there again", func(t *testing.T) {
				v := v.In(t)
				var got harness.Reply
				if path == "" {
					got = v.Post(page+"/sources", harness.Pairs{"url", "ftp://" + hostile, "reach", "page"})
				} else {
					got = v.SendForm(path, body)
				}
				if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Text, "error") || strings.Contains(got.Text, "<script>alert") {
					t.Errorf("status %d: %s", got.StatusCode, harness.Text(v.Page(got)))
				}
				if strings.HasSuffix(path, "/files") && name == "a file of a kind that does not work" && !strings.Contains(got.Text, "Add PDF, Word, PowerPoint, Excel, CSV, EPUB, HTML, Markdown or text files.") {
					t.Error("it does not say which kinds work")
				}
			})
		}
		t.Run("what is selected is removed, and undone", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.SendForm(page, harness.Upload("Rolls", "Rolls are baked at dawn.")), page)
			documents := w.Settled(baker)
			v.GoesTo(v.Post(page+"/remove", harness.Pairs{"document", documents[0].ID, "document", documents[1].ID, "q", "r"}), page+"?q=r")
			removed := v.Get(page)
			if got := harness.Text(v.Page(removed)); !strings.Contains(got, "2 documents removed.") {
				t.Errorf("the page says %q", got)
			}
			if w.Answers(baker, "When are rolls baked?", "dawn") {
				t.Error("it is still answered from")
			}
			_, rest, found := strings.Cut(removed.Text, `action="`+page+`/undo?until=`)
			until, _, _ := strings.Cut(rest, `"`)
			if !found {
				t.Fatal("there is no way back")
			}
			v.GoesTo(v.Post(page+"/undo?until="+until, nil), page)
			for _, d := range w.Settled(baker) {
				if d.State != knowledge.Ready {
					t.Errorf("%s is %s", d.Title, d.State)
				}
			}
			if !w.Answers(baker, "When are rolls baked?", "dawn") {
				t.Error("it is not answered from")
			}
			v.GoesTo(v.Post(page+"/undo?until="+until, nil), page)
			if got := harness.Text(v.Page(v.Get(page))); !strings.Contains(got, "too late") {
				t.Errorf("the page says %q", got)
			}
		})
		t.Run("a button without a selection asks for one", func(t *testing.T) {
			v := v.In(t)
			for _, act := range []string{"/remove", "/again"} {
				v.GoesTo(v.Post(page+act, harness.Pairs{"document", ""}), page)
				if got := harness.Text(v.Page(v.Get(page))); !strings.Contains(got, "Select at least one document") {
					t.Errorf("after %s the page says %q", act, got)
				}
			}
		})
		t.Run("more than a thousand are refused", func(t *testing.T) {
			v := v.In(t)
			var many harness.Pairs
			for range knowledge.MostAtOnce + 1 {
				many = append(many, "document", "doc_nobody")
			}
			if got := v.Post(page+"/remove", many); got.StatusCode != http.StatusBadRequest && got.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("status %d", got.StatusCode)
			}
		})
	})
}
