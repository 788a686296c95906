package api

import (
	"cmp"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestUploads(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard)
		v := w.SignedIn(baker.Email, baker.Password)
		page := "/chatbots/" + baker.Chatbot + "/knowledge"

		t.Run("files of several kinds in one form become ready", func(t *testing.T) {
			v := v.In(t)
			form := harness.WithFile(harness.Fields("none", ""), "files", "manual.pdf", harness.Manual())
			form = harness.WithFile(form, "files", "saddle.docx", harness.DocxOf("Saddles", "A saddle of leather must be greased in spring."))
			form = harness.WithFile(form, "files", "notes.md", "# Notes\n\nThe lamp needs a dynamo.\n")
			v.GoesTo(v.SendForm(page+"/files", form), page)
			if got := harness.Text(v.Page(v.Get(page))); !strings.Contains(got, "3 documents added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			documents := v.Settled(baker)
			for title, kind := range map[string]knowledge.Kind{"manual": knowledge.PDF, "Saddles": knowledge.DOCX, "Notes": knowledge.Markdown} {
				if d := harness.Titled(documents, title); d.State != knowledge.Ready || d.Kind != kind {
					t.Errorf("%s is %+v", title, d)
				}
			}
		})
		t.Run("an answer from a PDF names the page, and one from a DOCX the heading", func(t *testing.T) {
			w := w.Within(t)
			r := w.Asked(baker, "When should I change the tyre?")
			if first := harness.SourcesOf(r)[0]; first["place"] != "Page 2" || !strings.Contains(harness.Message(r), "below one millimetre") {
				t.Errorf("answered %s", r.Text)
			}
			r = w.Asked(baker, "When must a leather saddle be greased?")
			if first := harness.SourcesOf(r)[0]; first["title"] != "Saddles" || !strings.Contains(harness.Message(r), "in spring") {
				t.Errorf("answered %s", r.Text)
			}
		})
		t.Run("a PDF that is sent to the API becomes ready, too", func(t *testing.T) {
			v := v.In(t)
			form := harness.WithFile(harness.Fields("title", "Locks"), "file", "locks.pdf", harness.PDFOf("A lock of the first class weighs two kilograms."))
			r := v.SendForm("/api/chatbots/"+baker.Chatbot+"/documents", form)
			v.CheckAnswer(r, 200, 0)
			documents := v.Settled(baker)
			if d := harness.Titled(documents, "Locks"); d.ID != r.Data["id"] || d.State != knowledge.Ready || d.Kind != knowledge.PDF {
				t.Errorf("it is %+v", d)
			}
			shown := v.Get("/api/chatbots/" + baker.Chatbot + "/documents/" + harness.Titled(documents, "Locks").ID)
			if shown.Data["state"] != "ready" || shown.Data["answered"] != true {
				t.Errorf("the API shows %s", shown.Text)
			}
			r = v.Asked(baker, "How much does a lock weigh?")
			if first := harness.SourcesOf(r)[0]; first["place"] != "Page 1" || first["title"] != "Locks" {
				t.Errorf("answered %s", r.Text)
			}
		})
		t.Run("pairs that are typed line by line are in answers", func(t *testing.T) {
			v := v.In(t)
			typed := "Do you rent bicycles?,\"Yes, by the day.\"\nDo you take cards?,\"Only above ten euros.\"\n"
			v.GoesTo(v.SendForm(page+"/pairs", harness.Fields("pairs_title", "Frequent questions", "pairs", typed)), page)
			if got := harness.Text(v.Page(v.Get(page))); !strings.Contains(got, "“Frequent questions” added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			if d := harness.Titled(v.Settled(baker), "Frequent questions"); d.State != knowledge.Ready || d.Kind != knowledge.Pairs {
				t.Errorf("it is %+v", d)
			}
			if r := v.Asked(baker, "Do you rent bicycles?"); !strings.Contains(harness.Message(r), "by the day") {
				t.Errorf("answered %s", r.Text)
			}
		})
		t.Run("a file that cannot be read fails with the reason, which the page shows beside Retry", func(t *testing.T) {
			v := v.In(t)
			v.GoesTo(v.SendForm(page+"/files", harness.WithFile(harness.Fields("none", ""), "files", "scan.pdf", harness.PDFOf("", ""))), page)
			if got := harness.Text(v.Page(v.Get(page))); !strings.Contains(got, "1 document added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			scan := harness.Titled(v.Settled(baker), "scan.pdf")
			if scan.State != knowledge.Failed || !strings.Contains(scan.Reason, "scan") {
				t.Fatalf("it is %+v", scan)
			}
			answer := v.Get(page + "?state=failed")
			shown := v.Page(answer)
			row := harness.TextOf(shown, "data-document-id", scan.ID)
			if !strings.Contains(row, scan.Reason) || !strings.Contains(row, "Retry") || harness.TextOf(shown, "data-state", "ready") != "" {
				t.Errorf("the page shows %q", row)
			}
			if !strings.Contains(answer.Text, `formaction="`+page+"/"+scan.ID+`/retry"`) {
				t.Error("without a script there is no way to try it again")
			}
			v.GoesTo(v.Post(page+"/"+scan.ID+"/retry", nil), page)
			if got := harness.Text(v.Page(v.Get(page))); !strings.Contains(got, "being read again") {
				t.Errorf("the page does not say so: %q", got)
			}
			if again := harness.Titled(v.Settled(baker), "scan.pdf"); again.State != knowledge.Failed || !again.UpdatedAt.After(scan.UpdatedAt) {
				t.Errorf("after another try it is %+v", again)
			}
		})
		for _, refused := range []struct{ name, path, form, beside, says string }{
			{"a kind that nobody reads", "/files", harness.WithFile(harness.Fields("none", ""), "files", "setup.exe", "MZ"), "files-error", "read this file type. Add PDF, Word"},
			{"no file", "/files", harness.Fields("none", ""), "files-error", "Choose a file"},
			{"an empty file", "/files", harness.WithFile(harness.Fields("none", ""), "files", "empty.pdf", ""), "files-error", "empty"},
			{"pairs without a title", "/pairs", harness.Fields("pairs_title", "", "pairs", "a,b"), "pairs_title-error", "title"},
			{"no pairs", "/pairs", harness.Fields("pairs_title", "None", "pairs", " "), "pairs-error", "no text"},
			{"a text without a title", "", harness.Fields("title", "", "content", "Text"), "title-error", "title"},
		} {
			t.Run(refused.name+" is refused beside the input", func(t *testing.T) {
				v := v.In(t)
				r := v.SendForm(page+refused.path, refused.form)
				v.Expect(r, http.StatusUnprocessableEntity)
				if got := harness.TextOf(v.Page(r), "id", refused.beside); !strings.Contains(got, refused.says) {
					t.Errorf("beside it stands %q", got)
				}
			})
		}
		t.Run("of several files, those before one that is refused are added, and it is named", func(t *testing.T) {
			v := v.In(t)
			form := harness.WithFile(harness.WithFile(harness.Fields("none", ""), "files", "first.txt", "The first."), "files", "second.exe", "MZ")
			r := v.SendForm(page+"/files", form)
			got := harness.TextOf(v.Page(r), "id", "files-error")
			if !strings.HasPrefix(got, "second.exe: ") || !strings.Contains(got, "before it have been added") {
				t.Errorf("it says %q", got)
			}
			if d := harness.Titled(v.Settled(baker), "first"); d.State != knowledge.Ready {
				t.Errorf("the first is %+v", d)
			}
		})
		t.Run("a kind that does not exist is refused by the API", func(t *testing.T) {
			v := v.In(t)
			r := v.SendForm("/api/chatbots/"+baker.Chatbot+"/documents", harness.WithFile(harness.Fields("kind", "song"), "file", "a.pdf", harness.Manual()))
			v.CheckAnswer(r, 400, 4)
		})
	})
}

