package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/api/mcp"
)

// asked is a caller whose tools say what they were asked.
type asked struct {
	// leave, if there is one, ends the caller's request in the middle of a question.
	leave context.CancelFunc
	left  <-chan struct{}
}

func (asked) Search(_ context.Context, query string) (mcp.Results, error) {
	if query == "a defect" {
		panic("secret-1234")
	}
	return mcp.Results{Results: []mcp.Result{{ID: "doc_1", Title: query, URL: "https://example.com"}}}, nil
}

func (asked) Fetch(context.Context, string) (mcp.Document, error) {
	return mcp.Document{}, errors.New("Document not found. (not_found)") //nolint:err113,staticcheck // a model reads it
}

func (a asked) Ask(_ context.Context, question, _ string) (mcp.Answer, error) {
	if a.leave != nil {
		a.leave()
		<-a.left
		return mcp.Answer{}, errors.New("left") //nolint:err113 // nobody reads it
	}
	return mcp.Answer{
		Answer: "Yes [2].", ConversationID: "7", MessageID: "8", Outcome: "answered",
		Sources: []mcp.Citation{{Number: 2, Cited: true, ID: "doc_1", Title: question, URL: "https://example.com/a"}},
	}, nil
}

func (asked) Panicked(error) error { return errors.New("internal error (internal_error)") } //nolint:err113 // a model reads it

// send sends a message to a server and returns its answer.
func send(ctx context.Context, t *testing.T, by mcp.Caller, readsKnowledge bool, body string) mcp.Response {
	t.Helper()
	var message mcp.Message
	if err := json.Unmarshal([]byte(body), &message); err != nil {
		t.Fatal(err)
	}
	if err := message.Check(); err != nil {
		t.Fatal(err)
	}
	return mcp.New().Answer(ctx, mcp.Request{Message: &message, Body: []byte(body), Headers: http.Header{}, ReadsKnowledge: readsKnowledge, Caller: by})
}

func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

func TestServer(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		reads  bool
		status int
		wants  []string
	}{
		"a search returns structured content and the same as one text": {
			call("search", `{"query":"lamps"}`), true, 200, []string{`"structuredContent":{"results":[{"id":"doc_1","text":"","title":"lamps"`, `"text":"{\"results\":[{\"id\":\"doc_1\"`},
		},
		"an answer names its sources and its conversation in the text, too": {
			call("ask", `{"question":"Open?"}`), false, 200, []string{`Yes [2].\n\nSources:\n[2] Open?: https://example.com/a\n\nconversation_id: 7`, `"outcome":"answered"`},
		},
		"a failure is a result with its sentence":               {call("fetch", `{"id":"doc_9"}`), true, 200, []string{`"isError":true`, "Document not found. (not_found)"}},
		"a panic is a failure, and tells nothing":               {call("search", `{"query":"a defect"}`), true, 200, []string{`"isError":true`, "internal error (internal_error)"}},
		"an argument that is missing is named":                  {call("search", `{}`), true, 200, []string{`"isError":true`, "query"}},
		"an argument that the tool has not is left out":         {call("search", `{"query":"a","limit":9,"sessionId":null}`), true, 200, []string{`"title":"a"`}},
		"an argument that is null is left out":                  {call("ask", `{"question":"Open?","conversation_id":null}`), false, 200, []string{`"outcome":"answered"`}},
		"a null for an argument that is needed is missing":      {call("search", `{"query":null}`), true, 200, []string{`"isError":true`, "query"}},
		"null for all arguments is as if there were none":       {call("fetch", `null`), true, 200, []string{`"isError":true`, `required`, `id`}},
		"arguments of another type are refused":                 {call("search", `{"query":["a"]}`), true, 200, []string{`"isError":true`, "query"}},
		"a tool that there is not is an error":                  {call("erase", `{}`), true, 200, []string{`"error":{"code":-32602`, "erase"}},
		"what shows the knowledge is unknown without its scope": {call("search", `{"query":"lamps"}`), false, 200, []string{`"error":{"code":-32602`, "search"}},
		"a method that there is not is refused":                 {`{"jsonrpc":"2.0","id":"x","method":"tools/erase"}`, true, 400, []string{`"tools/erase" unsupported`}},
		"a notification gets no answer":                         {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, true, 202, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := send(t.Context(), t, asked{}, c.reads, c.body)
			if got.Status != c.status || c.wants == nil && len(got.Body) > 0 || strings.Contains(string(got.Body), "secret-1234") {
				t.Errorf("the answer is %d %s", got.Status, got.Body)
			}
			for _, want := range c.wants {
				if !strings.Contains(string(got.Body), want) {
					t.Errorf("%q is not in %s", want, got.Body)
				}
			}
		})
	}
	t.Run("a caller who goes away ends the question", func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		// The SDK may or may not still write what the question ended with.
		got := send(ctx, t, asked{leave, ctx.Done()}, false, call("ask", `{"question":"Open?"}`))
		if len(got.Body) > 0 && !strings.Contains(string(got.Body), `"text":"left"`) {
			t.Errorf("it is answered %s", got.Body)
		}
	})
}

func TestMessage(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":1,"method":"ping"}`:                            "jsonrpc",
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:            "jsonrpc",
		`{"jsonrpc":"2.0","id":1}`:                            "method",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:          "id",
		`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`:          "id",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:         "id",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:           "id",
		`{"jsonrpc":"2.0","id":-7,"method":"ping"}`:           "",
		`{"jsonrpc":"2.0","id":"seven","method":"ping"}`:      "",
		`{"jsonrpc":"2.0","method":"notifications/canceled"}`: "",
	} {
		t.Run(body, func(t *testing.T) {
			var message mcp.Message
			if err := json.Unmarshal([]byte(body), &message); err != nil {
				t.Fatal(err)
			}
			err := message.Check()
			if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want+" ")) {
				t.Errorf("it is %v", err)
			}
		})
	}
}
