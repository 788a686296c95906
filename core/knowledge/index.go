package knowledge

import (
	"context"
	"errors"
	"fmt"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge/embedding"
	"parley/core/retrieval"
)

// PassageStore is the port to the stored passages.
type PassageStore interface {
	AddPassages(ctx context.Context, workspaceID string, document Document, passages []retrieval.Passage) error
	// Passages returns the passages of one version of a document, in order.
	Passages(ctx context.Context, workspaceID, documentID string, version int) ([]retrieval.Passage, error)
	// PassagesHeld returns what an index is to hold of several documents: the passages of
	// the version that [Document.Held] names, in order, by document, without what only
	// people read.
	PassagesHeld(ctx context.Context, workspaceID string, documents []Document) (map[string][]retrieval.Passage, error)
	// DeletePassages deletes the passages of all versions of a document except keep.
	DeletePassages(ctx context.Context, workspaceID, documentID string, keep int) error
}

// Indexer brings the passages of documents into the index.
type Indexer struct {
	mover
	workspaces *workspaces
	passages   PassageStore
	index      retrieval.Index
	reader     *reader
	entries    *embedding.Maker
	held       *heldVersions
}

// put brings the passages of a document into the index, and then
// into answers.
func (s *Indexer) put(ctx context.Context, bot chatbot.Chatbot, d *Document) error {
	if d.ContentHash != contentHash(bot, *d) { // it must be split again
		if err := s.reader.storeContent(ctx, bot, d, *d, nil); err != nil {
			return err
		}
	}
	passages, err := s.passages.Passages(ctx, d.WorkspaceID, d.ID, d.Version)
	if err == nil && len(passages) != d.Passages { // a crash came between
		var cut []retrieval.Passage
		if cut, err = s.reader.splitter.split(ctx, bot, *d); err == nil {
			err = s.addPassages(ctx, *d, cut)
		}
		if err == nil {
			passages, err = s.passages.Passages(ctx, d.WorkspaceID, d.ID, d.Version)
		}
	}
	if err != nil {
		return err
	}
	if err := s.replace(ctx, d, passages); err != nil {
		return err
	}
	next := *d
	next.Live, next.Indexed = d.Version, d.Passages
	err = s.ready(ctx, d, next)
	if errors.Is(err, errTaken) { // it was removed or canceled while it went in
		_, held := s.synchronize(ctx, *d)
		return errors.Join(err, held)
	}
	// The passages of the version before go with the next one: a search may
	// have found them just now, and is about to look them up.
	return err
}

// addPassages stores the passages of a version. It replaces all but the live ones.
func (s *Indexer) addPassages(ctx context.Context, d Document, passages []retrieval.Passage) error {
	if err := s.passages.DeletePassages(ctx, d.WorkspaceID, d.ID, d.Live); err != nil {
		return err
	}
	return addedBy(s.passages.AddPassages(ctx, d.WorkspaceID, d, passages))
}

// replace makes the passages the only ones of the document in the index,
// and has the index count them.
func (s *Indexer) replace(ctx context.Context, d *Document, passages []retrieval.Passage) error {
	scope := retrieval.Scope{WorkspaceID: d.WorkspaceID, ChatbotID: d.ChatbotID}
	entries, err := s.entriesOf(ctx, d, passages)
	if err != nil {
		return err
	}
	put := func() error { return s.index.Replace(ctx, scope, d.ID, entries) }
	if err := s.held.during(d.ID, d.Version, put); err != nil {
		return err
	}
	held, err := s.index.Count(ctx, scope, d.ID)
	if err != nil {
		return err
	}
	if held != len(entries) {
		return fault.Wrap(fault.Upstream, fmt.Errorf("the index holds %d of %d passages", held, len(entries)), "The index of this server has not kept the whole document, and its operator has been told. Parley tries again.").ForOperator()
	}
	return nil
}

