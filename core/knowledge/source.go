package knowledge

import (
	"context"
	"time"
)

// SourceKind says what an address stands for.
type SourceKind string

// The kinds of source.
const (
	// Page is one page or file.
	Page SourceKind = "page"
	// Site is a start page with all that its sitemap names or its links reach.
	Site SourceKind = "site"
)

// Schedule says how often a source is read again.
type Schedule string

// The schedules.
const (
	Never  Schedule = "never"
	Daily  Schedule = "daily"
	Weekly Schedule = "weekly"
)

// every is the time between two synchronizations, or zero.
func (s Schedule) every() time.Duration {
	switch s {
	case Daily:
		return 24 * time.Hour
	case Weekly:
		return 7 * 24 * time.Hour
	}
	return 0
}

// SourceState says what a source is doing.
type SourceState string

// The states of a source. Its documents have their own.
const (
	// SourceSyncing is about to look up its pages.
	SourceSyncing SourceState = "syncing"
	// SourceReady has looked them up.
	SourceReady SourceState = "ready"
	// SourceFailed could not be read; [Source.Reason] says why.
	SourceFailed SourceState = "failed"
	// SourceRemoving goes when the last of its documents has gone.
	SourceRemoving SourceState = "removing"
)

// Source is an address that documents come from.
type Source struct {
	// ID is opaque and starts with "src_".
	ID          string
	WorkspaceID string
	ChatbotID   string
	Kind        SourceKind
	// URL is absolute and normalized.
	URL      string
	Rules    Rules
	Schedule Schedule
	State    SourceState
	// Reason is for the owner.
	Reason   string
	Attempts int
	// Begun counts attempts in a row that began and did not end: see [Document.Begun].
	Begun int
	// DueAt is when it will be read next; nil means never.
	DueAt     *time.Time
	SyncedAt  *time.Time
	CreatedAt time.Time
}

// Rules say which pages of a site are read.
type Rules struct {
	// Include and Exclude are beginnings of paths, such as "/docs/". An empty
	// Include admits all.
	Include, Exclude []string
	// MaxDepth is how many links a page may be away from the start, from 0.
	MaxDepth int
	// MaxPages is from 1 to [MaxPages].
	MaxPages int
}

// The limits of a site.
const (
	MaxPages = 10_000
	MaxDepth = 20
)

// DefaultRules returns the rules for a site whose owner sets none.
func DefaultRules() Rules { return Rules{MaxDepth: defaultDepth, MaxPages: defaultPages} }

// SourceStore is the port to the stored sources, and to the documents that they
// have found. A source that is not there is a NotFound fault.
type SourceStore interface {
	CreateSource(ctx context.Context, workspaceID string, source Source) error
	Source(ctx context.Context, workspaceID, chatbotID, sourceID string) (Source, error)
	Sources(ctx context.Context, workspaceID, chatbotID string) ([]Source, error)
	UpdateSource(ctx context.Context, workspaceID string, source Source) error
	// SetSourceBegun sets how many attempts began and did not end, if it is from;
	// else it is NotFound.
	SetSourceBegun(ctx context.Context, workspaceID, sourceID string, from, to int) error
	DeleteSource(ctx context.Context, workspaceID, sourceID string) error
	// SourceDocuments returns a source's documents without contents.
	SourceDocuments(ctx context.Context, workspaceID, sourceID string) ([]Document, error)
	// CreateFound adds those documents of a source whose addresses it lacks,
	// until the source has limit of them or it has added room of them, and
	// returns how many it added.
	CreateFound(ctx context.Context, workspaceID string, source Source, documents []Document, limit, room int) (added int, err error)
	// RefreshFound has all settled documents of a source fetched again.
	RefreshFound(ctx context.Context, workspaceID, sourceID string, now time.Time) error
	// MarkSourceRemoving is MarkRemoving for all documents of a source, with a
	// receipt for each.
	MarkSourceRemoving(ctx context.Context, workspaceID, sourceID string, now time.Time) error
}
