package isolating

import (
	"context"
	"strings"

	"parley/core/isolation"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/text/lexical"
)

// Documents is the port to a stored document.
type Documents interface {
	Document(ctx context.Context, workspaceID, chatbotID, documentID string) (knowledge.Document, error)
}

// Indexer is the port to what brings a document into an index.
type Indexer interface {
	Fill(ctx context.Context, into retrieval.Filler, d knowledge.Document) error
}

// Index is the installation's own retrieval, beside the server.
type Index struct {
	Index     retrieval.Index
	Searcher  *retrieval.Searcher
	Indexer   Indexer
	Documents Documents
}

var _ isolation.Index = Index{}

// shown is how many passages a search returns.
const shown = 20

// Fill implements [isolation.Index].
func (x Index) Fill(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	document, err := x.Documents.Document(ctx, workspaceID, chatbotID, documentID)
	if err != nil {
		return err
	}
	return x.Indexer.Fill(ctx, x.Index, document)
}

// Drop implements [isolation.Index].
func (x Index) Drop(ctx context.Context, workspaceID, chatbotID string) error {
	return x.Index.Drop(ctx, retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID})
}

// Count implements [isolation.Index].
func (x Index) Count(ctx context.Context, workspaceID, chatbotID, documentID string) (int, error) {
	return x.Index.Count(ctx, retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID}, documentID)
}

// Search implements [isolation.Index].
func (x Index) Search(ctx context.Context, workspaceID, chatbotID, question string) (string, error) {
	found, err := x.Searcher.Search(ctx, retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID}, retrieval.Query{Text: question, Limit: shown})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, result := range found {
		b.WriteString(result.DocumentID + "\n" + result.Title + "\n" + strings.Join(result.HeadingPath, "\n") + "\n" + result.Text + "\n")
	}
	return b.String(), nil
}

// Hits implements [isolation.Index].
func (x Index) Hits(ctx context.Context, workspaceID, chatbotID, question string) ([]string, error) {
	asked := retrieval.IndexQuery{Limit: shown}
	for _, term := range lexical.Question(question, nil) {
		asked.Terms = append(asked.Terms, retrieval.Term(term))
	}
	if len(asked.Terms) == 0 {
		return nil, nil
	}
	hits, err := x.Index.Search(ctx, retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID}, asked)
	if err != nil {
		return nil, err
	}
	var documents []string
	for _, hit := range append(hits.Lexical, hits.Near...) {
		documents = append(documents, hit.DocumentID)
	}
	return documents, nil
}
