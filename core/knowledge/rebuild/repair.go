package rebuild

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

// Repair makes the index hold what the database says: one that is new, lost or
// damaged is filled again from the stored passages, chatbot by chatbot, and one of another
// version is rebuilt. It returns how many documents it had to bring back. What a rebuild
// that broke off has left undone it does, too.
//
// Who stops it can begin it again: what it brought back stays.
func (s *Rebuilder) Repair(ctx context.Context) (int, error) {
	s.filling.Lock()
	defer s.filling.Unlock()
	version, err := s.Index.Version(ctx)
	switch {
	case err != nil:
		return 0, err
	case version == "":
		return s.fillLost(ctx)
	case version != s.Version: // which serves meanwhile
		if err := s.look(ctx); err != nil {
			return 0, err
		}
		return s.Rebuild(ctx)
	}
	s.Searcher.LookUpVersion(ctx)
	if err := s.resume(ctx); err != nil {
		return 0, err
	}
	return s.fillMissing(ctx)
}

// fillLost fills an index that is new or was lost. Nothing in it is worth keeping.
func (s *Rebuilder) fillLost(ctx context.Context) (int, error) {
	holdings, err := s.Documents.IndexHoldings(ctx, s.System)
	if err != nil {
		return 0, err
	}
	total, all := 0, map[retrieval.Scope]int{}
	for _, h := range holdings {
		total += h.Documents
		all[h.Scope] = h.Documents
	}
	s.Backlog.Set(total, all)
	if leased, err := s.take(ctx); err != nil || !leased {
		return 0, err
	}
	defer s.release(ctx)
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	return s.fillMissing(ctx)
}

