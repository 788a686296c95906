package e2e

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/internal/contract"
)

// described is the description of the API, which all tests share.
var described = sync.OnceValues(func() (*contract.Document, error) { return contract.Read([]byte(parley.Description)) })

func description(t *testing.T) *contract.Document {
	t.Helper()
	document, err := described()
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// keepsTo fails the test unless an answer, as far as the test reads it, is as the description
// of the API says. So must the request be, if the server has accepted it.
func (w *instance) keepsTo(address *url.URL, sent http.Header, body string, response *http.Response) {
	if !strings.HasPrefix(address.Path, apiPrefix) || address.Path == webhookPath || response.Request.Method == http.MethodOptions {
		return // what browsers ask of each path is described once, in words
	}
	document := description(w.T)
	x := &contract.Exchange{
		Method: response.Request.Method, URL: address, Sent: sent, Asked: []byte(body), Status: response.StatusCode, Answered: response.Header,
	}
	if err := document.CheckHead(x); err != nil {
		w.Errorf("the answer is not as api/openapi.yaml says: %v", err)
	}
	if x.Status < http.StatusBadRequest {
		if err := document.CheckRequest(x); err != nil {
			w.Errorf("the request is not as api/openapi.yaml says: %v", err)
		}
	}
	if x.Method == http.MethodHead {
		return
	}
	read := &checkedBody{ReadCloser: response.Body, t: w.T, document: document, exchange: x, events: document.Events(x)}
	read.whole = strings.HasPrefix(x.Answered.Get("Content-Type"), "application/json")
	response.Body = read
}

// checkedBody checks an answer while a test reads it.
type checkedBody struct {
	io.ReadCloser
	t        *testing.T
	document *contract.Document
	exchange *contract.Exchange
	// events checks a stream; it is nil for others.
	events *contract.Events
	// whole says that text is collected, and checked at its end.
	whole bool
	text  []byte
}

func (b *checkedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	switch {
	case b.events != nil:
		if wrong := b.events.Read(into[:n]); wrong != nil {
			b.t.Errorf("the stream is not as api/openapi.yaml says: %v", wrong)
			b.events = nil
		}
	case b.whole:
		b.text = append(b.text, into[:n]...)
		if err == io.EOF {
			b.whole = false
			if wrong := b.document.CheckBody(b.exchange, b.text); wrong != nil {
				b.t.Errorf("the answer is not as api/openapi.yaml says: %v: %s", wrong, shortened(string(b.text)))
			}
		}
	}
	return n, err
}

// madeUp is how many requests of each kind are made up for an operation.
const madeUp = 20

func TestMadeUpRequests(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.hasNoHurry()
	w.hasNoRates()
	baker := w.newTenant("baker", plan.Standard, opening)
	owner := w.signedIn(baker.email, baker.password)
	known := w.known(owner, baker)
	_, token := w.issue(baker, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	operations := description(t).Operations()
	// What takes something away comes last.
	slices.SortStableFunc(operations, func(a, b *contract.Operation) int { return strings.Compare(b.Method, a.Method) })
	for _, operation := range operations {
		t.Run(operation.Name(), func(t *testing.T) {
			v := owner.in(t)
			maker := &contract.Maker{Rand: rand.New(rand.NewPCG(1, 2)), Known: known}
			for range madeUp {
				v.isAnsweredAsDescribed(operation, maker.Right(operation), token)
				if wrong, ok := maker.Wrong(operation); ok {
					v.isAnsweredAsDescribed(operation, wrong, token)
				}
			}
		})
	}
}

// firstNumber is the conversation's identifier in the first event of a stream.
var firstNumber = regexp.MustCompile(`\b[0-9]{6,}\b`)

// known are values that the server knows, and some that it does not.
func (w *instance) known(owner *visitor, tn tenantOf) map[string][]string {
	w.Helper()
	answer := w.call("POST", chatPath, openingQuestion, bearer(tn.token))
	w.checkAnswer(answer, 200, 0)
	conversation, message := written(w.number(answer, "conversation_id")), written(w.number(answer, "message_id"))
	made := func(path, body string) string {
		r := owner.ask("POST", "/api/chatbots/"+tn.chatbot+path, body)
		w.checkAnswer(r, 200, 0)
		return r.Data["id"].(string)
	}
	tried := owner.ask("POST", "/api/chatbots/"+tn.chatbot+"/playground/stream", openingQuestion)
	w.expect(tried, 200)
	inPlayground := firstNumber.FindString(tried.body)
	const unknown, hostile = "4711", "../日本?%00"
	return map[string][]string{
		"id":                   {tn.chatbot},
		"workspace":            {tn.workspace},
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
func (v *visitor) isAnsweredAsDescribed(operation *contract.Operation, made contract.Made, token string) {
	v.Helper()
	var headers []header
	for name := range made.Header {
		headers = append(headers, header{name, ""}, header{name, made.Header.Get(name)}) // in the place of another
	}
	ask := v.ask
	if len(*operation.Security) > 0 && (*operation.Security)[0]["session"] == nil {
		ask, headers = v.call, append(headers, bearer(token))
	}
	r := ask(made.Method, made.Target, made.Body, headers...)
	if r.StatusCode >= http.StatusInternalServerError || made.Wrong != "" && r.StatusCode < http.StatusBadRequest || v.Failed() {
		v.Fatalf("%s %s %v %s (%s) is answered %d %s", made.Method, made.Target, made.Header, shortened(made.Body), made.Wrong, r.StatusCode, shortened(r.body))
	}
}
