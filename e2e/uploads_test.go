package e2e

import (
	"cmp"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
)

// multipartType is the type of the forms that fields and withFile make.
var multipartType = header{"Content-Type", "multipart/form-data; boundary=border"}

// sendForm sends a form of several parts as a browser does.
func (v *visitor) sendForm(path, body string) reply {
	v.Helper()
	return v.ask("POST", path, body, header{"Content-Type", ""}, multipartType, header{"Sec-Fetch-Site", "same-origin"})
}

// titled is the document of a title.
func titled(documents []knowledge.Document, title string) knowledge.Document {
	for _, d := range documents {
		if d.Title == title {
			return d
		}
	}
	return knowledge.Document{}
}

// sources are what an answer says that it was made from.
func sourcesOf(r reply) (sources []map[string]any) {
	all, _ := r.Data["sources"].([]any)
	for _, source := range all {
		if record, ok := source.(map[string]any); ok {
			sources = append(sources, record)
		}
	}
	return sources
}

// asked asks a question with a token and returns the answer.
func (w *instance) asked(tn tenantOf, question string) reply {
	w.Helper()
	r := w.call("POST", chatPath, `{"message":"`+question+`"}`, bearer(tn.token))
	w.checkAnswer(r, 200, 0)
	return r
}

// manual is a PDF whose second page says, at its end, when a tyre is changed.
func manual() string {
	first := strings.Repeat("The bicycle has two brakes, a bell, a lamp and a dynamo for the lamp.\n", 50)
	second := strings.Repeat("A wheel has a rim, thirty-six spokes, a hub, a tube and a mantle.\n", 50)
	return pdfOf(first, second+"Change the tyre when its profile is below one millimetre.")
}

