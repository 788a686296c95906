package knowledge

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/knowledge/split"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/tenant"
)

// Extractor makes Markdown of a file. Its failures that an owner can act on
// are faults of kind Invalid or TooLarge.
type Extractor interface {
	Extract(ctx context.Context, file File) (Extracted, error)
}

// File is what an [Extractor] reads.
type File struct {
	// Kind is empty when it is to be found out.
	Kind              Kind
	Name, ContentType string
	// URL is where it came from, for relative links, or empty.
	URL  string
	Body []byte
}

// Extracted is the text of a file.
type Extracted struct {
	Kind Kind
	// Title is the file's own, or empty.
	Title    string
	Markdown string
	// Places are in the order of their offsets in Markdown.
	Places []split.Place
	// Links are the absolute addresses that a page links to, and NoIndex says
	// that the page asks not to be read by machines.
	Links   []string
	NoIndex bool
}

// Fetcher reads addresses of the public network. Faults of kind Upstream and
// Unavailable may pass; others will not. One of kind RateLimited is no attempt:
// the host has as many readers as it may have, or wants to be left alone.
type Fetcher interface {
	// Get reads one address, politely: it waits for its turn at the host.
	Get(ctx context.Context, request Fetch) (Fetched, error)
	// Discover returns the addresses that a site's sitemaps name and the
	// rules admit, at most rules.MaxPages. None means that there are no
	// sitemaps.
	Discover(ctx context.Context, start string, rules Rules) ([]string, error)
	// Admit returns the normalised form of a link if the rules admit it.
	Admit(start, link string, rules Rules) (string, bool)
	// Normalise checks an address that an owner typed and returns its one
	// form, or a fault of kind Invalid.
	Normalise(address string) (string, error)
}

// Fetch is a request for an address.
type Fetch struct {
	URL string
	// ETag and LastModified are of the copy that is there, or empty.
	ETag, LastModified string
}

// Fetched is what was read.
type Fetched struct {
	// URL is the address after redirects.
	URL                string
	ContentType        string
	Body               []byte
	ETag, LastModified string
	// NotModified says that the copy that is there is current.
	NotModified bool
	// Gone says that the address leads to nothing any more.
	Gone bool
}

// Queue is the port to who runs [Service.Work].
type Queue interface {
	// Enqueue sees to it that a kind of work is done for the workspace. It joins
	// the transaction of ctx, which holds the workspace's lock.
	Enqueue(ctx context.Context, workspaceID, work string) error
}

// The kinds of work. Each has workers of its own, so that who waits for a slow
// site keeps no file waiting, and who waits for embeddings neither.
const (
	// FetchWork is about sources, and documents with an address.
	FetchWork = "fetch"
	// ExtractWork is about files and texts until they are split.
	ExtractWork = "extract"
	// IndexWork brings documents into the index, and out of it.
	IndexWork = "index"
)

// AllWork are the kinds of work.
func AllWork() []string { return []string{FetchWork, ExtractWork, IndexWork} }

// DueWork is a kind of work that is due in a workspace.
type DueWork struct{ WorkspaceID, Work string }

// Store is the port to the database. A missing row is a NotFound fault.
type Store interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
	LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
	Chatbot(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error)

	DocumentStore
	SourceStore
	PassageStore
	RemovalStore
	EmbeddingStore
	RebuildStore
	audit.Log

	// WorkspacesDue returns the work that is due in all workspaces.
	WorkspacesDue(ctx context.Context, now time.Time) ([]DueWork, error)
}

// DocumentStore keeps documents.
type DocumentStore interface {
	CreateDocument(ctx context.Context, workspaceID string, document Document) error
	// CreateFound adds those documents of a source whose addresses it lacks,
	// until the source has limit of them or it has added room of them, and
	// returns how many it added.
	CreateFound(ctx context.Context, workspaceID string, source Source, documents []Document, limit, room int) (added int, err error)
	// RefreshFound has all settled documents of a source fetched again.
	RefreshFound(ctx context.Context, workspaceID, sourceID string, now time.Time) error
	CreateUpload(ctx context.Context, workspaceID, documentID string, upload Upload) error
	Upload(ctx context.Context, workspaceID, documentID string) (Upload, error)
	DeleteUpload(ctx context.Context, workspaceID, documentID string) error
	// UploadSize is the length of a document's file in bytes: zero if there is
	// none, because no file is empty.
	UploadSize(ctx context.Context, workspaceID, documentID string) (int, error)
	// DeleteFailedUploads deletes the files of documents of every workspace that
	// failed before a time.
	DeleteFailedUploads(ctx context.Context, failedBefore time.Time) error

	Document(ctx context.Context, workspaceID, chatbotID, documentID string) (Document, error)
	// Documents leaves contents and places out, oldest first.
	Documents(ctx context.Context, workspaceID, chatbotID string) ([]Document, error)
	// DocumentByInput finds a document that is not being removed.
	DocumentByInput(ctx context.Context, workspaceID, chatbotID, inputHash string) (Document, error)
	// DueDocument returns the document that a kind of work goes on with: first
	// what is to be removed, then what was uploaded, then pages. Those of the
	// sources in skip are left out.
	DueDocument(ctx context.Context, workspaceID, work string, now time.Time, skip []string) (Document, error)
	// UpdateDocument writes all columns that change, if the document is in
	// the state from and has no later version; else it is NotFound. Content
	// and places are written if withContent, which is a version of its own.
	UpdateDocument(ctx context.Context, workspaceID string, from State, document Document, withContent bool) error
	// SetIndexed writes how far the indexing has come.
	SetIndexed(ctx context.Context, workspaceID, documentID string, indexed int) error
	// MarkSourceRemoving is MarkRemoving for all documents of a source, with a
	// receipt for each.
	MarkSourceRemoving(ctx context.Context, workspaceID, sourceID string, now time.Time) error
	// PostponeRemoval says when a removing document is tried again.
	PostponeRemoval(ctx context.Context, workspaceID, documentID string, attempts int, due time.Time) error
	// MarkReindex has a chatbot's settled documents that have a content split
	// and indexed again.
	MarkReindex(ctx context.Context, workspaceID, chatbotID string, now time.Time) error
	// MarkRemoving is the one way to Removing.
	MarkRemoving(ctx context.Context, workspaceID, documentID string, now time.Time) error
	DeleteDocument(ctx context.Context, workspaceID, documentID string) error
	// AllDocuments returns the documents of every workspace without contents.
	AllDocuments(ctx context.Context) ([]Document, error)
	// ChangedDocuments returns those that changed since a time, and all that
	// are being indexed.
	ChangedDocuments(ctx context.Context, since time.Time) ([]Document, error)
	// KnowledgeChars is the length of all documents of a workspace.
	KnowledgeChars(ctx context.Context, workspaceID string) (int, error)
	// StoredBytes is the size of a workspace's files and texts, and
	// [DocumentBytes] for each document.
	StoredBytes(ctx context.Context, workspaceID string) (int, error)
}