// entriesOf makes what the index holds of passages. How many there are so far
// is stored with the document while it is being indexed.
func (s *Indexer) entriesOf(ctx context.Context, d *Document, passages []retrieval.Passage) ([]retrieval.Entry, error) {
	owner := embedding.Owner{WorkspaceID: d.WorkspaceID, DocumentID: d.ID, SourceID: d.SourceID}
	if d.State == Indexing {
		owner.Progress = func(ctx context.Context, embedded int) error {
			if err := s.documents.SetIndexed(ctx, d.WorkspaceID, d.ID, embedded); err != nil {
				return err
			}
			d.Indexed = embedded
			return nil
		}
	}
	return s.entries.Entries(ctx, owner, passages)
}

// Restore makes the index hold the live version of a document, even while a worker works on
// it. A version that went into a replaced index, or that Restore overwrote, is indexed again
// soon, although its adder was to do that.
func (s *Indexer) Restore(ctx context.Context, d Document) error {
	for {
		now, err := s.synchronize(ctx, d)
		if err != nil || now.State != Indexing {
			return err
		}
		due := s.now()
		now.Version, now.ContentHash, now.DueAt, now.UpdatedAt = now.Version+1, "", &due, due
		err = taken(s.workspaces.change(ctx, now.WorkspaceID, []string{IndexWork}, func(ctx context.Context) error {
			return s.documents.UpdateDocument(ctx, now.WorkspaceID, Indexing, now, false)
		}))
		if !errors.Is(err, errTaken) {
			return err
		}
	}
}

// Follow makes this process's index hold what another process has put into its own: the
// held version of a document, or nothing. What this process put there itself is left
// alone. A document that has changed again is followed to where it is now.
func (s *Indexer) Follow(ctx context.Context, d Document, held int) error {
	if held > 0 && s.held.is(d.ID, held) {
		return nil
	}
	_, err := s.synchronize(ctx, d)
	return err
}

// synchronize makes the index hold the version that [Document.Held] names, or nothing, and
// returns the document as it is then.
func (s *Indexer) synchronize(ctx context.Context, d Document) (Document, error) {
	now, err := s.current(ctx, d)
	for err == nil {
		held := now.Held()
		err = s.held.during(d.ID, held, func() error {
			if held > 0 {
				return s.FillCounted(ctx, s.index, now)
			}
			return s.index.Remove(ctx, retrieval.Scope{WorkspaceID: d.WorkspaceID, ChatbotID: d.ChatbotID}, d.ID)
		})
		if err != nil {
			break
		}
		if now, err = s.current(ctx, d); now.Held() == held {
			break
		}
	}
	return now, err
}

// FillCounted is [Indexer.Fill] where a document may have ended the process: it counts the
// attempt before it begins, and gives the document up after too many, for its owner to have it read
// again.
func (s *Indexer) FillCounted(ctx context.Context, into retrieval.Filler, d Document) error {
	if d.Begun >= mostBegun {
		return s.leaveOut(ctx, d)
	}
	err := s.documents.SetBegun(ctx, d.WorkspaceID, d.ID, d.Begun, d.Begun+1)
	if fault.Is(err, fault.NotFound) { // a worker counts it
		return s.Fill(ctx, into, d)
	}
	if err != nil {
		return err
	}
	filled, begun := s.Fill(ctx, into, d), d.Begun
	if filled == nil {
		begun = 0
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countingTime)
	defer cancel()
	err = s.documents.SetBegun(ctx, d.WorkspaceID, d.ID, d.Begun+1, begun)
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return errors.Join(filled, err)
}

// The most that goes into an index in one step.
const (
	documentsTogether = 500
	passagesTogether  = 2_000
)

