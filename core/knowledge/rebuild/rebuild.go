// Package rebuild makes the index hold what the database says: it builds a new
// one, repairs one that is lost, damaged or of another version, and brings in what other
// processes change.
package rebuild

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/core/system"
)

// Documents is the port to the documents of all workspaces, without contents. There may be
// millions: they are read a portion at a time, and the reading ends with the first error.
type Documents interface {
	AllDocuments(ctx context.Context, access system.Access) iter.Seq2[knowledge.Document, error]
	// ChangedDocuments reads those that changed since a time, and all that
	// are being indexed.
	ChangedDocuments(ctx context.Context, access system.Access, since time.Time) iter.Seq2[knowledge.Document, error]
}

// Chatbots is the port to the scopes of all chatbots, of all workspaces, read as
// [Documents] are.
type Chatbots interface {
	AllChatbots(ctx context.Context, access system.Access) iter.Seq2[retrieval.Scope, error]
}

// Passages is the port to the passages of one version of a document.
type Passages interface {
	Passages(ctx context.Context, workspaceID, documentID string, version int) ([]retrieval.Passage, error)
}

// Removals is the port to the receipts of all workspaces, read as [Documents] are.
type Removals interface {
	RemovalsSince(ctx context.Context, access system.Access, since time.Time) iter.Seq2[knowledge.Removal, error]
}

// Marks is the port to the marks of rebuilds. A rebuild has one from before it
// begins until the new index has caught up. A process that dies in between
// leaves it.
type Marks interface {
	// BeginRebuild writes a mark and returns its ID.
	BeginRebuild(ctx context.Context, at time.Time) (id int, err error)
	// Rebuilds returns all marks, the earliest first.
	Rebuilds(ctx context.Context) ([]Mark, error)
	// EndRebuild deletes a mark. One that is not there is no error.
	EndRebuild(ctx context.Context, id int) error
}

// Mark says that a rebuild began, and has not been seen to end.
type Mark struct {
	ID      int
	BeganAt time.Time
}

// Ports are what a [Rebuilder] works with.
type Ports struct {
	Documents Documents
	Chatbots  Chatbots
	Passages  Passages
	Removals  Removals
	Marks     Marks
	System    system.Access
	Index     retrieval.Index
	Searcher  *retrieval.Searcher
	Indexer   Indexer
	// Version is what the index has to be built for.
	Version string
}

// Indexer is the port to what brings documents into an index: a
// [knowledge.Indexer].
type Indexer interface {
	Fill(ctx context.Context, into retrieval.Filler, d knowledge.Document) error
	// FillCounted is Fill after a process ended while it filled an index.
	FillCounted(ctx context.Context, into retrieval.Filler, d knowledge.Document) error
	Restore(ctx context.Context, d knowledge.Document) error
	Follow(ctx context.Context, d knowledge.Document, held int) error
}

// Rebuilder makes the index hold what the database says.
type Rebuilder struct {
	Ports
	now func() time.Time
	// resumed is when rebuilds that broke off were last caught up for.
	resuming sync.Mutex
	resumed  time.Time
}

// New returns a rebuilder over its ports.
func New(p Ports, now func() time.Time) *Rebuilder { return &Rebuilder{Ports: p, now: now} }

// overlap is how long a transaction may have taken, and how wrong a clock may
// be, before a change made while an index was built is missed.
const overlap = 5 * time.Minute

// Rebuild makes the index anew from the database, while the old one serves,
// and switches in one step. It returns how many documents there are in it.
//
// From the switch on until it has caught up, the new index lacks what changed
// while it was filled. A mark in the database stands for that time: a process that
// finds one that was left behind catches up; see [Rebuilder.Repair].
func (s *Rebuilder) Rebuild(ctx context.Context) (int, error) {
	began := s.now()
	broken, err := s.Marks.Rebuilds(ctx)
	if err != nil {
		return 0, err
	}
	mark, err := s.Marks.BeginRebuild(ctx, began)
	if err != nil {
		return 0, err
	}
	fill := s.Indexer.Fill
	if len(broken) > 0 { // a document may have ended its process
		fill = s.Indexer.FillCounted
	}
	count, filled, err := s.build(ctx, fill)
	switch {
	case err != nil && filled: // it may have been switched to nevertheless
		return 0, err
	case err != nil:
		return 0, errors.Join(err, s.Marks.EndRebuild(context.WithoutCancel(ctx), mark))
	}
	s.Searcher.LookUpVersion(ctx)
	if err := s.catchUp(ctx, began.Add(-overlap)); err != nil {
		return count, err
	}
	return count, s.Marks.EndRebuild(ctx, mark)
}

// fillFunc puts a document into an index.
type fillFunc func(ctx context.Context, into retrieval.Filler, d knowledge.Document) error

// build fills a new index and switches to it. Filled says whether it came as
// far as the switch.
func (s *Rebuilder) build(ctx context.Context, fill fillFunc) (count int, filled bool, err error) {
	err = s.Index.Rebuild(ctx, s.Version, func(ctx context.Context, into retrieval.Filler) error {
		for d, err := range s.Documents.AllDocuments(ctx, s.System) {
			if err != nil {
				return err
			}
			if d.Held() == 0 {
				continue
			}
			if err := fill(ctx, into, d); err != nil {
				return err
			}
			count++
		}
		filled = true
		return nil
	})
	return count, filled, err
}

// catchUp makes what changed while an index was built so in the new one. Chatbots that are
// gone have left no row that tells of them, so the index drops all that is of no chatbot.
func (s *Rebuilder) catchUp(ctx context.Context, since time.Time) error {
	for d, err := range s.Documents.ChangedDocuments(ctx, s.System, since) {
		if err != nil {
			return err
		}
		if err := s.Indexer.Restore(ctx, d); err != nil {
			return err
		}
	}
	for r, err := range s.Removals.RemovalsSince(ctx, s.System, since) { // not all have gone: a removal can be undone for a while
		if err != nil {
			return err
		}
		if err := s.Indexer.Restore(ctx, knowledge.Document{WorkspaceID: r.WorkspaceID, ChatbotID: r.ChatbotID, ID: r.DocumentID}); err != nil {
			return err
		}
	}
	_, err := s.Index.DropOthers(ctx, s.Chatbots.AllChatbots(ctx, s.System))
	return err
}
