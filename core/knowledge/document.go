package knowledge

import (
	"context"
	"time"

	"parley/core/system"
	"parley/text/split"
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
	// Pending is stored, and waits for a worker.
	Pending State = "pending"
	// Fetching is being read from its address.
	Fetching State = "fetching"
	// Extracting is being made Markdown.
	Extracting State = "extracting"
	// Indexing has its passages, which are on their way into the index.
	Indexing State = "indexing"
	// Ready is in the index as it is in the database.
	Ready State = "ready"
	// Failed could not be read or indexed; [Document.Reason] says why. If
	// it was ready once, answers still use the live version.
	Failed State = "failed"
	// Removing is out of every answer, and about to leave the index.
	Removing State = "removing"
)

// Settled reports whether nothing is left to do for a document in this state.
func (s State) Settled() bool { return s == Ready || s == Failed }

// Known reports whether documents can be in such a state.
func (s State) Known() bool {
	switch s {
	case Pending, Fetching, Extracting, Indexing, Ready, Failed, Removing:
		return true
	}
	return false
}

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
	// ExternalID is the name that a program has given it, or empty: no other
	// document of the chatbot has it.
	ExternalID string
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
	// Notes say what of the file or page is not in the content.
	Notes []Note
	// ReaderVersion is the version of the reader that made the content, or zero for a text that
	// needed none and for what was read before versions were recorded.
	ReaderVersion int
	// Original says whether its file is kept as it was uploaded.
	Original OriginalState
	// InputHash is the SHA-256 of the input, in hex: kind, title, text or
	// file, and external ID if it has one. It is empty for what a source found.
	InputHash string
	// ContentHash is the SHA-256 of the kind, title and content, in hex.
	ContentHash string
	// Chars is the length of the content in characters.
	Chars int
	// Passages is the number of passages the document was split into, and
	// Indexed how many of them have been prepared for the index.
	Passages, Indexed int
	// Version counts the contents that the document has had. Live is the one
	// that answers use, or zero.
	Version, Live int
	// Undo is what the removal of a [Removing] document can be undone to, or
	// zero.
	Undo Undo
	// Attempts counts failures in a row, and DueAt is when something is to be
	// done next; nil means nothing.
	Attempts int
	DueAt    *time.Time
	// Begun counts attempts in a row that began and did not end, because the
	// process ended.
	Begun int
	// ETag and LastModified are what the fetcher said of the copy that is
	// there (RFC 9110, section 8.8), for its next request.
	ETag, LastModified string
	// FetchedAt is when the address was last read.
	FetchedAt            *time.Time
	UpdatedAt, CreatedAt time.Time
}

// Held is the version that the index holds: the live one, or the one that is live again
// after an undo of the removal.
func (d *Document) Held() int {
	if d.State == Removing {
		return d.Undo.Live
	}
	return d.Live
}

// Upload is a file as it was given.
type Upload struct {
	Name, ContentType string
	Body              []byte
}

// DocumentStore is the port to the stored documents. A document that is not
// there is a NotFound fault.
type DocumentStore interface {
	CreateDocument(ctx context.Context, workspaceID string, document Document) error
	Document(ctx context.Context, workspaceID, chatbotID, documentID string) (Document, error)
	// Documents leaves contents and places out, oldest first.
	Documents(ctx context.Context, workspaceID, chatbotID string) ([]Document, error)
	// DocumentByInput finds a document that is not being removed.
	DocumentByInput(ctx context.Context, workspaceID, chatbotID, inputHash string) (Document, error)
	// DocumentByExternalID finds a document that is not being removed.
	DocumentByExternalID(ctx context.Context, workspaceID, chatbotID, externalID string) (Document, error)
	// ReleaseExternalID takes an external ID from a document that is being
	// removed, which cannot be brought back any more then.
	ReleaseExternalID(ctx context.Context, workspaceID, chatbotID, externalID string) error
	// UpdateDocument writes all columns that change, if the document is in
	// the state from and has no later version; else it is NotFound. Content
	// and places are written if withContent, which is a version of its own.
	UpdateDocument(ctx context.Context, workspaceID string, from State, document Document, withContent bool) error
	// SetIndexed writes how far the indexing has come.
	SetIndexed(ctx context.Context, workspaceID, documentID string, indexed int) error
	// SetBegun sets how many attempts began and did not end, if it is from; else it
	// is NotFound.
	SetBegun(ctx context.Context, workspaceID, documentID string, from, to int) error
	// SetBegunOf is SetBegun for those of several documents that are from.
	SetBegunOf(ctx context.Context, workspaceID string, documentIDs []string, from, to int) error
	// PostponeRemoval says when a removing document is tried again.
	PostponeRemoval(ctx context.Context, workspaceID, documentID string, attempts int, due time.Time) error
	// MarkReindex has a chatbot's settled documents that have a content split
	// and indexed again.
	MarkReindex(ctx context.Context, workspaceID, chatbotID string, now time.Time) error
	// MarkRemoving is the one way to Removing.
	MarkRemoving(ctx context.Context, workspaceID, documentID string, now time.Time) error
	DeleteDocument(ctx context.Context, workspaceID, documentID string) error
}

// UploadStore is the port to the files of documents.
type UploadStore interface {
	CreateUpload(ctx context.Context, workspaceID, documentID string, upload Upload) error
	Upload(ctx context.Context, workspaceID, documentID string) (Upload, error)
	DeleteUpload(ctx context.Context, workspaceID, documentID string) error
	// UploadSize is the length of a document's file in bytes: zero if there is
	// none, because no file is empty.
	UploadSize(ctx context.Context, workspaceID, documentID string) (int, error)
	// DeleteFailedUploads deletes the files of documents of every workspace that
	// failed before a time.
	DeleteFailedUploads(ctx context.Context, access system.Access, failedBefore time.Time) error
}