// buttonTo is the name of the button that posts to an address.
func buttonTo(root *html.Node, address string) string {
	for _, node := range harness.Elements(root) {
		if harness.Attribute(node, "formaction") == address {
			return cmp.Or(harness.Attribute(node, "aria-label"), harness.Text(node))
		}
	}
	return ""
}

func TestDocumentControl(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		held := harness.NewSite(t)
		held.Put("/page", "A page that takes its time.")
		w := start(held.Allowed)
		baker := w.NewTenant("baker", plan.Standard)
		v := w.SignedIn(baker.Email, baker.Password)
		documents := "/api/chatbots/" + baker.Chatbot + "/documents/"
		release := held.Hold("/page")
		v.CheckAnswer(v.Ask("POST", "/api/chatbots/"+baker.Chatbot+"/sources", `{"url":"`+held.Address("/page")+`"}`), 200, 0)
		var d knowledge.Document
		w.Eventually("the page is being fetched", func() bool {
			all, err := w.Server.Knowledge.Documents.List(t.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			if len(all) == 1 {
				d = all[0]
			}
			return d.State == knowledge.Fetching
		})
		t.Run("the page says what is being worked on, and stays current", func(t *testing.T) {
			v := v.In(t)
			page := "/chatbots/" + baker.Chatbot + "/knowledge"
			answer := v.Get(page)
			shown := v.Page(answer)
			if row := harness.TextOf(shown, "data-document-id", d.ID); !strings.Contains(row, "Being fetched") {
				t.Errorf("the page shows %q", row)
			}
			if cancel := buttonTo(shown, page+"/"+d.ID+"/cancel"); !strings.HasPrefix(cancel, "Cancel ") {
				t.Errorf("its button is called %q", cancel)
			}
			if !strings.Contains(answer.Text, `data-working="1"`) {
				t.Error("a script does not learn that something is being worked on")
			}
			if got := harness.TextOf(shown, "id", "working"); !strings.Contains(got, "Reload") {
				t.Errorf("it says %q", got)
			}
		})
		t.Run("canceling ends it, whatever the fetch brings", func(t *testing.T) {
			v := v.In(t)
			v.CheckAnswer(v.Ask("POST", documents+d.ID+"/cancel", ""), 200, 0)
			release()
			got := v.Settled(baker)[0]
			if got.State != knowledge.Failed || !strings.Contains(got.Reason, "Canceled") {
				t.Errorf("it is %+v", got)
			}
			v.CheckAnswer(v.Ask("POST", documents+d.ID+"/cancel", ""), 409, 6)
		})
		t.Run("a retry reads the document", func(t *testing.T) {
			v := v.In(t)
			v.CheckAnswer(v.Ask("POST", documents+d.ID+"/retry", ""), 200, 0)
			v.Eventually("it is ready", func() bool { return v.Settled(baker)[0].State == knowledge.Ready })
			v.CheckAnswer(v.Ask("POST", documents+d.ID+"/retry", ""), 409, 6)
		})
	})
}

