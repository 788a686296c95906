// Package knowledge owns what a chatbot knows: documents, their splitting into
// passages, and the search for the passages that answer a question.
//
// It does not own how an index stores or ranks passages (package index), nor
// what is done with the passages it finds (package chat).
package knowledge

import (
	"context"
	"time"
)

// Kind says how a document's content is read.
type Kind string

// The kinds of document.
const (
	Markdown Kind = "markdown"
	Text     Kind = "text"
)

// State says where a document is in its life.
type State string

// The states of a document. Only a ready document is answered from.
const (
	// Pending has been stored, but is not in the index yet.
	Pending State = "pending"
	// Ready is in the index.
	Ready State = "ready"
	// Failed could not be indexed; [Document.Reason] says why.
	Failed State = "failed"
	// Removing is out of every answer, and about to leave the index.
	Removing State = "removing"
)

// Document is one text that a chatbot answers from.
type Document struct {
	ID          string
	WorkspaceID string
	ChatbotID   string
	Title       string
	Kind        Kind
	State       State
	// Reason says why the document is [Failed], for its owner.
	Reason string
	// Content is the text as it was given. Lists leave it empty.
	Content string
	// ContentHash is the SHA-256 of the kind, title and content, in hex.
	ContentHash string
	// Chars is the length of the content in characters.
	Chars int
	// Passages is the number of passages the document was split into.
	Passages  int
	CreatedAt time.Time
}

// Passage is a piece of a document: the unit that is indexed, found and cited.
type Passage struct {
	// ID is unique in the database, above zero.
	ID         int64
	DocumentID string
	// Ordinal is the passage's place in its document, from zero.
	Ordinal int
	// Title is the document's title.
	Title string
	// HeadingPath holds the headings above the passage, outermost first.
	HeadingPath []string
	// Text is Markdown.
	Text string
}

// Scope is what a search or a change of an index is confined to.
type Scope struct {
	WorkspaceID string
	ChatbotID   string
}

// Query asks an index for passages.
type Query struct {
	// Text is the question as the user wrote it. Any text is legal.
	Text string
	// Context holds the user's earlier questions of the same conversation,
	// oldest first. An index may let them carry over terms to the question.
	Context []string
	// Limit is the number of hits wanted, at least 1.
	Limit int
}

// Hit is a passage that an index found.
type Hit struct {
	PassageID  int64
	DocumentID string
	// Score is higher for a better hit. Scores of different queries do not
	// compare.
	Score float64
}

// Index is the port to a retrieval index. It is derived data: everything in it
// can be rebuilt from the database. All methods are confined to their scope
// and safe for concurrent use.
//
// Every adapter passes the suite in index/indextest.
type Index interface {
	// Replace makes passages the only ones of the document, in one step: a
	// search sees the old ones or the new ones, never a mixture. All passages
	// carry documentID. None is the same as Remove.
	Replace(ctx context.Context, scope Scope, documentID string, passages []Passage) error
	// Remove takes the document's passages away. After it returns no search
	// finds them. Removing what is not there is no error.
	Remove(ctx context.Context, scope Scope, documentID string) error
	// Drop takes all that the scope holds away.
	Drop(ctx context.Context, scope Scope) error
	// Search returns the best hits, best first, at most query.Limit of them.
	// No text is an error; a scope that holds nothing has no hits.
	Search(ctx context.Context, scope Scope, query Query) ([]Hit, error)
	// Count returns the number of passages held for the document.
	Count(ctx context.Context, scope Scope, documentID string) (int, error)
	// Check reports whether the index can be used just now.
	Check(ctx context.Context) error
}

// Found is a passage that answers a question, with its score.
type Found struct {
	Passage
	Score float64
}
