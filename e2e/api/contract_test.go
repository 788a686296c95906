package api

import (
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/internal/contract"
)

// madeUp is how many requests of each kind are made up for an operation.
const madeUp = 20

func TestMadeUpRequests(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	w.HasNoHurry()
	w.HasNoRates()
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	owner := w.SignedIn(baker.Email, baker.Password)
	known := knownValues(w, owner, baker)
	_, token := w.Issue(baker, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	operations := harness.Description(t).Operations()
	// What takes something away comes last.
	slices.SortStableFunc(operations, func(a, b *contract.Operation) int { return strings.Compare(b.Method, a.Method) })
	for _, operation := range operations {
		t.Run(operation.Name(), func(t *testing.T) {
			v := owner.In(t)
			maker := &contract.Maker{Rand: rand.New(rand.NewPCG(1, 2)), Known: known}
			for range madeUp {
				isAnsweredAsDescribed(v, operation, maker.Right(operation), token)
				if wrong, ok := maker.Wrong(operation); ok {
					isAnsweredAsDescribed(v, operation, wrong, token)
				}
			}
		})
	}
}

// firstNumber is the conversation's identifier in the first event of a stream.
var firstNumber = regexp.MustCompile(`\b[0-9]{6,}\b`)

// knownValues are values that the server knows, and some that it does not.
func knownValues(w *harness.Instance, owner *harness.Visitor, tn harness.Tenant) map[string][]string {
	w.Helper()
	answer := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token))
	w.CheckAnswer(answer, 200, 0)
	conversation, message := harness.Written(w.Number(answer, "conversation_id")), harness.Written(w.Number(answer, "message_id"))
	made := func(path, body string) string {
		r := owner.Ask("POST", "/api/chatbots/"+tn.Chatbot+path, body)
		w.CheckAnswer(r, 200, 0)
		return r.Data["id"].(string)
	}
	tried := owner.Ask("POST", "/api/chatbots/"+tn.Chatbot+"/playground/stream", harness.OpeningQuestion)
	w.Expect(tried, 200)
	inPlayground := firstNumber.FindString(tried.Text)
	const unknown, hostile = "4711", "../日本?%00"
	return map[string][]string{
		"id":                   {tn.Chatbot},
		"workspace":            {tn.Workspace},
		"conversation_id":      {conversation, inPlayground, unknown},
		"message_id":           {message, message, unknown},
		"message":              {message, message, unknown, "When does the bakery open?", "\u202e日本?"},
		"model":                {"chatbot", "chatbot", "gpt-5"},
		"previous_response_id": {"resp_" + conversation + "_" + message, "resp_" + unknown},
		"role":                 {"user", "user", "user", "assistant", "system"},
		"token_id":             {made("/api-tokens", ""), "tok_" + unknown, hostile},
		"external_id":          {"page-42", "page-42", "Öffnung/7?", unknown, hostile},
		"removal_id":           {"rm_" + unknown, hostile},
		"document_id":          {made("/documents", `{"title":"Prices","content":"A roll costs 1 EUR."}`), "doc_" + unknown, hostile},
		"source_id":            {made("/sources", `{"url":"http://127.0.0.1/hours"}`), "src_" + unknown, hostile},
		"provider_id":          {"own", "mp_" + unknown},
		"url":                  {"http://127.0.0.1/prices", "no address"},
	}
}

// isAnsweredAsDescribed sends a request that was made up. That its answer is described is
// checked where all tests send theirs.
func isAnsweredAsDescribed(v *harness.Visitor, operation *contract.Operation, made contract.Made, token string) {
	v.Helper()
	var headers []harness.Header
	for name := range made.Header {
		headers = append(headers, harness.Header{Name: name, Value: ""}, harness.Header{Name: name, Value: made.Header.Get(name)}) // in the place of another
	}
	ask := v.Ask
	if len(*operation.Security) > 0 && (*operation.Security)[0]["session"] == nil {
		ask, headers = v.Call, append(headers, harness.Bearer(token))
	}
	r := ask(made.Method, made.Target, made.Body, headers...)
	if r.StatusCode >= http.StatusInternalServerError || made.Wrong != "" && r.StatusCode < http.StatusBadRequest || v.Failed() {
		v.Fatalf("%s %s %v %s (%s) is answered %d %s", made.Method, made.Target, made.Header, harness.Shortened(made.Body), made.Wrong, r.StatusCode, harness.Shortened(r.Text))
	}
}
