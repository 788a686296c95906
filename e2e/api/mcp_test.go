package api

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/core/chatbot"
	"parley/e2e/harness"
)

// newReader issues a token that may read the documents, too.
func newReader(b harness.Bakery) string {
	_, secret := b.Issue(b.Baker, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	return secret
}

func TestMCP(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		w, session := b.Instance, b.NewAgent(newReader(b))
		b.Run("the Go SDK speaks the latest protocol with it", func(t *testing.T) {
			if got := session.InitializeResult(); got.ProtocolVersion != "2026-07-28" || got.ServerInfo.Name != "parley" || got.Instructions == "" {
				t.Errorf("it is %+v", got)
			}
		})
		b.Run("each tool is read-only, and says what it takes and returns", func(t *testing.T) {
			listed, err := session.ListTools(t.Context(), nil)
			w.Within(t).Must(err)
			var names []string
			for _, tool := range listed.Tools {
				names = append(names, tool.Name)
				if a := tool.Annotations; a == nil || !a.ReadOnlyHint || a.OpenWorldHint == nil || *a.OpenWorldHint || tool.OutputSchema == nil || tool.Description == "" {
					t.Errorf("%s is %+v", tool.Name, tool)
				}
				if required := tool.InputSchema.(map[string]any)["required"]; fmt.Sprint(required) != map[string]string{"search": "[query]", "fetch": "[id]", "ask": "[question]"}[tool.Name] {
					t.Errorf("%s requires %v", tool.Name, required)
				}
			}
			if slices.Sort(names); !slices.Equal(names, []string{"ask", "fetch", "search"}) {
				t.Errorf("the tools are %v", names)
			}
		})
		found, text, _ := w.UseTool(session, "search", map[string]any{"query": harness.WhenOpen})
		if len(found.Results) != 1 {
			b.Fatalf("a search finds %s", text)
		}
		document := found.Results[0]
		b.Run("a search finds documents with titles and addresses", func(t *testing.T) {
			if !strings.HasPrefix(document.ID, "doc_") || document.Title != "Opening hours" || !strings.Contains(document.Text, "seven") || !strings.HasPrefix(document.URL, w.Base) || !strings.Contains(text, `"results":[{`) {
				t.Errorf("it finds %s", text)
			}
		})
		b.Run("a document is fetched by its id", func(t *testing.T) {
			got, text, failed := w.Within(t).UseTool(session, "fetch", map[string]any{"id": document.ID})
			if failed || got.ID != document.ID || got.URL != document.URL || !strings.Contains(got.Text, "seven in the morning") {
				t.Errorf("it is %s", text)
			}
		})
		b.Run("a question is answered with its sources, and the next in the same conversation", func(t *testing.T) {
			w := w.Within(t)
			got, text, failed := w.UseTool(session, "ask", map[string]any{"question": harness.WhenOpen})
			if failed || got.Outcome != "answered" || !strings.Contains(got.Answer, "seven in the morning") || len(got.Sources) == 0 || got.Sources[0].ID != document.ID || !strings.Contains(text, document.URL) {
				t.Fatalf("the answer is %s", text)
			}
			next, _, _ := w.UseTool(session, "ask", map[string]any{"question": harness.WhenOpen, "conversation_id": got.ConversationID})
			if next.ConversationID != got.ConversationID {
				t.Errorf("the next is in the conversation %s", next.ConversationID)
			}
			history := w.Call("GET", harness.ConversationsPath+"/"+got.ConversationID+"/messages", "", harness.Bearer(b.Baker.Token))
			if messages, _ := history.Data["messages"].([]any); len(messages) != 4 {
				t.Errorf("the conversation is %s", history.Text)
			}
		})
		b.Run("what another chatbot has is unknown", func(t *testing.T) {
			w := w.Within(t)
			_, rival := w.Issue(b.Rival, chatbot.NewToken{Scopes: chatbot.AllScopes()})
			other := w.NewAgent(rival)
			asked, _, _ := w.UseTool(session, "ask", map[string]any{"question": harness.WhenOpen})
			for _, call := range []struct {
				tool, argument, foreign, unknown string
			}{{"fetch", "id", document.ID, "doc_unknown"}, {"ask", "conversation_id", asked.ConversationID, "4711"}} {
				arguments := map[string]any{call.argument: call.foreign}
				if call.tool == "ask" {
					arguments["question"] = harness.WhenOpen
				}
				_, foreign, failed := w.UseTool(other, call.tool, arguments)
				arguments[call.argument] = call.unknown
				_, unknown, _ := w.UseTool(other, call.tool, arguments)
				if !failed || foreign != unknown || !strings.Contains(foreign, "not found") {
					t.Errorf("%s is told %q and %q", call.tool, foreign, unknown)
				}
			}
			if got, text, _ := w.UseTool(other, "search", map[string]any{"query": harness.WhenOpen}); strings.Contains(text, "seven") || len(got.Results) != 1 {
				t.Errorf("the rival finds %s", text)
			}
		})
		b.Run("odd arguments are failures of the tool, and no more", func(t *testing.T) {
			w := w.Within(t)
			for tool, arguments := range map[string]map[string]any{
				"search": {"query": strings.Repeat("x", 500_000)}, "fetch": {"id": "doc_\x00'; --"}, "ask": {"question": " "},
			} {
				if _, text, failed := w.UseTool(session, tool, arguments); !failed || text == "" || len(text) > 1000 {
					t.Errorf("%s says %s", tool, harness.Shortened(text))
				}
			}
		})
		b.Run("a token to chat alone has the tool ask alone", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("POST", harness.ToolsPath, harness.ListTools, harness.Bearer(b.Baker.Token))
			w.Expect(r, 200)
			if !strings.Contains(r.Text, `"ask"`) || strings.Contains(r.Text, `"fetch"`) {
				t.Errorf("it has %s", r.Text)
			}
		})
		oldClients(b)
		refusedClients(b)
	})
}

