package e2e

import (
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
)

// What the page Knowledge does where no script runs.
func TestKnowledgeWithoutScripts(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard)
		v := w.signedIn(baker.email, baker.password)
		page := "/chatbots/" + baker.chatbot + "/knowledge"
		const hostile = `<script>alert(1)</script> "Rye" & [x](javascript:alert(2))`

		t.Run("a text with a hostile title is added, and its title is only shown", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.sendForm(page, upload(hostile, "The rye loaf is baked at midnight.")), page)
			shown := v.get(page)
			if !strings.Contains(text(v.page(shown)), "“"+hostile+"” added.") || strings.Contains(shown.body, "<script>alert") {
				t.Errorf("the page is %s", shown.body)
			}
			if got := text(v.page(v.get(page))); strings.Contains(got, "added.") {
				t.Error("the message is shown twice")
			}
		})
		for name, body := range map[string]string{
			"a file of a kind that does not work":     withFile(fields("none", ""), "files", "song.mp3", "la la"),
			"an empty file":                           withFile(fields("none", ""), "files", "empty.pdf", ""),
			"nothing":                                 fields("none", ""),
			"a text without a title":                  "",
			"a title of more than 200 characters":     upload(strings.Repeat("long ", 50), "Text."),
			"a title that nobody sees":                upload("\u200b\u202e", "Text."),
			"questions and answers without an answer": "",
			"an address that is none":                 "",
			"a text without a word":                   upload("Empty", "  \n "),
		} {
			path := page + "/files"
			switch {
			case strings.HasPrefix(name, "a t"):
				path = page
			case strings.HasPrefix(name, "que"):
				path, body = page+"/pairs", fields("pairs_title", "Asked", "pairs", "")
			case strings.HasPrefix(name, "an ad"):
				path = ""
			}
			if name == "a text without a title" {
				body = upload("", "Text.")
			}
			t.Run(name+" is refused, and what was typed is there again", func(t *testing.T) {
				v := v.in(t)
				var got reply
				if path == "" {
					got = v.post(page+"/sources", pairs{"url", "ftp://" + hostile, "reach", "page"})
				} else {
					got = v.sendForm(path, body)
				}
				if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.body, "error") || strings.Contains(got.body, "<script>alert") {
					t.Errorf("status %d: %s", got.StatusCode, text(v.page(got)))
				}
				if strings.HasSuffix(path, "/files") && name == "a file of a kind that does not work" && !strings.Contains(got.body, "Add PDF, Word, PowerPoint, Excel, CSV, EPUB, HTML, Markdown or text files.") {
					t.Error("it does not say which kinds work")
				}
			})
		}
		t.Run("what is selected is removed, and undone", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.sendForm(page, upload("Rolls", "Rolls are baked at dawn.")), page)
			documents := w.settled(baker)
			v.goesTo(v.post(page+"/remove", pairs{"document", documents[0].ID, "document", documents[1].ID, "q", "r"}), page+"?q=r")
			removed := v.get(page)
			if got := text(v.page(removed)); !strings.Contains(got, "2 documents removed.") {
				t.Errorf("the page says %q", got)
			}
			if w.answers(baker, "When are rolls baked?", "dawn") {
				t.Error("it is still answered from")
			}
			_, rest, found := strings.Cut(removed.body, `action="`+page+`/undo?until=`)
			until, _, _ := strings.Cut(rest, `"`)
			if !found {
				t.Fatal("there is no way back")
			}
			v.goesTo(v.post(page+"/undo?until="+until, nil), page)
			for _, d := range w.settled(baker) {
				if d.State != knowledge.Ready {
					t.Errorf("%s is %s", d.Title, d.State)
				}
			}
			if !w.answers(baker, "When are rolls baked?", "dawn") {
				t.Error("it is not answered from")
			}
			v.goesTo(v.post(page+"/undo?until="+until, nil), page)
			if got := text(v.page(v.get(page))); !strings.Contains(got, "too late") {
				t.Errorf("the page says %q", got)
			}
		})
		t.Run("a button without a selection asks for one", func(t *testing.T) {
			v := v.in(t)
			for _, act := range []string{"/remove", "/again"} {
				v.goesTo(v.post(page+act, pairs{"document", ""}), page)
				if got := text(v.page(v.get(page))); !strings.Contains(got, "Select at least one document") {
					t.Errorf("after %s the page says %q", act, got)
				}
			}
		})
		t.Run("more than a thousand are refused", func(t *testing.T) {
			v := v.in(t)
			var many pairs
			for range knowledge.MostAtOnce + 1 {
				many = append(many, "document", "doc_nobody")
			}
			if got := v.post(page+"/remove", many); got.StatusCode != http.StatusBadRequest && got.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("status %d", got.StatusCode)
			}
		})
	})
}