func TestListOfDocuments(t *testing.T) {
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	for n := range 103 {
		_, err := w.Server.Knowledge.Documents.Add(t.Context(), baker.Workspace, baker.Chatbot, knowledge.NewDocument{Title: "Number " + string(rune('a'+n/26)) + string(rune('a'+n%26)), Content: "Text."})
		w.Must(err)
	}
	v := w.SignedIn(baker.Email, baker.Password)
	page := "/chatbots/" + baker.Chatbot + "/knowledge"
	for query, want := range map[string]int{
		"": 50, "?after=": 50, "?page=2": 50, "?state=ready": 50, "?state=failed": 0, "?state=nothing": 0,
		"?type=nothing": 0, "?q=Number+a": 26, "?q=nothing": 0,
	} {
		t.Run("the page "+query+" has as many rows as it should", func(t *testing.T) {
			v := v.In(t)
			if got := strings.Count(v.Get(page+query).Text, "data-document-id"); got != want {
				t.Errorf("%d rows, want %d", got, want)
			}
		})
	}
	for _, query := range []string{"", "?state=ready"} {
		t.Run("from the page "+query+" each page leads to the next, until all have been listed once", func(t *testing.T) {
			v := v.In(t)
			listed := map[string]bool{}
			path := page + query
			for _, want := range []int{50, 50, 3} {
				shown := v.Page(v.Get(path))
				rows := 0
				path = ""
				for _, node := range harness.Elements(shown) {
					if id := harness.Attribute(node, "data-document-id"); id != "" {
						rows++
						listed[id] = true
					}
					if harness.Attribute(node, "rel") == "next" {
						path = harness.Attribute(node, "href")
					}
				}
				if rows != want || (path == "") != (want == 3) {
					t.Errorf("%d rows, want %d, and then %q", rows, want, path)
				}
				if query != "" && path != "" && !strings.Contains(path, "state=ready") {
					t.Errorf("%q forgets what was chosen", path)
				}
			}
			if len(listed) != 103 {
				t.Errorf("%d of 103 documents were listed", len(listed))
			}
		})
	}
	t.Run("a place in the list that does not exist is refused", func(t *testing.T) {
		v := v.In(t)
		r := v.Get(page + "?after=x")
		v.Expect(r, http.StatusUnprocessableEntity)
		if got := harness.Text(v.Page(r)); !strings.Contains(got, "Begin again without it.") {
			t.Errorf("the page says %q", got)
		}
	})
}
