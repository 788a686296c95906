package rebuild

import (
	"context"
	"time"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

// Repair makes the index hold what the database says: one that is new, lost,
// damaged or of another version is filled again from the stored passages. It
// returns how many documents it had to bring back. What a rebuild that broke
// off has left undone it does, too.
//
// A new index has no version yet, and is rebuilt like one of another version
// while documents may be added already. That is harmless: what goes into the
// old index meanwhile is caught up with, and only for the moment in between a
// search may not find it.
func (s *Rebuilder) Repair(ctx context.Context) (int, error) {
	version, err := s.Index.Version(ctx)
	if err != nil {
		return 0, err
	}
	if version != s.Version {
		return s.Rebuild(ctx)
	}
	s.Searcher.LookUpVersion(ctx)
	if err := s.resume(ctx); err != nil {
		return 0, err
	}
	repaired := 0
	for d, err := range s.Documents.AllDocuments(ctx, s.System) {
		if err != nil {
			return repaired, err
		}
		if d.Held() == 0 || d.State == knowledge.Indexing {
			continue
		}
		held, err := s.Index.Count(ctx, retrieval.Scope{WorkspaceID: d.WorkspaceID, ChatbotID: d.ChatbotID}, d.ID)
		if err != nil {
			return repaired, err
		}
		if d.Held() != d.Version { // Passages is of one that is not in the index
			live, err := s.Passages.Passages(ctx, d.WorkspaceID, d.ID, d.Held())
			if err != nil {
				return repaired, err
			}
			d.Passages = len(live)
		}
		if held == d.Passages {
			continue
		}
		if err := s.Indexer.Restore(ctx, d); err != nil {
			return repaired, err
		}
		repaired++
	}
	return repaired, nil
}

// Watch repairs an index that is not the one that was left: it was emptied, or
// another process has rebuilt it for another version, or died on the way.
func (s *Rebuilder) Watch(ctx context.Context) error {
	version, err := s.Index.Version(ctx)
	if err != nil {
		return err
	}
	if version != s.Version {
		_, err = s.Repair(ctx)
		return err
	}
	return s.resume(ctx)
}

// marksKept is how long a rebuild may take, and so how long its mark stays
// when nobody ends it: whether its process lives is not known.
const marksKept = 24 * time.Hour

// resume catches up for the rebuilds whose marks stand. One of them may be
// under way still, and switch after this; so its mark stays for a day, and is
// caught up for again whenever it has become twice as old.
func (s *Rebuilder) resume(ctx context.Context) error {
	marks, err := s.Marks.Rebuilds(ctx)
	if err != nil || len(marks) == 0 {
		return err
	}
	s.resuming.Lock()
	defer s.resuming.Unlock()
	now, last := s.now(), marks[len(marks)-1].BeganAt
	if since := s.resumed.Sub(last); since > 0 && now.Sub(last) < 2*since {
		return nil
	}
	if err := s.catchUp(ctx, marks[0].BeganAt.Add(-overlap)); err != nil {
		return err
	}
	s.resumed = now
	for _, mark := range marks {
		if now.Sub(mark.BeganAt) < marksKept {
			continue
		}
		if err := s.Marks.EndRebuild(ctx, mark.ID); err != nil {
			return err
		}
	}
	return nil
}
