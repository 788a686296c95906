package mcp

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/internal/plain"
)

// The limits of what is found and shown.
const (
	// maxQuery is how long a query may be, in bytes.
	maxQuery = 2_000
	// mostResults is how many documents a search returns.
	mostResults = 10
	// passagesWanted is how many passages are looked for: several can be of one document.
	passagesWanted = 3 * mostResults
	// snippet is how many characters of a passage a result shows.
	snippet = 1_000
	// maxText is how much of a document is shown, in bytes.
	maxText = 200_000
)

var errNoDocument = fault.New(fault.NotFound, "Document not found. Use an id that search returned.")

// Searcher is the port to passages.
type Searcher interface {
	Search(ctx context.Context, scope retrieval.Scope, query retrieval.Query) ([]retrieval.Result, error)
}

// Documents is the port to documents. One that the chatbot does not have is a
// NotFound fault.
type Documents interface {
	Document(ctx context.Context, workspaceID, chatbotID, documentID string) (knowledge.Document, error)
}

// Knowledge is what the tools show of what chatbots answer from.
type Knowledge struct {
	searcher  Searcher
	documents Documents
	baseURL   string
}

// NewKnowledge returns the knowledge over its ports. Documents without an address of
// their own have one in the dashboard, below the base URL.
func NewKnowledge(searcher Searcher, documents Documents, baseURL string) *Knowledge {
	return &Knowledge{searcher, documents, strings.TrimSuffix(baseURL, "/")}
}

// Search returns the documents of a chatbot that have the best passages for a query,
// each with its best passage.
func (k *Knowledge) Search(ctx context.Context, bot *chatbot.Chatbot, query string) (Results, error) {
	query = strings.TrimSpace(query)
	if query == "" || len(query) > maxQuery || !plain.Storable(query) {
		return Results{}, fault.InField("query", "query must be plain text of 1 to %d bytes.", maxQuery)
	}
	found, err := k.searcher.Search(ctx, retrieval.Scope{WorkspaceID: bot.WorkspaceID, ChatbotID: bot.ID}, retrieval.Query{Text: query, Limit: passagesWanted})
	if err != nil {
		return Results{}, err
	}
	results, seen := Results{Results: []Result{}}, map[string]bool{}
	for _, passage := range found {
		if seen[passage.DocumentID] || len(results.Results) == mostResults {
			continue
		}
		seen[passage.DocumentID] = true
		results.Results = append(results.Results, Result{
			ID: passage.DocumentID, Title: passage.Title, URL: k.URL(bot, passage.DocumentID, passage.URL), Text: beginning(passage.Text, snippet),
		})
	}
	return results, nil
}

// Fetch returns a document that a chatbot answers from. Any other, another chatbot's
// too, is NotFound.
func (k *Knowledge) Fetch(ctx context.Context, bot *chatbot.Chatbot, documentID string) (Document, error) {
	if documentID == "" || len(documentID) > maxQuery || !plain.Storable(documentID) {
		return Document{}, errNoDocument
	}
	found, err := k.documents.Document(ctx, bot.WorkspaceID, bot.ID, documentID)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && (found.Live == 0 || found.State == knowledge.Removing):
		return Document{}, errNoDocument
	case err != nil:
		return Document{}, err
	}
	text, cut := found.Content, false
	if len(text) > maxText { // a copy, or all of it would stay in memory
		text, cut = strings.ToValidUTF8(strings.Clone(text[:maxText]), ""), true
	}
	return Document{
		ID: found.ID, Title: found.Title, URL: k.URL(bot, found.ID, found.URL), Text: text,
		Metadata: Metadata{Kind: string(found.Kind), UpdatedAt: found.UpdatedAt.UTC().Format(time.RFC3339), Characters: utf8.RuneCountInString(found.Content), Truncated: cut},
	}, nil
}

// URL is a document's address: its own or, for one that was uploaded, its page in the
// dashboard.
func (k *Knowledge) URL(bot *chatbot.Chatbot, documentID, own string) string {
	if own != "" {
		return own
	}
	return k.baseURL + "/chatbots/" + bot.ID + "/knowledge/" + documentID
}

// beginning is the first characters of a text.
func beginning(text string, characters int) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:characters-1]) + "…"
}
