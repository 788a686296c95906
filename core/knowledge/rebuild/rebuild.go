// Package rebuild makes the index hold what the database says: it builds a new
// one, repairs one that is lost, damaged or of another version, and brings in what other
// processes change.
package rebuild

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/core/system"
)

// Documents is the port to the documents of all workspaces, without contents. There may be
// millions: they are read a portion at a time, and the reading ends with the first error.
type Documents interface {
	// ChangedDocuments reads those that changed since a time, and all that
	// are being indexed.
	ChangedDocuments(ctx context.Context, access system.Access, since time.Time) iter.Seq2[knowledge.Document, error]
	// IndexHoldings says what the index is to hold of each chatbot that has documents in
	// answers, those asked last first.
	IndexHoldings(ctx context.Context, access system.Access) ([]Holding, error)
	// HeldDocuments returns documents of a chatbot that the index is to hold, by ID after
	// one, at most limit. They have their IDs, versions, states and counts, and the number
	// of passages of the held version.
	HeldDocuments(ctx context.Context, workspaceID, chatbotID, after string, limit int) ([]knowledge.Document, error)
}

// Holding is what the index is to hold of a chatbot. Documents without passages are not
// counted.
type Holding struct {
	retrieval.Holding
	// Moving counts the documents that are being indexed: what the index holds of them may
	// be of their next version.
	Moving int
}

// Chatbots is the port to the scopes of all chatbots, of all workspaces, read as
// [Documents] are.
type Chatbots interface {
	AllChatbots(ctx context.Context, access system.Access) iter.Seq2[retrieval.Scope, error]
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

// Lease is the port to what lets one of the processes that share an index fill it.
type Lease interface {
	// Take takes the lease, or renews it, and reports whether this process has it.
	Take(ctx context.Context) (bool, error)
	// Release gives it back.
	Release(ctx context.Context) error
}

// Ports are what a [Rebuilder] works with.
type Ports struct {
	Documents Documents
	Chatbots  Chatbots
	Removals  Removals
	Marks     Marks
	System    system.Access
	Index     retrieval.Index
	Searcher  *retrieval.Searcher
	Indexer   Indexer
	// Backlog is told what the index lacks.
	Backlog *retrieval.Backlog
	// Lease is nil for an index that no other process fills.
	Lease Lease
	// Version is what the index has to be built for.
	Version string
	Log     *slog.Logger
}

// Indexer is the port to what brings documents into an index: a
// [knowledge.Indexer].
type Indexer interface {
	// FillAll puts settled documents of a chatbot into an index.
	FillAll(ctx context.Context, into retrieval.Filler, documents []knowledge.Document) error
	// FillAlone puts the held version of a document into an index that is being built.
	FillAlone(ctx context.Context, into retrieval.Filler, d knowledge.Document) error
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
	// filling lets one caller at a time fill the index.
	filling sync.Mutex
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
	mark, err := s.Marks.BeginRebuild(ctx, began)
	if err != nil {
		return 0, err
	}
	count, filled, err := s.build(ctx)
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
	if err := s.Marks.EndRebuild(ctx, mark); err != nil {
		return count, err
	}
	return count, s.look(ctx)
}

// build fills a new index and switches to it. Filled says whether it came as
// far as the switch.
func (s *Rebuilder) build(ctx context.Context) (count int, filled bool, err error) {
	err = s.Index.Rebuild(ctx, s.Version, func(ctx context.Context, into retrieval.Filler) error {
		holdings, err := s.Documents.IndexHoldings(ctx, s.System)
		if err != nil {
			return err
		}
		for _, of := range holdings {
			n, err := s.buildChatbot(ctx, into, of.Scope)
			if err != nil {
				return err
			}
			count += n
		}
		filled = true
		return nil
	})
	return count, filled, err
}

// buildChatbot fills a new index with the documents of a chatbot.
func (s *Rebuilder) buildChatbot(ctx context.Context, into retrieval.Filler, scope retrieval.Scope) (int, error) {
	count := 0
	err := s.eachPage(ctx, scope, func(page []knowledge.Document) error {
		together, alone := sorted(page)
		if err := s.Indexer.FillAll(ctx, into, together); err != nil {
			return err
		}
		for _, d := range alone {
			if err := s.Indexer.FillAlone(ctx, into, d); err != nil {
				return err
			}
		}
		count += len(page)
		return nil
	})
	return count, err
}

// pageOfDocuments is how many documents of a chatbot are read at a time.
const pageOfDocuments = 2_000

// eachPage reads the documents of a chatbot that the index is to hold.
func (s *Rebuilder) eachPage(ctx context.Context, scope retrieval.Scope, do func(page []knowledge.Document) error) error {
	for after := ""; ; {
		page, err := s.Documents.HeldDocuments(ctx, scope.WorkspaceID, scope.ChatbotID, after, pageOfDocuments)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := do(page); err != nil {
			return err
		}
		if len(page) < pageOfDocuments {
			return nil
		}
		after = page[len(page)-1].ID
	}
}

// sorted tells the documents that go into an index together from those that need attention:
// they change just now, or a process ended while they went in.
func sorted(page []knowledge.Document) (together, alone []knowledge.Document) {
	for _, d := range page {
		if d.State.Settled() && d.Begun == 0 {
			together = append(together, d)
		} else {
			alone = append(alone, d)
		}
	}
	return together, alone
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
