package harness

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What clients of MCP ask.
const (
	ToolsPath    = "/api/v1/mcp"
	MetadataPath = "/.well-known/oauth-protected-resource"
	WhenOpen     = "When does the bakery open?"
	ListTools    = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

// NewAgent is a client of the Go SDK.
func (w *Instance) NewAgent(token string) *mcp.ClientSession {
	w.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "parley-test", Version: "1"}, nil)
	session, err := client.Connect(w.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.Base + ToolsPath, HTTPClient: &http.Client{Transport: withBearer(token)}, MaxRetries: -1,
	}, nil)
	w.Must(err)
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

// Tried is what a tool returned.
type Tried struct {
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

// UseTool calls a tool, and returns its text, too.
func (w *Instance) UseTool(session *mcp.ClientSession, tool string, arguments map[string]any) (got Tried, text string, failed bool) {
	w.Helper()
	result, err := session.CallTool(w.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	w.Must(err)
	if len(result.Content) != 1 {
		w.Fatalf("%s returns %d contents", tool, len(result.Content))
	}
	text = result.Content[0].(*mcp.TextContent).Text
	if !result.IsError {
		structured, err := json.Marshal(result.StructuredContent)
		w.Must(err)
		w.Must(json.Unmarshal(structured, &got, json.MatchCaseInsensitiveNames(true)))
	}
	return got, text, result.IsError
}
