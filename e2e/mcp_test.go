package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/core/chatbot"
)

const (
	toolsPath    = "/api/v1/mcp"
	metadataPath = "/.well-known/oauth-protected-resource"
	whenOpen     = "When does the bakery open?"
	listTools    = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

// newReader issues a token that may read the documents, too.
func (b bakery) newReader() string {
	_, secret := b.issue(b.baker, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	return secret
}

// agent is a client of the Go SDK.
func (w *instance) agent(token string) *mcp.ClientSession {
	w.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "parley-test", Version: "1"}, nil)
	session, err := client.Connect(w.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.base + toolsPath, HTTPClient: &http.Client{Transport: withBearer(token)}, MaxRetries: -1,
	}, nil)
	w.must(err)
	w.Cleanup(func() { _ = session.Close() })
	return session
}

// withBearer sends a token with each request.
type withBearer string

func (t withBearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

// tried is what a tool returned.
type tried struct {
	Results []struct{ ID, Title, URL, Text string }
	ID      string
	Title   string
	URL     string
	Text    string
	Answer  string
	Outcome string
	Sources []struct {
		ID, Title, URL string
		Cited          bool
	}
	ConversationID string `json:"conversation_id"`
}

// use calls a tool, and returns its text, too.
func (w *instance) use(session *mcp.ClientSession, tool string, arguments map[string]any) (got tried, text string, failed bool) {
	w.Helper()
	result, err := session.CallTool(w.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	w.must(err)
	if len(result.Content) != 1 {
		w.Fatalf("%s returns %d contents", tool, len(result.Content))
	}
	text = result.Content[0].(*mcp.TextContent).Text
	if !result.IsError {
		structured, err := json.Marshal(result.StructuredContent)
		w.must(err)
		w.must(json.Unmarshal(structured, &got, json.MatchCaseInsensitiveNames(true)))
	}
	return got, text, result.IsError
}

func TestMCP(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		w, session := b.instance, b.agent(b.newReader())
		b.Run("the Go SDK speaks the latest protocol with it", func(t *testing.T) {
			if got := session.InitializeResult(); got.ProtocolVersion != "2026-07-28" || got.ServerInfo.Name != "parley" || got.Instructions == "" {
				t.Errorf("it is %+v", got)
			}
		})
		b.Run("each tool is read-only, and says what it takes and returns", func(t *testing.T) {
			listed, err := session.ListTools(t.Context(), nil)
			w.within(t).must(err)
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
		found, text, _ := w.use(session, "search", map[string]any{"query": whenOpen})
		if len(found.Results) != 1 {
			b.Fatalf("a search finds %s", text)
		}
		document := found.Results[0]
		b.Run("a search finds documents with titles and addresses", func(t *testing.T) {
			if !strings.HasPrefix(document.ID, "doc_") || document.Title != "Opening hours" || !strings.Contains(document.Text, "seven") || !strings.HasPrefix(document.URL, w.base) || !strings.Contains(text, `"results":[{`) {
				t.Errorf("it finds %s", text)
			}
		})
		b.Run("a document is fetched by its id", func(t *testing.T) {
			got, text, failed := w.within(t).use(session, "fetch", map[string]any{"id": document.ID})
			if failed || got.ID != document.ID || got.URL != document.URL || !strings.Contains(got.Text, "seven in the morning") {
				t.Errorf("it is %s", text)
			}
		})
		b.Run("a question is answered with its sources, and the next in the same conversation", func(t *testing.T) {
			w := w.within(t)
			got, text, failed := w.use(session, "ask", map[string]any{"question": whenOpen})
			if failed || got.Outcome != "answered" || !strings.Contains(got.Answer, "seven in the morning") || len(got.Sources) == 0 || got.Sources[0].ID != document.ID || !strings.Contains(text, document.URL) {
				t.Fatalf("the answer is %s", text)
			}
			next, _, _ := w.use(session, "ask", map[string]any{"question": whenOpen, "conversation_id": got.ConversationID})
			if next.ConversationID != got.ConversationID {
				t.Errorf("the next is in the conversation %s", next.ConversationID)
			}
			history := w.call("GET", conversationsPath+"/"+got.ConversationID+"/messages", "", bearer(b.baker.token))
			if messages, _ := history.Data["messages"].([]any); len(messages) != 4 {
				t.Errorf("the conversation is %s", history.body)
			}
		})
		b.Run("what another chatbot has is unknown", func(t *testing.T) {
			w := w.within(t)
			_, rival := w.issue(b.rival, chatbot.NewToken{Scopes: chatbot.AllScopes()})
			other := w.agent(rival)
			asked, _, _ := w.use(session, "ask", map[string]any{"question": whenOpen})
			for _, call := range []struct {
				tool, argument, foreign, unknown string
			}{{"fetch", "id", document.ID, "doc_unknown"}, {"ask", "conversation_id", asked.ConversationID, "4711"}} {
				arguments := map[string]any{call.argument: call.foreign}
				if call.tool == "ask" {
					arguments["question"] = whenOpen
				}
				_, foreign, failed := w.use(other, call.tool, arguments)
				arguments[call.argument] = call.unknown
				_, unknown, _ := w.use(other, call.tool, arguments)
				if !failed || foreign != unknown || !strings.Contains(foreign, "not found") {
					t.Errorf("%s is told %q and %q", call.tool, foreign, unknown)
				}
			}
			if got, text, _ := w.use(other, "search", map[string]any{"query": whenOpen}); strings.Contains(text, "seven") || len(got.Results) != 1 {
				t.Errorf("the rival finds %s", text)
			}
		})
		b.Run("odd arguments are failures of the tool, and no more", func(t *testing.T) {
			w := w.within(t)
			for tool, arguments := range map[string]map[string]any{
				"search": {"query": strings.Repeat("x", 500_000)}, "fetch": {"id": "doc_\x00'; --"}, "ask": {"question": " "},
			} {
				if _, text, failed := w.use(session, tool, arguments); !failed || text == "" || len(text) > 1000 {
					t.Errorf("%s says %s", tool, shortened(text))
				}
			}
		})
		b.Run("a token to chat alone has the tool ask alone", func(t *testing.T) {
			w := w.within(t)
			r := w.call("POST", toolsPath, listTools, bearer(b.baker.token))
			w.expect(r, 200)
			if !strings.Contains(r.body, `"ask"`) || strings.Contains(r.body, `"fetch"`) {
				t.Errorf("it has %s", r.body)
			}
		})
		b.oldClients()
		b.refusedClients()
	})
}

// oldClients talk as clients of older versions of the protocol do.
func (b bakery) oldClients() {
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		b.Run("a client of "+version+" is served", func(t *testing.T) {
			w := b.within(t)
			r := w.call("POST", toolsPath, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`, bearer(b.baker.token))
			w.expect(r, 200)
			if !strings.Contains(r.body, `"protocolVersion":"`+version+`"`) {
				t.Errorf("it is told %s", r.body)
			}
			of := header{"Mcp-Protocol-Version", version}
			w.expect(w.call("POST", toolsPath, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, bearer(b.baker.token), of), 202)
			r = w.call("POST", toolsPath, `{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"ask","arguments":{"question":"`+whenOpen+`"}}}`, bearer(b.baker.token), of)
			w.expect(r, 200)
			if !strings.Contains(r.body, "seven in the morning") {
				t.Errorf("it is answered %s", r.body)
			}
		})
	}
	b.Run("the TypeScript SDK searches, fetches and asks", func(t *testing.T) {
		w := b.within(t)
		run := exec.CommandContext(t.Context(), "node", "testdata/sdks/mcp.cjs", w.base+toolsPath, whenOpen)
		run.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(sdks(t), "node_modules"), "TOKEN="+b.newReader())
		var failure strings.Builder
		run.Stderr = &failure
		written, err := run.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, failure.String())
		}
		var got struct {
			Server, Protocol              string
			Tools                         []string
			Found, Document, Answer, Next tried
			Unknown                       struct{ IsError bool }
		}
		w.must(json.Unmarshal(written, &got, json.MatchCaseInsensitiveNames(true)))
		if got.Server != "parley" || len(got.Tools) != 3 || len(got.Found.Results) == 0 || !strings.Contains(got.Document.Text, "seven") || !strings.Contains(got.Answer.Answer, "seven") ||
			got.Next.ConversationID != got.Answer.ConversationID || !got.Unknown.IsError {
			t.Errorf("it got %s", written)
		}
	})
}

// refusedClients are not served.
func (b bakery) refusedClients() {
	token := b.baker.token
	own := header{"Origin", b.base}
	b.Run("who has no token learns where the endpoint is described", func(t *testing.T) {
		w := b.within(t)
		for _, credential := range []header{{"X-Nothing", "1"}, bearer(changed(token, 20))} {
			r := w.call("POST", toolsPath, listTools, credential)
			w.expect(r, 401)
			if got, want := r.Header.Get("Www-Authenticate"), `Bearer resource_metadata="`+w.base+metadataPath+toolsPath+`"`; got != want {
				t.Errorf("it is told %s", got)
			}
		}
		for _, path := range []string{"", toolsPath} {
			r := w.call("GET", metadataPath+path, "")
			w.expect(r, 200)
			var described struct {
				Resource string
				Servers  []string `json:"authorization_servers"`
			}
			w.must(json.Unmarshal([]byte(r.body), &described, json.MatchCaseInsensitiveNames(true)))
			if described.Resource != w.base+path || described.Servers != nil {
				t.Errorf("%s is described as %s", path, r.body)
			}
		}
	})
	b.play(
		scenario{name: "the page of another site may not", path: toolsPath, body: listTools, headers: append(as(token), header{"Origin", "https://evil.example"}), status: 403, code: 2},
		scenario{name: "nor an opaque origin", path: toolsPath, body: listTools, headers: append(as(token), header{"Origin", "null"}), status: 403, code: 2},
		scenario{name: "nor a name that was made to lead here", path: toolsPath, body: listTools, headers: append(as(token), header{"Origin", "http://evil.example"}, header{"Host", "evil.example"}), status: 403, code: 2},
		scenario{name: "a batch is refused", path: toolsPath, body: "[" + listTools + "]", headers: as(token), status: 400, code: 4},
		scenario{name: "a response is refused", path: toolsPath, body: `{"jsonrpc":"2.0","id":1,"result":{}}`, headers: as(token), status: 400, code: 4},
		scenario{name: "a name that stands twice is refused", path: toolsPath, body: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, headers: as(token), status: 400, code: 4},
		scenario{name: "a nest of arrays is refused", path: toolsPath, body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}}`, headers: as(token), status: 400, code: 4},
		scenario{name: "a key that is none is refused, whatever the message", path: toolsPath, body: listTools, headers: append(as(token), header{"Idempotency-Key", "é"}), status: 400, code: 4},
		scenario{name: "a version that there is not is refused", path: toolsPath, body: listTools, headers: append(as(token), header{"Mcp-Protocol-Version", "1999-01-01"}), status: 400, code: 4},
		scenario{name: "a body that is too large is refused", path: toolsPath, body: `{"a":"` + strings.Repeat("x", 2<<20) + `"}`, headers: as(token), status: 413, code: 4},
		scenario{name: "there are no streams to listen to", method: "GET", path: toolsPath, headers: as(token), status: 405, code: 4},
		scenario{name: "there are no sessions to end", method: "DELETE", path: toolsPath, headers: as(token), status: 405, code: 4},
	)
	b.Run("subscriptions are unknown, and nothing waits", func(t *testing.T) {
		w := b.within(t)
		w.expect(w.call("POST", toolsPath, `{"jsonrpc":"2.0","id":1,"method":"subscriptions\/listen"}`, bearer(token)), 404)
	})
	b.Run("the server's own pages may", func(t *testing.T) {
		w := b.within(t)
		w.expect(w.call("POST", toolsPath, listTools, bearer(token), own), 200)
	})
}
