package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestCatalogRefusals(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		b.HasNoRates()
		token := b.Editor(b.Baker)
		strange := b.Editor(b.Rival)
		const hours = `{"content":"The cellar opens at noon."}`
		_, reader := b.Issue(b.Baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat, chatbot.ScopeReadKnowledge}})
		_, writer := b.Issue(b.Baker, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeWriteKnowledge}})
		_, public := b.Issue(b.Baker, chatbot.NewToken{Kind: chatbot.PublishableToken, Restrictions: chatbot.Restrictions{Origins: []string{"https://shop.example"}}})
		id := putsText(b.Instance, token, "cellar", "The cellar opens at noon.")["id"].(string)
		b.Puts(token, "page", `{"url":"http://127.0.0.1/page"}`)

		refused := func(name, method, path, body, secret string, status int, code fault.Code, sentence string) {
			b.Run(name, func(t *testing.T) {
				w := b.Within(t)
				headers := []harness.Header{harness.Bearer(secret)}
				if secret == public {
					headers = append(headers, harness.Header{Name: "Origin", Value: "https://shop.example"})
				}
				w.IsRefused(w.Call(method, path, body, headers...), status, string(code), sentence)
			})
		}
		for scope, at := range map[string]struct{ token, method, path, body string }{
			"knowledge:write": {reader, "PUT", harness.Named("cellar"), hours},
			"knowledge:read":  {writer, "GET", harness.Named("cellar"), ""},
		} {
			refused("a token without the scope "+scope+" is refused", at.method, at.path, at.body, at.token, 403, fault.MissingScope, scope)
		}
		for _, r := range harness.Routes {
			if strings.HasPrefix(r.Pattern, "/api/v1/knowledge") {
				path := strings.NewReplacer(":document_id", id, ":external_id", "cellar", ":removal_id", "rm_1").Replace(r.Pattern)
				refused("a token that may only chat is refused at "+r.Name(), r.Method, path, r.Body, b.Baker.Token, 403, fault.MissingScope, "knowledge:")
				refused("a publishable token is refused at "+r.Name(), r.Method, path, r.Body, public, 403, fault.MissingScope, "knowledge:")
			}
		}
		b.Run("no publishable token gets the scopes", func(t *testing.T) {
			w := b.Within(t)
			_, _, err := w.Server.Chatbots.Tokens.Issue(t.Context(), b.Baker.Workspace, b.Baker.Chatbot, chatbot.NewToken{
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
			refused("an external ID "+name+" is refused", "PUT", harness.DocumentsPath+"/external/"+wrong, hours, token, 400, fault.BadExternalID, "external_id")
			refused("an external ID "+name+" names nothing", "GET", harness.DocumentsPath+"/external/"+wrong, "", token, 404, "not_found", "Document not found.")
		}
		for name, body := range map[string]string{
			"empty": `{"content":"x","external_id":""}`, "long": `{"content":"x","external_id":"` + strings.Repeat("ä", 256) + `"}`,
		} {
			refused("an external ID in a body that is "+name+" is refused", "POST", harness.DocumentsPath, body, token, 400, fault.BadExternalID, "external_id")
		}
		refused("two external IDs are refused", "PUT", harness.Named("a"), `{"content":"x","external_id":"b"}`, token, 400, fault.BadExternalID, "two different")
		refused("nothing is refused", "POST", harness.DocumentsPath, `{}`, token, 400, "invalid_request", "content")
		refused("a text with an address is refused", "POST", harness.DocumentsPath, `{"content":"x","url":"https://a.example/"}`, token, 400, "invalid_request", "one of them")
		refused("an address with a title is refused", "POST", harness.DocumentsPath, `{"title":"x","url":"https://a.example/"}`, token, 400, "invalid_request", "Leave out title")
		refused("an address that is none is refused", "POST", harness.DocumentsPath, `{"url":"ftp://a.example/"}`, token, 400, "invalid_request", "")
		refused("a kind that needs a file is refused", "POST", harness.DocumentsPath, `{"content":"x","kind":"pdf"}`, token, 400, "invalid_request", "kind")
		refused("a page does not replace a text", "PUT", harness.Named("cellar"), `{"url":"http://127.0.0.1/other"}`, token, 409, fault.KindDiffers, "web address")
		refused("a text does not replace a page", "PUT", harness.Named("page"), hours, token, 409, fault.KindDiffers, "web address")
		refused("an address under another name is refused", "PUT", harness.Named("other"), `{"url":"http://127.0.0.1/page"}`, token, 409, fault.AddressExists, "already")
		refused("an after from nowhere is refused", "GET", harness.DocumentsPath+"?after=17", "", token, 400, fault.WrongCursor, "after")
		refused("a state that there is not is refused", "GET", harness.DocumentsPath+"?state=gone", "", token, 400, "invalid_request", "state")
		refused("a limit of too many is refused", "GET", harness.RemovalsPath+"?limit=101", "", token, 400, "invalid_request", "limit")

		b.Run("what a stranger has is unknown, to the byte", func(t *testing.T) {
			w := b.Within(t)
			receipt := w.Call("DELETE", harness.Named("page"), "", harness.Bearer(token))
			w.CheckAnswer(receipt, 200, 0)
			for _, method := range []string{"GET", "DELETE"} {
				for foreign, unknown := range map[string]string{
					harness.Named("cellar"): harness.Named("cellar-that-is-not"), harness.DocumentsPath + "/" + id: harness.DocumentsPath + "/doc_0123456789abcdefghjkmnpq",
					harness.RemovalsPath + "/" + receipt.Data["id"].(string): harness.RemovalsPath + "/rm_0123456789abcdefghjkmnpq",
				} {
					if method == "DELETE" && strings.HasPrefix(foreign, harness.RemovalsPath) {
						continue
					}
					got, want := w.Call(method, foreign, "", harness.Bearer(strange)), w.Call(method, unknown, "", harness.Bearer(strange))
					if got.StatusCode != 404 || got.Text != want.Text {
						t.Errorf("%s %s is %d %s, and an unknown one %s", method, foreign, got.StatusCode, got.Text, want.Text)
					}
				}
			}
			own := putsText(w, strange, "cellar", "The rival's cellar opens at dusk.")
			hasValues(w, own, "result", "created")
			hasValues(w, putsText(w, token, "cellar", "The cellar opens at noon."), "result", "unchanged", "id", id)
			if !w.Answers(b.Baker, "When does the cellar open?", "noon") || w.Answers(b.Baker, "When does the cellar open?", "dusk") {
				t.Error("it is answered from another's")
			}
		})
		b.Run("many programs that send one document at once make one", func(t *testing.T) {
			w := b.Within(t)
			var sending sync.WaitGroup
			for n := range 10 {
				sending.Go(func() {
					r := w.Call("PUT", harness.Named("contended"), fmt.Sprintf(`{"content":"The ferry leaves at %d o'clock."}`, n), harness.Bearer(token))
					w.CheckAnswer(r, 200, 0)
				})
			}
			sending.Wait()
			waitsFor(w, token, "contended", "ready")
			r := w.Call("GET", harness.DocumentsPath+"?external_id=contended", "", harness.Bearer(token))
			w.CheckAnswer(r, 200, 0)
			if all := r.Data["documents"].([]any); len(all) != 1 {
				t.Errorf("there are %v", all)
			}
			d, err := w.Server.Knowledge.Catalog.Named(t.Context(), b.Baker.Workspace, b.Baker.Chatbot, "contended")
			w.Must(err)
			if !w.Answers(b.Baker, "When does the ferry leave?", d.Content) {
				t.Errorf("the answer is not %q", d.Content)
			}
		})
		b.Run("what the plan has no room for leaves the document as it was", func(t *testing.T) {
			w := b.Within(t)
			_, stored, err := w.Server.KnowledgeStores.Sizes.KnowledgeSizes(t.Context(), b.Baker.Workspace)
			w.Must(err)
			const limit, room = 1_000_000, 100
			w.Includes(plan.Standard, func(l *plan.Limits) { l.StoredBytes = limit })
			putsText(w, token, "full", strings.Repeat("Straw. ", limit/7)[:limit-stored-knowledge.DocumentBytes-room])
			w.IsRefused(w.Call("PUT", harness.Named("cellar"), fmt.Sprintf(`{"content":%q}`, strings.Repeat("long ", 100)), harness.Bearer(token)), 403, string(fault.PlanLimit), "MB of files and texts")
			w.IsRefused(w.Call("PUT", harness.Named("more"), hours, harness.Bearer(token)), 403, string(fault.PlanLimit), "MB of files and texts")
			w.IsRefused(w.Call("PUT", harness.Named("page"), `{"url":"http://127.0.0.1/page"}`, harness.Bearer(token)), 403, string(fault.PlanLimit), "MB of files and texts")
			hasValues(w, putsText(w, token, "cellar", "The cellar opens at noon."), "result", "unchanged", "state", "ready")
			hasValues(w, putsText(w, token, "cellar", "The cellar opens at one."), "result", "replaced")
			if !w.Answers(b.Baker, "When does the cellar open?", "at one") {
				t.Error("it is not answered from")
			}
		})
	})
}