// FillAll is [Indexer.FillCounted] for several documents of one chatbot, in few steps. It takes
// only documents that are settled and of which no attempt has begun; see [Document.Begun].
func (s *Indexer) FillAll(ctx context.Context, into retrieval.Filler, documents []Document) error {
	for len(documents) > 0 {
		n, passages := 0, 0
		for n < min(len(documents), documentsTogether) && (n == 0 || passages+documents[n].Passages <= passagesTogether) {
			passages += documents[n].Passages
			n++
		}
		if err := s.fillTogether(ctx, into, documents[:n]); err != nil {
			return err
		}
		documents = documents[n:]
	}
	return nil
}

func (s *Indexer) fillTogether(ctx context.Context, into retrieval.Filler, documents []Document) error {
	workspaceID, ids := documents[0].WorkspaceID, make([]string, len(documents))
	for i, d := range documents {
		ids[i] = d.ID
	}
	if err := s.documents.SetBegunOf(ctx, workspaceID, ids, 0, 1); err != nil {
		return err
	}
	err := s.putTogether(ctx, into, documents)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countingTime)
	defer cancel()
	return errors.Join(err, s.documents.SetBegunOf(ctx, workspaceID, ids, 1, 0))
}

func (s *Indexer) putTogether(ctx context.Context, into retrieval.Filler, documents []Document) error {
	workspaceID := documents[0].WorkspaceID
	passages, err := s.passages.PassagesHeld(ctx, workspaceID, documents)
	if err != nil {
		return err
	}
	contents := make([]retrieval.Content, len(documents))
	for i, d := range documents {
		contents[i].DocumentID = d.ID
		if contents[i].Entries, err = s.entriesOf(ctx, &d, passages[d.ID]); err != nil {
			return err
		}
	}
	scope := retrieval.Scope{WorkspaceID: workspaceID, ChatbotID: documents[0].ChatbotID}
	return s.held.duringAll(documents, func() error { return into.Fill(ctx, scope, contents) })
}

// FillAlone is [Indexer.FillCounted] for a document as the database has it now.
func (s *Indexer) FillAlone(ctx context.Context, into retrieval.Filler, d Document) error {
	now, err := s.current(ctx, d)
	if err != nil || now.Held() == 0 {
		return err
	}
	return s.FillCounted(ctx, into, now)
}

// leaveOut fails a document that ended the process when it was put into the index, unless it is
// about to be removed or a worker does so.
func (s *Indexer) leaveOut(ctx context.Context, d Document) error {
	if !d.State.Settled() {
		return nil
	}
	next := d
	next.State, next.Live, next.Reason, next.DueAt, next.UpdatedAt = Failed, 0, errEndsProcess.Message, nil, s.now()
	return unlessTaken(s.update(ctx, d.State, next, true))
}

// Fill puts a document into an index that is being built.
func (s *Indexer) Fill(ctx context.Context, into retrieval.Filler, d Document) error {
	passages, err := s.passages.Passages(ctx, d.WorkspaceID, d.ID, d.Held())
	if err != nil {
		return err
	}
	entries, err := s.entriesOf(ctx, &d, passages)
	if err != nil {
		return err
	}
	return into.Replace(ctx, retrieval.Scope{WorkspaceID: d.WorkspaceID, ChatbotID: d.ChatbotID}, d.ID, entries)
}

// current looks a document up again. One that has gone is Removing.
func (s *Indexer) current(ctx context.Context, d Document) (Document, error) {
	now, err := s.documents.Document(ctx, d.WorkspaceID, d.ChatbotID, d.ID)
	if fault.Is(err, fault.NotFound) {
		return Document{State: Removing}, nil
	}
	return now, err
}

// process takes a document through the steps that it has not taken yet. Each
// step is in the database before the next begins, so that another worker can
// continue from there.
func (s *Worker) process(ctx context.Context, d *Document) error {
	bot, err := s.workspaces.chatbot(ctx, d.WorkspaceID, d.ChatbotID)
	if err != nil {
		return err
	}
	if d.State != Indexing {
		if err := s.reader.read(ctx, bot, d); err != nil || d.State != Indexing {
			return err
		}
	}
	return s.indexer.put(ctx, bot, d)
}
