package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
)

const (
	documentsPath = "/api/v1/knowledge/documents"
	removalsPath  = "/api/v1/knowledge/removals"
)

// named is the path of the document with an external ID.
func named(externalID string) string {
	return documentsPath + "/external/" + url.PathEscape(externalID)
}

// editor issues a token that may change the documents.
func (w *instance) editor(tn tenantOf) string {
	w.Helper()
	_, secret := w.issue(tn, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeReadKnowledge, chatbot.ScopeWriteKnowledge}})
	return secret
}

// puts sends a document, and returns it.
func (w *instance) puts(token, externalID, body string, headers ...header) map[string]any {
	w.Helper()
	r := w.call("PUT", named(externalID), body, append(headers, bearer(token))...)
	w.checkAnswer(r, 200, 0)
	return r.Data
}

func (w *instance) putsText(token, externalID, text string) map[string]any {
	w.Helper()
	return w.puts(token, externalID, fmt.Sprintf(`{"content":%q}`, text))
}

// putsFile sends a file.
func (w *instance) putsFile(token, externalID, name, content string) map[string]any {
	w.Helper()
	return w.puts(token, externalID, withFile(fields("kind", ""), "file", name, content),
		header{"Content-Type", ""}, header{"Content-Type", "multipart/form-data; boundary=border"})
}

// waitsFor gets a document until it is in a state.
func (w *instance) waitsFor(token, externalID, state string) (document map[string]any) {
	w.Helper()
	w.eventually(externalID+" is "+state, func() bool {
		r := w.call("GET", named(externalID), "", bearer(token))
		w.checkAnswer(r, 200, 0)
		document = r.Data
		return document["state"] == state
	})
	return document
}

