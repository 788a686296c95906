// Package knowledge owns what a chatbot knows: sources and documents, how they
// become passages, and the search for the passages that answer a question.
//
// It does not own how bytes become text (package extract), how pages are
// fetched (fetch), how an index stores or ranks (index), who runs its work and
// when (jobs), nor what is done with the passages it finds (chat).
package knowledge

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"parley/core/knowledge/split"
	"parley/core/retrieval"
)

// Kind says how a document's content is read.
type Kind string

// The kinds of document. The content of all but [Text] is stored as Markdown.
const (
	Markdown Kind = "markdown"
	Text     Kind = "text"
	HTML     Kind = "html"
	PDF      Kind = "pdf"
	DOCX     Kind = "docx"
	PPTX     Kind = "pptx"
	XLSX     Kind = "xlsx"
	CSV      Kind = "csv"
	EPUB     Kind = "epub"
	// Pairs are questions with their answers.
	Pairs Kind = "pairs"
)

// State says where a document is in its life.
type State string

// The states of a document.
const (
	// Pending has been stored, and waits for its turn.
	Pending State = "pending"
	// Fetching is being read from its address.
	Fetching State = "fetching"
	// Extracting is being made Markdown.
	Extracting State = "extracting"
	// Indexing has its passages, which are on their way into the index.
	Indexing State = "indexing"
	// Ready is in the index as it is in the database.
	Ready State = "ready"
	// Failed could not be read or indexed; [Document.Reason] says why. What
	// it was before, if it was ready once, is still answered from.
	Failed State = "failed"
	// Removing is out of every answer, and about to leave the index.
	Removing State = "removing"
)

// Settled reports whether nothing is left to do for a document in this state.
func (s State) Settled() bool { return s == Ready || s == Failed }

// Document is one text that a chatbot answers from.
type Document struct {
	// ID is opaque and starts with "doc_".
	ID          string
	WorkspaceID string
	ChatbotID   string
	// SourceID is the source that it came from, or empty.
	SourceID string
	// URL is where a source found it, or empty.
	URL string
	// Depth is how many links it is away from the start of its source.
	Depth int
	Title string
	Kind  Kind
	State State
	// Reason says why the document is [Failed], or what it waits for, for its
	// owner.
	Reason string
	// Content is Markdown, or text as it was given. Lists leave it empty.
	Content string
	// Places say where parts of the content stood. Lists leave them out.
	Places []split.Place
	// InputHash is the SHA-256 of what was given, in hex: kind, title and
	// text or file. It is empty for what a source found.
	InputHash string
	// ContentHash is the SHA-256 of the kind, title and content, in hex.
	ContentHash string
	// Chars is the length of the content in characters.
	Chars int
	// Passages is the number of passages the document was split into, and
	// Indexed how many of them have been prepared for the index.
	Passages, Indexed int
	// Version counts the contents that the document has had. Live is the one
	// that questions are answered from, or zero.
	Version, Live int
	// Attempts counts failures in a row, and DueAt is when something is to be
	// done next; nil means nothing.
	Attempts int
	DueAt    *time.Time
	// ETag and LastModified are what the fetcher said of the copy that is
	// there (RFC 9110, section 8.8), for its next request.
	ETag, LastModified string
	// FetchedAt is when the address was last read.
	FetchedAt            *time.Time
	UpdatedAt, CreatedAt time.Time
}

// Upload is a file as it was given.
type Upload struct {
	Name, ContentType string
	Body              []byte
}

// Service is the room: documents in, passages out.
type Service struct {
	store     Store
	index     retrieval.Index
	searcher  *retrieval.Searcher
	queue     Queue
	extractor Extractor
	fetcher   Fetcher
	embedder  retrieval.Embedder
	tokens    func(string) int
	now       func() time.Time
	random    io.Reader
	log       *slog.Logger
	busy      busySites
	// resumed is when rebuilds that broke off were last caught up for.
	resuming sync.Mutex
	resumed  time.Time
}

// Ports are what the room works with.
type Ports struct {
	Store     Store
	Index     retrieval.Index
	Searcher  *retrieval.Searcher
	Queue     Queue
	Extractor Extractor
	Fetcher   Fetcher
	// Embedder is nil when retrieval goes by words alone.
	Embedder retrieval.Embedder
	// Tokens counts the tokens of a text.
	Tokens func(text string) int
}

// New returns the room over its ports.
func New(p Ports, now func() time.Time, random io.Reader, log *slog.Logger) *Service {
	return &Service{
		store: p.Store, index: p.Index, searcher: p.Searcher, queue: p.Queue, extractor: p.Extractor, fetcher: p.Fetcher,
		embedder: p.Embedder, tokens: p.Tokens, now: now, random: random, log: log,
	}
}
