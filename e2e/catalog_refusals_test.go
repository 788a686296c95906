package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
)

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