func TestUploads(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard)
		v := w.signedIn(baker.email, baker.password)
		page := "/chatbots/" + baker.chatbot + "/knowledge"

		t.Run("files of several kinds in one form become ready", func(t *testing.T) {
			v := v.in(t)
			form := withFile(fields("none", ""), "files", "manual.pdf", manual())
			form = withFile(form, "files", "saddle.docx", docxOf("Saddles", "A saddle of leather must be greased in spring."))
			form = withFile(form, "files", "notes.md", "# Notes\n\nThe lamp needs a dynamo.\n")
			v.goesTo(v.sendForm(page+"/files", form), page)
			if got := text(v.page(v.get(page))); !strings.Contains(got, "3 documents added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			documents := v.settled(baker)
			for title, kind := range map[string]knowledge.Kind{"manual": knowledge.PDF, "Saddles": knowledge.DOCX, "Notes": knowledge.Markdown} {
				if d := titled(documents, title); d.State != knowledge.Ready || d.Kind != kind {
					t.Errorf("%s is %+v", title, d)
				}
			}
		})
		t.Run("an answer from a PDF names the page, and one from a DOCX the heading", func(t *testing.T) {
			w := w.within(t)
			r := w.asked(baker, "When should I change the tyre?")
			if first := sourcesOf(r)[0]; first["place"] != "Page 2" || !strings.Contains(message(r), "below one millimetre") {
				t.Errorf("answered %s", r.body)
			}
			r = w.asked(baker, "When must a leather saddle be greased?")
			if first := sourcesOf(r)[0]; first["title"] != "Saddles" || !strings.Contains(message(r), "in spring") {
				t.Errorf("answered %s", r.body)
			}
		})
		t.Run("a PDF that is sent to the API becomes ready, too", func(t *testing.T) {
			v := v.in(t)
			form := withFile(fields("title", "Locks"), "file", "locks.pdf", pdfOf("A lock of the first class weighs two kilograms."))
			r := v.sendForm("/api/chatbots/"+baker.chatbot+"/documents", form)
			v.checkAnswer(r, 200, 0)
			documents := v.settled(baker)
			if d := titled(documents, "Locks"); d.ID != r.Data["id"] || d.State != knowledge.Ready || d.Kind != knowledge.PDF {
				t.Errorf("it is %+v", d)
			}
			shown := v.get("/api/chatbots/" + baker.chatbot + "/documents/" + titled(documents, "Locks").ID)
			if shown.Data["state"] != "ready" || shown.Data["answered"] != true {
				t.Errorf("the API shows %s", shown.body)
			}
			r = v.asked(baker, "How much does a lock weigh?")
			if first := sourcesOf(r)[0]; first["place"] != "Page 1" || first["title"] != "Locks" {
				t.Errorf("answered %s", r.body)
			}
		})
		t.Run("pairs that are typed line by line are in answers", func(t *testing.T) {
			v := v.in(t)
			typed := "Do you rent bicycles?,\"Yes, by the day.\"\nDo you take cards?,\"Only above ten euros.\"\n"
			v.goesTo(v.sendForm(page+"/pairs", fields("pairs_title", "Frequent questions", "pairs", typed)), page)
			if got := text(v.page(v.get(page))); !strings.Contains(got, "“Frequent questions” added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			if d := titled(v.settled(baker), "Frequent questions"); d.State != knowledge.Ready || d.Kind != knowledge.Pairs {
				t.Errorf("it is %+v", d)
			}
			if r := v.asked(baker, "Do you rent bicycles?"); !strings.Contains(message(r), "by the day") {
				t.Errorf("answered %s", r.body)
			}
		})
		t.Run("a file that cannot be read fails with the reason, which the page shows beside Retry", func(t *testing.T) {
			v := v.in(t)
			v.goesTo(v.sendForm(page+"/files", withFile(fields("none", ""), "files", "scan.pdf", pdfOf("", ""))), page)
			if got := text(v.page(v.get(page))); !strings.Contains(got, "1 document added.") {
				t.Errorf("the page does not say so: %q", got)
			}
			scan := titled(v.settled(baker), "scan.pdf")
			if scan.State != knowledge.Failed || !strings.Contains(scan.Reason, "scan") {
				t.Fatalf("it is %+v", scan)
			}
			answer := v.get(page + "?state=failed")
			shown := v.page(answer)
			row := textOf(shown, "data-document-id", scan.ID)
			if !strings.Contains(row, scan.Reason) || !strings.Contains(row, "Retry") || textOf(shown, "data-state", "ready") != "" {
				t.Errorf("the page shows %q", row)
			}
			if !strings.Contains(answer.body, `formaction="`+page+"/"+scan.ID+`/retry"`) {
				t.Error("without a script there is no way to try it again")
			}
			v.goesTo(v.post(page+"/"+scan.ID+"/retry", nil), page)
			if got := text(v.page(v.get(page))); !strings.Contains(got, "being read again") {
				t.Errorf("the page does not say so: %q", got)
			}
			if again := titled(v.settled(baker), "scan.pdf"); again.State != knowledge.Failed || !again.UpdatedAt.After(scan.UpdatedAt) {
				t.Errorf("after another try it is %+v", again)
			}
		})
		for _, refused := range []struct{ name, path, form, beside, says string }{
			{"a kind that nobody reads", "/files", withFile(fields("none", ""), "files", "setup.exe", "MZ"), "files-error", "does not work. Add PDF, Word"},
			{"no file", "/files", fields("none", ""), "files-error", "Choose a file"},
			{"an empty file", "/files", withFile(fields("none", ""), "files", "empty.pdf", ""), "files-error", "empty"},
			{"pairs without a title", "/pairs", fields("pairs_title", "", "pairs", "a,b"), "pairs_title-error", "title"},
			{"no pairs", "/pairs", fields("pairs_title", "None", "pairs", " "), "pairs-error", "no text"},
			{"a text without a title", "", fields("title", "", "content", "Text"), "title-error", "title"},
		} {
			t.Run(refused.name+" is refused beside the input", func(t *testing.T) {
				v := v.in(t)
				r := v.sendForm(page+refused.path, refused.form)
				v.expect(r, http.StatusUnprocessableEntity)
				if got := textOf(v.page(r), "id", refused.beside); !strings.Contains(got, refused.says) {
					t.Errorf("beside it stands %q", got)
				}
			})
		}
		t.Run("of several files, those before one that is refused are added, and it is named", func(t *testing.T) {
			v := v.in(t)
			form := withFile(withFile(fields("none", ""), "files", "first.txt", "The first."), "files", "second.exe", "MZ")
			r := v.sendForm(page+"/files", form)
			got := textOf(v.page(r), "id", "files-error")
			if !strings.HasPrefix(got, "second.exe: ") || !strings.Contains(got, "before it have been added") {
				t.Errorf("it says %q", got)
			}
			if d := titled(v.settled(baker), "first"); d.State != knowledge.Ready {
				t.Errorf("the first is %+v", d)
			}
		})
		t.Run("a kind that does not exist is refused by the API", func(t *testing.T) {
			v := v.in(t)
			r := v.sendForm("/api/chatbots/"+baker.chatbot+"/documents", withFile(fields("kind", "song"), "file", "a.pdf", manual()))
			v.checkAnswer(r, 400, 4)
		})
	})
}

// buttonTo is the name of the button that posts to an address.
func buttonTo(root *html.Node, address string) string {
	for _, node := range elements(root) {
		if attribute(node, "formaction") == address {
			return cmp.Or(attribute(node, "aria-label"), text(node))
		}
	}
	return ""
}

