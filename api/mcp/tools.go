package mcp

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Results is what the tool search returns. Deep-research clients want these names.
type Results struct {
	Results []Result `json:"results"`
}

// Result is a document with the passage that was found in it.
type Result struct {
	ID    string `json:"id" jsonschema:"the document's id, for fetch"`
	Title string `json:"title"`
	URL   string `json:"url" jsonschema:"where a person can read the document"`
	Text  string `json:"text" jsonschema:"the passage that matches best"`
}

// Document is what the tool fetch returns.
type Document struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Text     string   `json:"text" jsonschema:"the document as Markdown or plain text"`
	URL      string   `json:"url" jsonschema:"where a person can read the document"`
	Metadata Metadata `json:"metadata"`
}

// Metadata is what else is known of a document.
type Metadata struct {
	Kind       string `json:"kind"`
	UpdatedAt  string `json:"updated_at"`
	Characters int    `json:"characters" jsonschema:"the length of the whole document"`
	Truncated  bool   `json:"truncated" jsonschema:"whether text is only the beginning"`
}

// Answer is what the tool ask returns.
type Answer struct {
	Answer         string     `json:"answer" jsonschema:"Markdown; markers such as [1] name sources"`
	ConversationID string     `json:"conversation_id" jsonschema:"send it with the next question of the conversation"`
	MessageID      string     `json:"message_id"`
	Outcome        string     `json:"outcome" jsonschema:"answered, or no_answer when the chatbot does not know; other values may follow"`
	Sources        []Citation `json:"sources"`
}

// Citation is a passage that an answer was made from.
type Citation struct {
	Number int    `json:"number" jsonschema:"what markers in the answer call it"`
	Cited  bool   `json:"cited" jsonschema:"whether the answer has its marker"`
	ID     string `json:"id" jsonschema:"the document's id"`
	Title  string `json:"title"`
	URL    string `json:"url" jsonschema:"where a person can read the document"`
}

// text is the answer for clients that read no structured content.
func (a *Answer) text() string {
	var b strings.Builder
	b.WriteString(a.Answer)
	for i, source := range a.Sources {
		if i == 0 {
			b.WriteString("\n\nSources:")
		}
		fmt.Fprintf(&b, "\n[%d] %s: %s", source.Number, source.Title, source.URL)
	}
	fmt.Fprintf(&b, "\n\nconversation_id: %s", a.ConversationID)
	return b.String()
}

// Caller does what the tools are asked, for the program that calls them. Its errors are
// sentences for the model that reads them.
type Caller interface {
	Search(ctx context.Context, query string) (Results, error)
	Fetch(ctx context.Context, documentID string) (Document, error)
	Ask(ctx context.Context, question, conversationID string) (Answer, error)
	// Panicked returns the error of a tool that panicked.
	Panicked(cause error) error
}

// The names of the tools.
const (
	searchTool = "search"
	fetchTool  = "fetch"
	askTool    = "ask"
)

// takes has the arguments of each tool.
var takes = map[string][]string{searchTool: {"query"}, fetchTool: {"id"}, askTool: {"question", "conversation_id"}}

type (
	searchInput struct {
		Query string `json:"query" jsonschema:"what to look for, in plain words"`
	}
	fetchInput struct {
		ID string `json:"id" jsonschema:"the id of a document that search returned"`
	}
	askInput struct {
		Question       string `json:"question" jsonschema:"the question, in plain words and in any language"`
		ConversationID string `json:"conversation_id,omitempty" jsonschema:"the conversation to go on with; leave it out to begin one"`
	}
)

// readOnly are the annotations of a tool that changes nothing of its owner's.
func readOnly(title string, again bool) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: again, DestructiveHint: &no, OpenWorldHint: &no}
}

// addReading adds the tools that show the knowledge.
func addReading(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{
		Name: searchTool, Title: "Search the knowledge", Annotations: readOnly("Search the knowledge", true),
		Description: "Search the documents that this chatbot answers from. Returns up to 10 documents, each with its best passage. Read one in full with fetch.",
	}, tool(func(ctx context.Context, by Caller, in searchInput) (*mcp.CallToolResult, Results, error) {
		results, err := by.Search(ctx, in.Query)
		return nil, results, err
	}))
	mcp.AddTool(s, &mcp.Tool{
		Name: fetchTool, Title: "Read a document", Annotations: readOnly("Read a document", true),
		Description: "Read a document that search returned, by its id. Returns its text, title and address.",
	}, tool(func(ctx context.Context, by Caller, in fetchInput) (*mcp.CallToolResult, Document, error) {
		document, err := by.Fetch(ctx, in.ID)
		return nil, document, err
	}))
}

// addAsking adds the tool that asks the chatbot.
func addAsking(s *mcp.Server) {
	mcp.AddTool(s, &mcp.Tool{
		Name: askTool, Title: "Ask the chatbot", Annotations: readOnly("Ask the chatbot", false),
		Description: "Ask this chatbot a question. It answers from its documents and cites them. Counts as one message of the month.",
	}, tool(func(ctx context.Context, by Caller, in askInput) (*mcp.CallToolResult, Answer, error) {
		answer, err := by.Ask(ctx, in.Question, in.ConversationID)
		if err != nil {
			return nil, answer, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer.text()}}}, answer, nil
	}))
}

// tool is a handler for the SDK, which runs it on a goroutine of its own: a panic there
// would end the process.
func tool[In, Out any](do func(context.Context, Caller, In) (*mcp.CallToolResult, Out, error)) mcp.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (result *mcp.CallToolResult, out Out, err error) {
		by := ctx.Value(callerKey{}).(Caller)
		defer func() {
			if p := recover(); p != nil {
				err = by.Panicked(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
			}
		}()
		return do(ctx, by, in)
	}
}
