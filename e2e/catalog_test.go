package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/internal/app"
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

func TestCatalogRefusals(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		b.hasNoRates()
		token := b.editor(b.baker)
		strange := b.editor(b.rival)
		const hours = `{"content":"The cellar opens at noon."}`
		_, reader := b.issue(b.baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat, chatbot.ScopeReadKnowledge}})
		_, writer := b.issue(b.baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeWriteKnowledge}})
		_, public := b.issue(b.baker, chatbot.NewToken{Kind: chatbot.PublishableToken, Restrictions: chatbot.Restrictions{Origins: []string{"https://shop.example"}}})
		id := b.putsText(token, "cellar", "The cellar opens at noon.")["id"].(string)
		b.puts(token, "page", `{"url":"http://127.0.0.1/page"}`)

		refused := func(name, method, path, body, secret string, status int, code fault.Code, sentence string) {
			b.Run(name, func(t *testing.T) {
				w := b.within(t)
				headers := []header{bearer(secret)}
				if secret == public {
					headers = append(headers, header{"Origin", "https://shop.example"})
				}
				w.isRefused(w.call(method, path, body, headers...), status, string(code), sentence)
			})
		}
		for scope, at := range map[string]struct{ token, method, path, body string }{
			"knowledge:write": {reader, "PUT", named("cellar"), hours},
			"knowledge:read":  {writer, "GET", named("cellar"), ""},
		} {
			refused("a token without the scope "+scope+" is refused", at.method, at.path, at.body, at.token, 403, fault.MissingScope, scope)
		}
		for _, r := range rows {
			if strings.HasPrefix(r.route, "/api/v1/knowledge") {
				path := strings.NewReplacer(":document_id", id, ":external_id", "cellar", ":removal_id", "rm_1").Replace(r.route)
				refused("a token that may only chat is refused at "+r.name(), r.method, path, r.body, b.baker.token, 403, fault.MissingScope, "knowledge:")
				refused("a publishable token is refused at "+r.name(), r.method, path, r.body, public, 403, fault.MissingScope, "knowledge:")
			}
		}
		b.Run("no publishable token gets the scopes", func(t *testing.T) {
			w := b.within(t)
			_, _, err := w.server.Chatbots.Tokens.Issue(t.Context(), b.baker.workspace, b.baker.chatbot, chatbot.NewToken{
				Kind: chatbot.PublishableToken, Scopes: []chatbot.Scope{chatbot.ScopeChat, chatbot.ScopeWriteKnowledge},
				Restrictions: chatbot.Restrictions{Origins: []string{"https://shop.example"}}, CreatedBy: "a test",
			})
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("it is %v", err)
			}
		})

		for name, wrong := range map[string]string{
			"blank": "%20", "long": strings.Repeat("x", 256), "with a NUL": "a%00", "of two lines": "a%0Ab", "that turns around": "a%E2%80%AEb", "that is no UTF-8": "%FF", "with a space before it": "%20a",
		} {
			refused("an external ID "+name+" is refused", "PUT", documentsPath+"/external/"+wrong, hours, token, 400, fault.BadExternalID, "external_id")
			refused("an external ID "+name+" names nothing", "GET", documentsPath+"/external/"+wrong, "", token, 404, "not_found", "Document not found.")
		}
		for name, body := range map[string]string{
			"empty": `{"content":"x","external_id":""}`, "long": `{"content":"x","external_id":"` + strings.Repeat("ä", 256) + `"}`,
		} {
			refused("an external ID in a body that is "+name+" is refused", "POST", documentsPath, body, token, 400, fault.BadExternalID, "external_id")
		}
		refused("two external IDs are refused", "PUT", named("a"), `{"content":"x","external_id":"b"}`, token, 400, fault.BadExternalID, "two different")
		refused("nothing is refused", "POST", documentsPath, `{}`, token, 400, "invalid_request", "content")
		refused("a text with an address is refused", "POST", documentsPath, `{"content":"x","url":"https://a.example/"}`, token, 400, "invalid_request", "one of them")
		refused("an address with a title is refused", "POST", documentsPath, `{"title":"x","url":"https://a.example/"}`, token, 400, "invalid_request", "Leave out title")
		refused("an address that is none is refused", "POST", documentsPath, `{"url":"ftp://a.example/"}`, token, 400, "invalid_request", "")
		refused("a kind that needs a file is refused", "POST", documentsPath, `{"content":"x","kind":"pdf"}`, token, 400, "invalid_request", "kind")
		refused("a page does not replace a text", "PUT", named("cellar"), `{"url":"http://127.0.0.1/other"}`, token, 409, fault.KindDiffers, "web address")
		refused("a text does not replace a page", "PUT", named("page"), hours, token, 409, fault.KindDiffers, "web address")
		refused("an address under another name is refused", "PUT", named("other"), `{"url":"http://127.0.0.1/page"}`, token, 409, fault.AddressExists, "already")
		refused("an after from nowhere is refused", "GET", documentsPath+"?after=17", "", token, 400, fault.WrongCursor, "after")
		refused("a state that there is not is refused", "GET", documentsPath+"?state=gone", "", token, 400, "invalid_request", "state")
		refused("a limit of too many is refused", "GET", removalsPath+"?limit=101", "", token, 400, "invalid_request", "limit")

		b.Run("what a stranger has is unknown, to the byte", func(t *testing.T) {
			w := b.within(t)
			receipt := w.call("DELETE", named("page"), "", bearer(token))
			w.checkAnswer(receipt, 200, 0)
			for _, method := range []string{"GET", "DELETE"} {
				for foreign, unknown := range map[string]string{
					named("cellar"): named("cellar-that-is-not"), documentsPath + "/" + id: documentsPath + "/doc_0123456789abcdefghjkmnpq",
					removalsPath + "/" + receipt.Data["id"].(string): removalsPath + "/rm_0123456789abcdefghjkmnpq",
				} {
					if method == "DELETE" && strings.HasPrefix(foreign, removalsPath) {
						continue
					}
					got, want := w.call(method, foreign, "", bearer(strange)), w.call(method, unknown, "", bearer(strange))
					if got.StatusCode != 404 || got.body != want.body {
						t.Errorf("%s %s is %d %s, and an unknown one %s", method, foreign, got.StatusCode, got.body, want.body)
					}
				}
			}
			own := w.putsText(strange, "cellar", "The rival's cellar opens at dusk.")
			w.is(own, "result", "created")
			w.is(w.putsText(token, "cellar", "The cellar opens at noon."), "result", "unchanged", "id", id)
			if !w.answers(b.baker, "When does the cellar open?", "noon") || w.answers(b.baker, "When does the cellar open?", "dusk") {
				t.Error("it is answered from another's")
			}
		})
		b.Run("many programs that send one document at once make one", func(t *testing.T) {
			w := b.within(t)
			var sending sync.WaitGroup
			for n := range 10 {
				sending.Go(func() {
					r := w.call("PUT", named("contended"), fmt.Sprintf(`{"content":"The ferry leaves at %d o'clock."}`, n), bearer(token))
					w.checkAnswer(r, 200, 0)
				})
			}
			sending.Wait()
			w.waitsFor(token, "contended", "ready")
			r := w.call("GET", documentsPath+"?external_id=contended", "", bearer(token))
			w.checkAnswer(r, 200, 0)
			if all := r.Data["documents"].([]any); len(all) != 1 {
				t.Errorf("there are %v", all)
			}
			d, err := w.server.Knowledge.Catalog.Named(t.Context(), b.baker.workspace, b.baker.chatbot, "contended")
			w.must(err)
			if !w.answers(b.baker, "When does the ferry leave?", d.Content) {
				t.Errorf("the answer is not %q", d.Content)
			}
		})
		b.Run("what the plan has no room for leaves the document as it was", func(t *testing.T) {
			w := b.within(t)
			_, stored, err := w.server.KnowledgeStores.Sizes.KnowledgeSizes(t.Context(), b.baker.workspace)
			w.must(err)
			const limit, room = 1_000_000, 100
			w.includes(plan.Standard, func(l *plan.Limits) { l.StoredBytes = limit })
			w.putsText(token, "full", strings.Repeat("Straw. ", limit/7)[:limit-stored-knowledge.DocumentBytes-room])
			w.isRefused(w.call("PUT", named("cellar"), fmt.Sprintf(`{"content":%q}`, strings.Repeat("long ", 100)), bearer(token)), 403, string(fault.PlanLimit), "MB of files and texts")
			w.isRefused(w.call("PUT", named("more"), hours, bearer(token)), 403, string(fault.PlanLimit), "MB of files and texts")
			w.isRefused(w.call("PUT", named("page"), `{"url":"http://127.0.0.1/page"}`, bearer(token)), 403, string(fault.PlanLimit), "MB of files and texts")
			w.is(w.putsText(token, "cellar", "The cellar opens at noon."), "result", "unchanged", "state", "ready")
			w.is(w.putsText(token, "cellar", "The cellar opens at one."), "result", "replaced")
			if !w.answers(b.baker, "When does the cellar open?", "at one") {
				t.Error("it is not answered from")
			}
		})
	})
}