func TestDocumentControl(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		held := newSite(t)
		held.put("/page", "A page that takes its time.")
		w := start(held.allowed)
		baker := w.newTenant("baker", plan.Standard)
		v := w.signedIn(baker.email, baker.password)
		documents := "/api/chatbots/" + baker.chatbot + "/documents/"
		release := held.hold("/page")
		v.checkAnswer(v.ask("POST", "/api/chatbots/"+baker.chatbot+"/sources", `{"url":"`+held.url("/page")+`"}`), 200, 0)
		var d knowledge.Document
		w.eventually("the page is being fetched", func() bool {
			all, err := w.server.Knowledge.Documents.List(t.Context(), baker.workspace, baker.chatbot)
			w.must(err)
			if len(all) == 1 {
				d = all[0]
			}
			return d.State == knowledge.Fetching
		})
		t.Run("the page says what is being worked on, and stays current", func(t *testing.T) {
			v := v.in(t)
			page := "/chatbots/" + baker.chatbot + "/knowledge"
			answer := v.get(page)
			shown := v.page(answer)
			if row := textOf(shown, "data-document-id", d.ID); !strings.Contains(row, "Being fetched") {
				t.Errorf("the page shows %q", row)
			}
			if cancel := buttonTo(shown, page+"/"+d.ID+"/cancel"); !strings.HasPrefix(cancel, "Cancel ") {
				t.Errorf("its button is called %q", cancel)
			}
			if !strings.Contains(answer.body, `data-working="1"`) {
				t.Error("a script does not learn that something is being worked on")
			}
			if got := textOf(shown, "id", "working"); !strings.Contains(got, "Reload") {
				t.Errorf("it says %q", got)
			}
		})
		t.Run("canceling ends it, whatever the fetch brings", func(t *testing.T) {
			v := v.in(t)
			v.checkAnswer(v.ask("POST", documents+d.ID+"/cancel", ""), 200, 0)
			release()
			got := v.settled(baker)[0]
			if got.State != knowledge.Failed || !strings.Contains(got.Reason, "Canceled") {
				t.Errorf("it is %+v", got)
			}
			v.checkAnswer(v.ask("POST", documents+d.ID+"/cancel", ""), 409, 6)
		})
		t.Run("a retry reads the document", func(t *testing.T) {
			v := v.in(t)
			v.checkAnswer(v.ask("POST", documents+d.ID+"/retry", ""), 200, 0)
			v.eventually("it is ready", func() bool { return v.settled(baker)[0].State == knowledge.Ready })
			v.checkAnswer(v.ask("POST", documents+d.ID+"/retry", ""), 409, 6)
		})
	})
}

func TestListOfDocuments(t *testing.T) {
	w := start(t)
	baker := w.newTenant("baker", plan.Standard)
	for n := range 103 {
		_, err := w.server.Knowledge.Documents.Add(t.Context(), baker.workspace, baker.chatbot, knowledge.NewDocument{Title: "Number " + string(rune('a'+n/26)) + string(rune('a'+n%26)), Content: "Text."})
		w.must(err)
	}
	v := w.signedIn(baker.email, baker.password)
	page := "/chatbots/" + baker.chatbot + "/knowledge"
	for query, want := range map[string]int{
		"": 50, "?after=": 50, "?page=2": 50, "?state=ready": 50, "?state=failed": 0, "?state=nothing": 0,
		"?type=nothing": 0, "?q=Number+a": 26, "?q=nothing": 0,
	} {
		t.Run("the page "+query+" has as many rows as it should", func(t *testing.T) {
			v := v.in(t)
			if got := strings.Count(v.get(page+query).body, "data-document-id"); got != want {
				t.Errorf("%d rows, want %d", got, want)
			}
		})
	}
	for _, query := range []string{"", "?state=ready"} {
		t.Run("from the page "+query+" each page leads to the next, until all have been listed once", func(t *testing.T) {
			v := v.in(t)
			listed := map[string]bool{}
			path := page + query
			for _, want := range []int{50, 50, 3} {
				shown := v.page(v.get(path))
				rows := 0
				path = ""
				for _, node := range elements(shown) {
					if id := attribute(node, "data-document-id"); id != "" {
						rows++
						listed[id] = true
					}
					if attribute(node, "rel") == "next" {
						path = attribute(node, "href")
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
		v := v.in(t)
		r := v.get(page + "?after=x")
		v.expect(r, http.StatusUnprocessableEntity)
		if got := text(v.page(r)); !strings.Contains(got, "Begin again without it.") {
			t.Errorf("the page says %q", got)
		}
	})
}
