package knowledge

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
	"parley/core/retrieval"
)

// overlap is how long a transaction may have taken, and how wrong a clock may
// be, before a change made while an index was built is missed.
const overlap = 5 * time.Minute

// Rebuild makes the index anew from the database, while the old one serves,
// and switches in one step. It returns how many documents there are in it.
//
// From the switch on until it has caught up, the new index lacks what changed
// while it was filled. A mark in the database stands for that time: who finds
// one that was left behind catches up; see [Service.Repair].
func (s *Service) Rebuild(ctx context.Context) (int, error) {
	began := s.now()
	mark, err := s.store.BeginRebuild(ctx, began)
	if err != nil {
		return 0, err
	}
	count, filled, err := s.build(ctx)
	switch {
	case err != nil && filled: // it may have been switched to nevertheless
		return 0, err
	case err != nil:
		return 0, errors.Join(err, s.store.EndRebuild(context.WithoutCancel(ctx), mark))
	}
	s.searcher.LookUpVersion(ctx)
	if err := s.catchUp(ctx, began.Add(-overlap)); err != nil {
		return count, err
	}
	return count, s.store.EndRebuild(ctx, mark)
}

// build fills a new index and switches to it. Filled says whether it came as
// far as the switch.
func (s *Service) build(ctx context.Context) (count int, filled bool, err error) {
	err = s.index.Rebuild(ctx, retrieval.IndexVersion(s.embedder), func(ctx context.Context, into retrieval.Filler) error {
		documents, err := s.store.AllDocuments(ctx)
		if err != nil {
			return err
		}
		for _, d := range documents {
			if d.Live == 0 || d.State == Removing {
				continue
			}
			if err := s.fill(ctx, into, d); err != nil {
				return err
			}
			count++
		}
		filled = true
		return nil
	})
	return count, filled, err
}

// fill puts a document into an index that is being built.
func (s *Service) fill(ctx context.Context, into retrieval.Filler, d Document) error {
	passages, err := s.store.Passages(ctx, d.WorkspaceID, d.ID, d.Live)
	if err != nil {
		return err
	}
	entries, err := s.entries(ctx, &d, passages)
	if err != nil {
		return err
	}
	return into.Replace(ctx, retrieval.Scope{WorkspaceID: d.WorkspaceID, ChatbotID: d.ChatbotID}, d.ID, entries)
}

// catchUp makes what changed while an index was built so in the new one.
func (s *Service) catchUp(ctx context.Context, since time.Time) error {
	changed, err := s.store.ChangedDocuments(ctx, since)
	if err != nil {
		return err
	}
	for _, d := range changed {
		if err := s.bring(ctx, d); err != nil {
			return err
		}
	}
	removed, err := s.store.RemovalsSince(ctx, since)
	if err != nil {
		return err
	}
	for _, r := range removed {
		if err := s.index.Remove(ctx, retrieval.Scope{WorkspaceID: r.WorkspaceID, ChatbotID: r.ChatbotID}, r.DocumentID); err != nil {
			return err
		}
	}
	return nil
}

// bring makes the index hold what a document is answered from, whoever works
// on it meanwhile: what went into an index that serves no more, or was
// overwritten here, is indexed again, and soon, though it was left to its adder.
func (s *Service) bring(ctx context.Context, d Document) error {
	for {
		now, err := s.hold(ctx, d)
		if err != nil || now.State != Indexing {
			return err
		}
		due := s.now()
		now.Version, now.ContentHash, now.DueAt, now.UpdatedAt = now.Version+1, "", &due, due
		err = taken(s.inWorkspace(ctx, now.WorkspaceID, []string{IndexWork}, func(ctx context.Context) error {
			return s.store.UpdateDocument(ctx, now.WorkspaceID, Indexing, now, false)
		}))
		if !errors.Is(err, errTaken) {
			return err
		}
	}
}

// hold makes the index hold the version of a document that is answered from,
// or nothing if none is, and returns the document as it is after that.
func (s *Service) hold(ctx context.Context, d Document) (Document, error) {
	now, err := s.current(ctx, d)
	for err == nil {
		held := now.Live
		if held > 0 {
			err = s.fill(ctx, s.index, now)
		} else {
			err = s.index.Remove(ctx, retrieval.Scope{WorkspaceID: d.WorkspaceID, ChatbotID: d.ChatbotID}, d.ID)
		}
		if err != nil {
			break
		}
		if now, err = s.current(ctx, d); now.Live == held {
			break
		}
	}
	return now, err
}

// current looks a document up again. One that has gone is Removing.
func (s *Service) current(ctx context.Context, d Document) (Document, error) {
	now, err := s.store.Document(ctx, d.WorkspaceID, d.ChatbotID, d.ID)
	if fault.Is(err, fault.NotFound) {
		return Document{State: Removing}, nil
	}
	return now, err
}