// oldClients talk as clients of older versions of the protocol do.
func oldClients(b harness.Bakery) {
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		b.Run("a client of "+version+" is served", func(t *testing.T) {
			w := b.Within(t)
			r := w.Call("POST", harness.ToolsPath, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`, harness.Bearer(b.Baker.Token))
			w.Expect(r, 200)
			if !strings.Contains(r.Text, `"protocolVersion":"`+version+`"`) {
				t.Errorf("it is told %s", r.Text)
			}
			of := harness.Header{Name: "Mcp-Protocol-Version", Value: version}
			w.Expect(w.Call("POST", harness.ToolsPath, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, harness.Bearer(b.Baker.Token), of), 202)
			r = w.Call("POST", harness.ToolsPath, `{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"ask","arguments":{"question":"`+harness.WhenOpen+`"}}}`, harness.Bearer(b.Baker.Token), of)
			w.Expect(r, 200)
			if !strings.Contains(r.Text, "seven in the morning") {
				t.Errorf("it is answered %s", r.Text)
			}
		})
	}
	b.Run("the TypeScript SDK searches, fetches and asks", func(t *testing.T) {
		w := b.Within(t)
		run := exec.CommandContext(t.Context(), "node", "testdata/sdks/mcp.cjs", w.Base+harness.ToolsPath, harness.WhenOpen)
		run.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(harness.SDKs(t), "node_modules"), "TOKEN="+newReader(b))
		var failure strings.Builder
		run.Stderr = &failure
		written, err := run.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, failure.String())
		}
		var got struct {
			Server, Protocol              string
			Tools                         []string
			Found, Document, Answer, Next harness.Tried
			Unknown                       struct{ IsError bool }
		}
		w.Must(json.Unmarshal(written, &got, json.MatchCaseInsensitiveNames(true)))
		if got.Server != "parley" || len(got.Tools) != 3 || len(got.Found.Results) == 0 || !strings.Contains(got.Document.Text, "seven") || !strings.Contains(got.Answer.Answer, "seven") ||
			got.Next.ConversationID != got.Answer.ConversationID || !got.Unknown.IsError {
			t.Errorf("it got %s", written)
		}
	})
}

// refusedClients are not served.
func refusedClients(b harness.Bakery) {
	token := b.Baker.Token
	own := harness.Header{Name: "Origin", Value: b.Base}
	b.Run("who has no token learns where the endpoint is described", func(t *testing.T) {
		w := b.Within(t)
		for _, credential := range []harness.Header{{Name: "X-Nothing", Value: "1"}, harness.Bearer(changed(token, 20))} {
			r := w.Call("POST", harness.ToolsPath, harness.ListTools, credential)
			w.Expect(r, 401)
			if got, want := r.Header.Get("Www-Authenticate"), `Bearer resource_metadata="`+w.Base+harness.MetadataPath+harness.ToolsPath+`"`; got != want {
				t.Errorf("it is told %s", got)
			}
		}
		for _, path := range []string{"", harness.ToolsPath} {
			r := w.Call("GET", harness.MetadataPath+path, "")
			w.Expect(r, 200)
			var described struct {
				Resource string
				Servers  []string `json:"authorization_servers"`
			}
			w.Must(json.Unmarshal([]byte(r.Text), &described, json.MatchCaseInsensitiveNames(true)))
			if described.Resource != w.Base+path || described.Servers != nil {
				t.Errorf("%s is described as %s", path, r.Text)
			}
		}
	})
	b.Play(
		harness.Scenario{Name: "the page of another site may not", Path: harness.ToolsPath, Body: harness.ListTools, Headers: append(harness.As(token), harness.Header{Name: "Origin", Value: "https://evil.example"}), Status: 403, Code: 2},
		harness.Scenario{Name: "nor an opaque origin", Path: harness.ToolsPath, Body: harness.ListTools, Headers: append(harness.As(token), harness.Header{Name: "Origin", Value: "null"}), Status: 403, Code: 2},
		harness.Scenario{Name: "nor a name that was made to lead here", Path: harness.ToolsPath, Body: harness.ListTools, Headers: append(harness.As(token), harness.Header{Name: "Origin", Value: "http://evil.example"}, harness.Header{Name: "Host", Value: "evil.example"}), Status: 403, Code: 2},
		harness.Scenario{Name: "a batch is refused", Path: harness.ToolsPath, Body: "[" + harness.ListTools + "]", Headers: harness.As(token), Status: 400, Code: 4},
		harness.Scenario{Name: "a response is refused", Path: harness.ToolsPath, Body: `{"jsonrpc":"2.0","id":1,"result":{}}`, Headers: harness.As(token), Status: 400, Code: 4},
		harness.Scenario{Name: "a name that stands twice is refused", Path: harness.ToolsPath, Body: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, Headers: harness.As(token), Status: 400, Code: 4},
		harness.Scenario{Name: "a nest of arrays is refused", Path: harness.ToolsPath, Body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}}`, Headers: harness.As(token), Status: 413, Code: 4},
		harness.Scenario{Name: "a key that is none is refused, whatever the message", Path: harness.ToolsPath, Body: harness.ListTools, Headers: append(harness.As(token), harness.Header{Name: "Idempotency-Key", Value: "é"}), Status: 400, Code: 4},
		harness.Scenario{Name: "a version that there is not is refused", Path: harness.ToolsPath, Body: harness.ListTools, Headers: append(harness.As(token), harness.Header{Name: "Mcp-Protocol-Version", Value: "1999-01-01"}), Status: 400, Code: 4},
		harness.Scenario{Name: "a body that is too large is refused", Path: harness.ToolsPath, Body: `{"a":"` + strings.Repeat("x", 2<<20) + `"}`, Headers: harness.As(token), Status: 413, Code: 4},
		harness.Scenario{Name: "there are no streams to listen to", Method: "GET", Path: harness.ToolsPath, Headers: harness.As(token), Status: 405, Code: 4},
		harness.Scenario{Name: "there are no sessions to end", Method: "DELETE", Path: harness.ToolsPath, Headers: harness.As(token), Status: 405, Code: 4},
	)
	b.Run("subscriptions are unknown, and nothing waits", func(t *testing.T) {
		w := b.Within(t)
		w.Expect(w.Call("POST", harness.ToolsPath, `{"jsonrpc":"2.0","id":1,"method":"subscriptions\/listen"}`, harness.Bearer(token)), 404)
	})
	b.Run("the server's own pages may", func(t *testing.T) {
		w := b.Within(t)
		w.Expect(w.Call("POST", harness.ToolsPath, harness.ListTools, harness.Bearer(token), own), 200)
	})
}
