package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

func putsText(w *harness.Instance, token, externalID, text string) map[string]any {
	w.Helper()
	return w.Puts(token, externalID, fmt.Sprintf(`{"content":%q}`, text))
}

// waitsFor gets a document until it is in a state.
func waitsFor(w *harness.Instance, token, externalID, state string) (document map[string]any) {
	w.Helper()
	w.Eventually(externalID+" is "+state, func() bool {
		r := w.Call("GET", harness.Named(externalID), "", harness.Bearer(token))
		w.CheckAnswer(r, 200, 0)
		document = r.Data
		return document["state"] == state
	})
	return document
}

// hasValues fails unless a document has these values.
func hasValues(w *harness.Instance, document map[string]any, pairs ...any) {
	w.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := document[pairs[i].(string)]; got != pairs[i+1] {
			w.Errorf("%s is %v, want %v", pairs[i], got, pairs[i+1])
		}
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		site := harness.NewSite(t)
		site.Put("/workshop", "A service of the workshop costs forty euros.")
		site.Put("/moved", "A service of the workshop costs sixty euros.")
		w := start(site.Allowed)
		w.HasNoHurry()
		w.HasNoRates()
		baker := w.NewTenant("baker", plan.Standard)
		token := w.Editor(baker)

		t.Run("a text is answered from, left alone when it is the same, and replaced", func(t *testing.T) {
			w := w.Within(t)
			const question = "When does the harbor bakery open?"
			made := putsText(w, token, "page/42", "# Bakery\n\nThe harbor bakery opens at seven.")
			hasValues(w, made, "result", "created", "state", "ready", "title", "Bakery", "external_id", "page/42", "answered", true)
			if !w.Answers(baker, question, "seven") {
				t.Error("it is not answered from")
			}
			v := w.SignedIn(baker.Email, baker.Password)
			if shown := harness.Text(v.Page(v.Get("/chatbots/" + baker.Chatbot + "/knowledge/" + made["id"].(string) + "?tab=versions"))); !strings.Contains(shown, "External ID page/42") {
				t.Errorf("its page shows %q", shown)
			}
			hasValues(w, putsText(w, token, "page/42", "# Bakery\n\nThe harbor bakery opens at seven."), "result", "unchanged", "id", made["id"], "updated_at", made["updated_at"])
			hasValues(w, putsText(w, token, "page/42", "# Bakery\n\nThe harbor bakery opens at nine."), "result", "replaced", "id", made["id"], "state", "ready")
			answer := w.Asked(baker, question)
			if !strings.Contains(harness.Message(answer), "nine") || strings.Contains(answer.Text, "seven") || !strings.Contains(answer.Text, made["id"].(string)) {
				t.Errorf("the answer is %s", answer.Text)
			}
		})
		t.Run("a file is read, and the old one answered from until then", func(t *testing.T) {
			w := w.Within(t)
			const question = "Below which profile is the tyre changed?"
			hasValues(w, w.PutsFile(token, "manual", "manual.pdf", harness.Manual()), "result", "created", "state", "pending")
			waitsFor(w, token, "manual", "ready")
			if !w.Answers(baker, question, "one millimetre") {
				t.Error("it is not answered from")
			}
			hasValues(w, w.PutsFile(token, "manual", "manual.pdf", harness.Manual()), "result", "unchanged")
			hasValues(w, w.PutsFile(token, "manual", "manual.pdf", "%PDF-1.7 that is none"), "result", "replaced", "answered", true)
			failed := waitsFor(w, token, "manual", "failed")
			if reason, _ := failed["reason"].(string); reason == "" || failed["answered"] != true {
				t.Errorf("it is %v", failed)
			}
			if !w.Answers(baker, question, "one millimetre") {
				t.Error("what was there is not answered from any more")
			}
			hasValues(w, putsText(w, token, "manual", "The tyre is changed when its profile is below three millimetres."), "result", "replaced", "state", "ready")
			if answer := harness.Message(w.Asked(baker, question)); !strings.Contains(answer, "three millimetres") || strings.Contains(answer, "one") {
				t.Errorf("the answer is %q", answer)
			}
		})
		t.Run("a page is read, read again, and moves", func(t *testing.T) {
			w := w.Within(t)
			const question = "What does a service of the workshop cost?"
			at := func(path string) map[string]any {
				return w.Puts(token, "workshop", fmt.Sprintf(`{"url":%q}`, site.Address(path)))
			}
			hasValues(w, at("/workshop"), "result", "created", "url", site.Address("/workshop"))
			hasValues(w, waitsFor(w, token, "workshop", "ready"), "title", "Page /workshop", "kind", "html")
			if !w.Answers(baker, question, "forty") {
				t.Error("it is not answered from")
			}
			site.Put("/workshop", "A service of the workshop costs fifty euros.")
			hasValues(w, at("/workshop"), "result", "read_again")
			w.Eventually("the page is read again", func() bool { return w.Answers(baker, question, "fifty") })
			waitsFor(w, token, "workshop", "ready")
			hasValues(w, at("/moved"), "result", "replaced", "url", site.Address("/moved"))
			w.Eventually("the page has moved", func() bool { return w.Answers(baker, question, "sixty") })
			waitsFor(w, token, "workshop", "ready")
			private := w.Puts(token, "private", `{"url":"http://127.0.0.1:1/"}`)
			hasValues(w, private, "result", "created")
			if failed := waitsFor(w, token, "private", "failed"); failed["reason"] == "" {
				t.Errorf("it is %v", failed)
			}
		})
		t.Run("a list has the documents in pages, by name and by state", func(t *testing.T) {
			w := w.Within(t)
			list := func(query string) (ids []any, next string) {
				r := w.Call("GET", harness.DocumentsPath+"?"+query, "", harness.Bearer(token))
				w.CheckAnswer(r, 200, 0)
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
				putsText(w, token, fmt.Sprint("later", page), fmt.Sprint("Meanwhile, ", page))
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
			w := w.Within(t)
			const question = "When does the harbor bakery open?"
			before := waitsFor(w, token, "page/42", "ready")
			removed := w.Call("DELETE", harness.Named("page/42"), "", harness.Bearer(token))
			w.CheckAnswer(removed, 200, 0)
			hasValues(w, removed.Data, "document_id", before["id"], "title", "Bakery")
			if removed.Data["confirmed_at"] == nil || removed.Data["answers"].(float64) < 2 {
				t.Errorf("the receipt is %s", removed.Text)
			}
			if w.Answers(baker, question, "nine") {
				t.Error("it is still answered from")
			}
			again := w.Call("DELETE", harness.DocumentsPath+"/"+before["id"].(string), "", harness.Bearer(token))
			w.CheckAnswer(again, 200, 0)
			receipt := w.Call("GET", harness.RemovalsPath+"/"+removed.Data["id"].(string), "", harness.Bearer(token))
			w.CheckAnswer(receipt, 200, 0)
			hasValues(w, again.Data, "id", removed.Data["id"])
			hasValues(w, receipt.Data, "id", removed.Data["id"])
			w.CheckAnswer(w.Call("DELETE", harness.Named("page/42"), "", harness.Bearer(token)), 404, 3)
			w.CheckAnswer(w.Call("GET", harness.Named("page/42"), "", harness.Bearer(token)), 404, 3)
			next := putsText(w, token, "page/42", "The harbor bakery opens at ten.")
			hasValues(w, next, "result", "created")
			if next["id"] == before["id"] || !w.Answers(baker, question, "ten") {
				t.Errorf("it is %v", next)
			}

			page := w.Call("DELETE", harness.Named("workshop"), "", harness.Bearer(token))
			w.CheckAnswer(page, 200, 0)
			w.Eventually("the receipt of the page is confirmed", func() bool {
				r := w.Call("GET", harness.RemovalsPath+"/"+page.Data["id"].(string), "", harness.Bearer(token))
				w.CheckAnswer(r, 200, 0)
				return r.Data["confirmed_at"] != nil
			})
			listed := w.Call("GET", harness.RemovalsPath+"?limit=1", "", harness.Bearer(token))
			w.CheckAnswer(listed, 200, 0)
			hasValues(w, listed.Data["removals"].([]any)[0].(map[string]any), "id", page.Data["id"])
			hasValues(w, listed.Data, "has_more", true)
		})
	})
}