// SourceStore keeps sources.
type SourceStore interface {
	CreateSource(ctx context.Context, workspaceID string, source Source) error
	Source(ctx context.Context, workspaceID, chatbotID, sourceID string) (Source, error)
	Sources(ctx context.Context, workspaceID, chatbotID string) ([]Source, error)
	DueSource(ctx context.Context, workspaceID string, now time.Time) (Source, error)
	UpdateSource(ctx context.Context, workspaceID string, source Source) error
	DeleteSource(ctx context.Context, workspaceID, sourceID string) error
	// SourceDocuments returns a source's documents without contents.
	SourceDocuments(ctx context.Context, workspaceID, sourceID string) ([]Document, error)
}

// PassageStore keeps passages.
type PassageStore interface {
	AddPassages(ctx context.Context, workspaceID string, document Document, passages []retrieval.Passage) error
	// Passages returns those of one version of a document, in order.
	Passages(ctx context.Context, workspaceID, documentID string, version int) ([]retrieval.Passage, error)
	// DeletePassages deletes those of all versions of a document but one.
	DeletePassages(ctx context.Context, workspaceID, documentID string, keep int) error
}

// RemovalStore keeps receipts.
type RemovalStore interface {
	CreateRemoval(ctx context.Context, workspaceID string, removal Removal) error
	ConfirmRemoval(ctx context.Context, workspaceID, documentID string, at time.Time, answers int, messageIDs []int64) error
	// Removals returns a chatbot's receipts, the latest first, at most limit.
	Removals(ctx context.Context, workspaceID, chatbotID string, limit int) ([]Removal, error)
	// TrimRemovals deletes, in every workspace that has more than limit receipts,
	// the oldest of those that were counted for good.
	TrimRemovals(ctx context.Context, limit int) error
	// RemovalsSince returns those of every workspace.
	RemovalsSince(ctx context.Context, since time.Time) ([]Removal, error)
	// AnswersFrom counts the answers that were given a document, and returns
	// the message IDs of the first.
	AnswersFrom(ctx context.Context, workspaceID, chatbotID, documentID string, limit int) (count int, messageIDs []int64, err error)
	// RemovalsToCount returns receipts of every workspace that were confirmed
	// before a time and whose answers have not been counted for good, the
	// earliest first, at most limit.
	RemovalsToCount(ctx context.Context, confirmedBefore time.Time, limit int) ([]Removal, error)
	// CountRemoval writes the answers of a receipt as counted for good at a
	// time. A receipt that has gone is no error.
	CountRemoval(ctx context.Context, workspaceID, removalID string, answers int, messageIDs []int64, at time.Time) error
}

// RebuildStore keeps a mark of each rebuild of the index from before it begins
// until the new index has caught up. A process that dies in between leaves it.
type RebuildStore interface {
	// BeginRebuild writes a mark and returns its ID.
	BeginRebuild(ctx context.Context, at time.Time) (id int, err error)
	// Rebuilds returns all marks, the earliest first.
	Rebuilds(ctx context.Context) ([]RebuildMark, error)
	// EndRebuild deletes a mark. One that has gone is no error.
	EndRebuild(ctx context.Context, id int) error
}

// RebuildMark says that a rebuild began, and has not been seen to end.
type RebuildMark struct {
	ID      int
	BeganAt time.Time
}

// EmbeddingStore keeps vectors of costly embedders, by the hash of their text.
type EmbeddingStore interface {
	Embeddings(ctx context.Context, workspaceID, model string, hashes []string) (map[string][]float32, error)
	SaveEmbeddings(ctx context.Context, workspaceID, model string, vectors map[string][]float32, now time.Time) error
	// DeleteEmbeddings deletes those of every workspace from before a time.
	DeleteEmbeddings(ctx context.Context, before time.Time) error
	// TrimEmbeddings deletes, in every workspace that has more than floor and
	// more than times as many as it has passages, those that were used longest
	// ago.
	TrimEmbeddings(ctx context.Context, floor, times int) error
}
