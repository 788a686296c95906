// Package knowledge owns what goes into a chatbot's knowledge: sources and
// documents, their states and versions, and how they are removed.
//
// It does not own how a text is split (package split), how bytes become text
// (extract), how pages are fetched (fetch), which process runs its work and when (jobs),
// nor how passages are found (retrieval).
package knowledge

import (
	"context"
	"io"
	"log/slog"
	"time"

	"parley/core/audit"
	"parley/core/knowledge/embedding"
	"parley/core/retrieval"
	"parley/core/system"
)

// Stores are the ports to the database.
type Stores struct {
	Transactions
	Workspaces
	Plans
	Chatbots
	Sizes
	Audit      audit.Log
	Documents  DocumentStore
	Uploads    UploadStore
	Originals  OriginalStore
	Sources    SourceStore
	Passages   PassageStore
	Removals   RemovalStore
	Undo       UndoStore
	Embeddings EmbeddingStore
	Due        DueStore
	System     system.Access
}

// Ports are what the knowledge of chatbots works with.
type Ports struct {
	Stores    Stores
	Index     retrieval.Index
	Queue     Queue
	Extractor Extractor
	// Splitter may be nil: then documents are split here.
	Splitter Splitter
	Fetcher  Fetcher
	// Embedder is nil when retrieval goes by words alone.
	Embedder retrieval.Embedder
	// Tokens counts the tokens of a text.
	Tokens func(text string) int
	// Subscriber may be nil.
	Subscriber Subscriber
}

// Subscriber hears of a document in the transaction that makes it [Ready] with other text
// than before, or [Failed].
type Subscriber interface {
	DocumentSettled(ctx context.Context, document Document) error
}

// Services are what can be done with the knowledge of chatbots.
type Services struct {
	Documents  *Documents
	Selections *Selections
	Sources    *Sources
	Catalog    *Catalog
	Removals   *Removals
	Worker     *Worker
	Indexer    *Indexer
	Retention  *Retention
}

// New returns the services over their ports.
func New(p Ports, now func() time.Time, random io.Reader, log *slog.Logger) Services {
	db := p.Stores
	workspaces := &workspaces{db.Transactions, db.Workspaces, db.Plans, db.Chatbots, db.Sizes, p.Queue}
	move := mover{db.Documents, db.Transactions, p.Subscriber, now}
	kept := originals{db.Originals}
	removals := &Removals{workspaces, db.Documents, db.Uploads, kept, db.Removals, db.Undo, db.Audit, db.System, p.Index, now, random}
	crawler := &crawler{workspaces, db.Sources, p.Fetcher, now, random, log}
	reader := &reader{move, workspaces, db.Uploads, kept, db.Sources, db.Passages, p.Extractor, p.Fetcher, crawler, removals, splitter{p.Tokens, p.Splitter}}
	indexer := &Indexer{move, workspaces, db.Passages, p.Index, reader, embedding.NewMaker(p.Embedder, db.Embeddings, now), newHeldVersions()}
	worker := &Worker{
		mover: move, workspaces: workspaces, due: db.Due, system: db.System, crawler: crawler, reader: reader, indexer: indexer, removals: removals, log: log,
	}
	documents := &Documents{workspaces, db.Documents, db.Uploads, kept, removals, worker, now, random, log}
	sources := &Sources{workspaces, db.Sources, removals, p.Fetcher, now, random}
	return Services{
		Documents:  documents,
		Selections: &Selections{documents, db.Sources, db.Undo, db.System},
		Sources:    sources,
		Catalog:    &Catalog{documents, sources, crawler, db.Removals},
		Removals:   removals,
		Worker:     worker,
		Indexer:    indexer,
		Retention:  &Retention{db.Uploads, db.Embeddings, db.Removals, db.System, now},
	}
}