// begin makes an index that has no version an empty one of this version. What was put into
// it before, or is being put, is indexed again.
func (s *Rebuilder) begin(ctx context.Context) error {
	err := s.Index.Rebuild(ctx, s.Version, func(context.Context, retrieval.Filler) error { return nil })
	if err != nil {
		return err
	}
	s.Searcher.LookUpVersion(ctx)
	never := s.now().Add(overlap)
	for d, err := range s.Documents.ChangedDocuments(ctx, s.System, never) { // those that are being indexed
		if err != nil {
			return err
		}
		if err := s.Indexer.Restore(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// Look compares the index with the database, and mends what it lacks. It is cheap while it
// lacks nothing. An index of this process alone loses nothing by itself, but as a whole.
func (s *Rebuilder) Look(ctx context.Context) error {
	s.filling.Lock()
	defer s.filling.Unlock()
	version, err := s.Index.Version(ctx)
	switch {
	case err != nil:
		return err
	case version == "":
		_, err = s.fillLost(ctx)
	case version != s.Version: // which serves until this one is built
		err = s.look(ctx)
	case s.Lease != nil || s.Backlog.Lag().Behind > 0:
		_, err = s.fillMissing(ctx)
	}
	return err
}

// look tells the backlog what the index lacks.
func (s *Rebuilder) look(ctx context.Context) error {
	_, err := s.lacking(ctx)
	return err
}

// lacking returns the chatbots of which the index lacks documents, those asked last first,
// and tells the backlog.
func (s *Rebuilder) lacking(ctx context.Context) ([]retrieval.Scope, error) {
	holdings, err := s.Documents.IndexHoldings(ctx, s.System)
	if err != nil {
		return nil, err
	}
	expected, total := make([]retrieval.Holding, len(holdings)), 0
	for i, h := range holdings {
		expected[i] = h.Holding
		total += h.Documents
	}
	differing, err := s.Index.Lacking(ctx, expected)
	if err != nil {
		return nil, err
	}
	differs := make(map[retrieval.Scope]bool, len(differing))
	for _, scope := range differing {
		differs[scope] = true
	}
	var behind []retrieval.Scope
	missing := map[retrieval.Scope]int{}
	for _, h := range holdings {
		if !differs[h.Scope] && h.Moving == 0 {
			continue
		}
		n, err := s.Missing(ctx, h.Scope)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			behind, missing[h.Scope] = append(behind, h.Scope), n
		}
	}
	s.Backlog.Set(total, missing)
	return behind, nil
}

// Missing counts the documents of a chatbot that the index lacks. It leaves out those that
// change just now.
func (s *Rebuilder) Missing(ctx context.Context, scope retrieval.Scope) (int, error) {
	n := 0
	err := s.eachPage(ctx, scope, func(page []knowledge.Document) error {
		missing, err := s.countMissing(ctx, scope, page)
		n += missing
		return err
	})
	return n, err
}

// errLacks ends [Rebuilder.Lacks].
var errLacks = errors.New("documents are missing")

// Lacks is Missing for a question that waits: it counts no further than the first page of
// documents of which some are missing.
func (s *Rebuilder) Lacks(ctx context.Context, scope retrieval.Scope) (n int, err error) {
	err = s.eachPage(ctx, scope, func(page []knowledge.Document) (err error) {
		if n, err = s.countMissing(ctx, scope, page); n > 0 {
			return errLacks
		}
		return err
	})
	if errors.Is(err, errLacks) {
		err = nil
	}
	return n, err
}

// countMissing counts the documents of a page that the index lacks.
func (s *Rebuilder) countMissing(ctx context.Context, scope retrieval.Scope, page []knowledge.Document) (n int, err error) {
	missing, err := s.missingOf(ctx, scope, page)
	if err != nil || len(missing) == 0 {
		return 0, err
	}
	// The index was asked after the database, so something may have changed in between.
	again, err := s.unchanged(ctx, scope, page)
	if err != nil {
		return 0, err
	}
	for _, d := range missing {
		if again[d.ID] {
			n++
		}
	}
	return n, nil
}

// missingOf returns those documents of a page that the index lacks.
func (s *Rebuilder) missingOf(ctx context.Context, scope retrieval.Scope, page []knowledge.Document) ([]knowledge.Document, error) {
	expected := make(map[string]int, len(page))
	for _, d := range page {
		if d.State != knowledge.Indexing {
			expected[d.ID] = d.Passages
		}
	}
	ids, err := s.Index.Missing(ctx, scope, expected)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Clone(page), func(d knowledge.Document) bool {
		_, found := slices.BinarySearch(ids, d.ID)
		return !found
	}), nil
}

// unchanged returns which documents of a page are in the database as they were read.
func (s *Rebuilder) unchanged(ctx context.Context, scope retrieval.Scope, page []knowledge.Document) (map[string]bool, error) {
	read := make(map[string]knowledge.Document, len(page))
	for _, d := range page {
		read[d.ID] = d
	}
	same, last := map[string]bool{}, page[len(page)-1].ID
	for after := before(page[0].ID); ; {
		now, err := s.Documents.HeldDocuments(ctx, scope.WorkspaceID, scope.ChatbotID, after, pageOfDocuments)
		if err != nil {
			return nil, err
		}
		for _, d := range now {
			was, ok := read[d.ID]
			same[d.ID] = ok && was.State == d.State && was.Version == d.Version && was.Held() == d.Held()
		}
		if _, found := same[last]; found || len(now) < pageOfDocuments {
			return same, nil
		}
		after = now[len(now)-1].ID
	}
}

// before is a text that comes before an ID and after all smaller ones that matter.
func before(id string) string { return id[:len(id)-1] }

// take takes the lease of the index, if it has one.
func (s *Rebuilder) take(ctx context.Context) (bool, error) {
	if s.Lease == nil {
		return true, nil
	}
	return s.Lease.Take(ctx)
}

func (s *Rebuilder) release(ctx context.Context) {
	if s.Lease == nil {
		return
	}
	if err := s.Lease.Release(context.WithoutCancel(ctx)); err != nil {
		s.Log.Warn("could not give back the lease of the index", "error", err)
	}
}

// Watch rebuilds an index that another process has rebuilt for another version, and catches
// up for a process that died on the way.
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