// is fails unless a document has these values.
func (w *instance) is(document map[string]any, pairs ...any) {
	w.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := document[pairs[i].(string)]; got != pairs[i+1] {
			w.Errorf("%s is %v, want %v", pairs[i], got, pairs[i+1])
		}
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		site := newSite(t)
		site.put("/workshop", "A service of the workshop costs forty euros.")
		site.put("/moved", "A service of the workshop costs sixty euros.")
		w := start(site.allowed)
		w.hasNoHurry()
		w.hasNoRates()
		baker := w.newTenant("baker", plan.Standard)
		token := w.editor(baker)

		t.Run("a text is answered from, left alone when it is the same, and replaced", func(t *testing.T) {
			w := w.within(t)
			const question = "When does the harbor bakery open?"
			made := w.putsText(token, "page/42", "# Bakery\n\nThe harbor bakery opens at seven.")
			w.is(made, "result", "created", "state", "ready", "title", "Bakery", "external_id", "page/42", "answered", true)
			if !w.answers(baker, question, "seven") {
				t.Error("it is not answered from")
			}
			v := w.signedIn(baker.email, baker.password)
			if shown := text(v.page(v.get("/chatbots/" + baker.chatbot + "/knowledge/" + made["id"].(string) + "?tab=versions"))); !strings.Contains(shown, "External ID page/42") {
				t.Errorf("its page shows %q", shown)
			}
			w.is(w.putsText(token, "page/42", "# Bakery\n\nThe harbor bakery opens at seven."), "result", "unchanged", "id", made["id"], "updated_at", made["updated_at"])
			w.is(w.putsText(token, "page/42", "# Bakery\n\nThe harbor bakery opens at nine."), "result", "replaced", "id", made["id"], "state", "ready")
			answer := w.asked(baker, question)
			if !strings.Contains(message(answer), "nine") || strings.Contains(answer.body, "seven") || !strings.Contains(answer.body, made["id"].(string)) {
				t.Errorf("the answer is %s", answer.body)
			}
		})
		t.Run("a file is read, and the old one answered from until then", func(t *testing.T) {
			w := w.within(t)
			const question = "Below which profile is the tyre changed?"
			w.is(w.putsFile(token, "manual", "manual.pdf", manual()), "result", "created", "state", "pending")
			w.waitsFor(token, "manual", "ready")
			if !w.answers(baker, question, "one millimetre") {
				t.Error("it is not answered from")
			}
			w.is(w.putsFile(token, "manual", "manual.pdf", manual()), "result", "unchanged")
			w.is(w.putsFile(token, "manual", "manual.pdf", "%PDF-1.7 that is none"), "result", "replaced", "answered", true)
			failed := w.waitsFor(token, "manual", "failed")
			if reason, _ := failed["reason"].(string); reason == "" || failed["answered"] != true {
				t.Errorf("it is %v", failed)
			}
			if !w.answers(baker, question, "one millimetre") {
				t.Error("what was there is not answered from any more")
			}
			w.is(w.putsText(token, "manual", "The tyre is changed when its profile is below three millimetres."), "result", "replaced", "state", "ready")
			if answer := message(w.asked(baker, question)); !strings.Contains(answer, "three millimetres") || strings.Contains(answer, "one") {
				t.Errorf("the answer is %q", answer)
			}
		})
		t.Run("a page is read, read again, and moves", func(t *testing.T) {
			w := w.within(t)
			const question = "What does a service of the workshop cost?"
			at := func(path string) map[string]any {
				return w.puts(token, "workshop", fmt.Sprintf(`{"url":%q}`, site.url(path)))
			}
			w.is(at("/workshop"), "result", "created", "url", site.url("/workshop"))
			w.is(w.waitsFor(token, "workshop", "ready"), "title", "Page /workshop", "kind", "html")
			if !w.answers(baker, question, "forty") {
				t.Error("it is not answered from")
			}
			site.put("/workshop", "A service of the workshop costs fifty euros.")
			w.is(at("/workshop"), "result", "read_again")
			w.eventually("the page is read again", func() bool { return w.answers(baker, question, "fifty") })
			w.waitsFor(token, "workshop", "ready")
			w.is(at("/moved"), "result", "replaced", "url", site.url("/moved"))
			w.eventually("the page has moved", func() bool { return w.answers(baker, question, "sixty") })
			w.waitsFor(token, "workshop", "ready")
			private := w.puts(token, "private", `{"url":"http://127.0.0.1:1/"}`)
			w.is(private, "result", "created")
			if failed := w.waitsFor(token, "private", "failed"); failed["reason"] == "" {
				t.Errorf("it is %v", failed)
			}
		})
		t.Run("a list has the documents in pages, by name and by state", func(t *testing.T) {
			w := w.within(t)
			list := func(query string) (ids []any, next string) {
				r := w.call("GET", documentsPath+"?"+query, "", bearer(token))
				w.checkAnswer(r, 200, 0)
				for _, d := range r.Data["documents"].([]any) {
					ids = append(ids, d.(map[string]any)["external_id"])
				}
				next, _ = r.Data["next"].(string)
				if more := r.Data["has_more"].(bool); more != (next != "") {
					t.Errorf("there are more: %v, and the next is %q", more, next)
				}
				return ids, next
			}
			var all []any
			next := ""
			for page := 0; page == 0 || next != ""; page++ {
				var ids []any
				ids, next = list("limit=1&after=" + url.QueryEscape(next))
				all = append(all, ids...)
				w.putsText(token, fmt.Sprint("later", page), fmt.Sprint("Meanwhile, ", page))
			}
			if want := []any{"private", "workshop", "manual", "page/42"}; !slices.Equal(all, want) {
				t.Errorf("they are %v, want %v", all, want)
			}
			if got, _ := list("external_id=" + url.QueryEscape("page/42")); !slices.Equal(got, []any{"page/42"}) {
				t.Errorf("by name they are %v", got)
			}
			if got, _ := list("state=failed"); !slices.Equal(got, []any{"private"}) {
				t.Errorf("failed are %v", got)
			}
		})
		t.Run("what is removed leaves every answer, with a receipt, and its name is free", func(t *testing.T) {
			w := w.within(t)
			const question = "When does the harbor bakery open?"
			before := w.waitsFor(token, "page/42", "ready")
			removed := w.call("DELETE", named("page/42"), "", bearer(token))
			w.checkAnswer(removed, 200, 0)
			w.is(removed.Data, "document_id", before["id"], "title", "Bakery")
			if removed.Data["confirmed_at"] == nil || removed.Data["answers"].(float64) < 2 {
				t.Errorf("the receipt is %s", removed.body)
			}
			if w.answers(baker, question, "nine") {
				t.Error("it is still answered from")
			}
			again := w.call("DELETE", documentsPath+"/"+before["id"].(string), "", bearer(token))
			w.checkAnswer(again, 200, 0)
			receipt := w.call("GET", removalsPath+"/"+removed.Data["id"].(string), "", bearer(token))
			w.checkAnswer(receipt, 200, 0)
			w.is(again.Data, "id", removed.Data["id"])
			w.is(receipt.Data, "id", removed.Data["id"])
			w.checkAnswer(w.call("DELETE", named("page/42"), "", bearer(token)), 404, 3)
			w.checkAnswer(w.call("GET", named("page/42"), "", bearer(token)), 404, 3)
			next := w.putsText(token, "page/42", "The harbor bakery opens at ten.")
			w.is(next, "result", "created")
			if next["id"] == before["id"] || !w.answers(baker, question, "ten") {
				t.Errorf("it is %v", next)
			}

			page := w.call("DELETE", named("workshop"), "", bearer(token))
			w.checkAnswer(page, 200, 0)
			w.eventually("the receipt of the page is confirmed", func() bool {
				r := w.call("GET", removalsPath+"/"+page.Data["id"].(string), "", bearer(token))
				w.checkAnswer(r, 200, 0)
				return r.Data["confirmed_at"] != nil
			})
			listed := w.call("GET", removalsPath+"?limit=1", "", bearer(token))
			w.checkAnswer(listed, 200, 0)
			w.is(listed.Data["removals"].([]any)[0].(map[string]any), "id", page.Data["id"])
			w.is(listed.Data, "has_more", true)
		})
	})
}