func TestKilledWhileReplacingDocuments(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		const writers, enough = 4, 60
		var tn tenantOf
		var token string
		s.inside(func(w *instance) {
			tn = w.newTenant("baker", plan.Enterprise)
			token = w.editor(tn)
		})
		content := func(writer, version int) string {
			return fmt.Sprintf("The price of loaf%d is version%d.", writer, version)
		}
		p := s.serve()
		sent, acknowledged := [writers]int{}, [writers]int{}
		killed := make(chan struct{})
		counted := make(chan struct{}, 10_000)
		var writing sync.WaitGroup
		for n := range writers {
			writing.Go(func() {
				for version := 1; ; version++ {
					select {
					case <-killed:
						return
					default:
					}
					sent[n] = version
					if !putOnce(s.Context(), p.base+named(fmt.Sprint("loaf", n)), token, content(n, version)) {
						return
					}
					acknowledged[n] = version
					counted <- struct{}{}
				}
			})
		}
		for range enough {
			<-counted
		}
		p.kill()
		close(killed)
		writing.Wait()

		s.inside(func(w *instance) {
			// What a process was adding is left to it for a while, though it was
			// killed.
			w.later(time.Minute, func(p *app.Program) {
				for more := true; more; {
					var err error
					more, err = p.Knowledge.Worker.WorkOff(w.Context(), tn.workspace)
					w.must(err)
				}
			})
			documents := w.settled(tn)
			if len(documents) != writers {
				w.Errorf("there are %d documents", len(documents))
			}
			for n := range writers {
				d, err := w.server.Knowledge.Catalog.Named(w.Context(), tn.workspace, tn.chatbot, fmt.Sprint("loaf", n))
				w.must(err)
				kept := ""
				for version := acknowledged[n]; version <= sent[n]; version++ {
					if d.Content == content(n, version) {
						kept = d.Content
					}
				}
				if kept == "" || d.State != knowledge.Ready || d.Live != d.Version {
					w.Errorf("version %d was acknowledged, and there is %+v", acknowledged[n], d)
				}
				found, err := w.server.Searcher.Search(w.Context(), retrieval.Scope{WorkspaceID: tn.workspace, ChatbotID: tn.chatbot},
					retrieval.Query{Text: fmt.Sprintf("What is the price of loaf%d?", n), Limit: 10})
				w.must(err)
				if !slices.ContainsFunc(found, func(f retrieval.Result) bool { return f.DocumentID == d.ID && strings.Contains(f.Text, kept) }) {
					w.Errorf("%q is not found in %+v", kept, found)
				}
			}
		})
	})
}

// putOnce replaces a document, and reports whether that was acknowledged.
func putOnce(ctx context.Context, address, token, content string) bool {
	body, err := json.Marshal(map[string]string{"content": content})
	if err != nil {
		return false
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address, strings.NewReader(string(body)))
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
