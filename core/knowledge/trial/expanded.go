package trial

import (
	"context"
	"sync"

	"parley/core/retrieval"
)

// expanded holds the expansions of a trial's passages, in the place of a database.
type expanded struct {
	by    retrieval.Expander
	mutex sync.RWMutex
	byID  map[int64]retrieval.Expansion
}

var _ retrieval.Expansions = (*expanded)(nil)

func (e *expanded) add(ctx context.Context, passages []retrieval.Passage) error {
	expansions, err := e.by.Expand(ctx, passages)
	if err != nil {
		return err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for i, p := range passages {
		e.byID[p.ID] = expansions[i]
	}
	return nil
}

// Expansions returns those of the passages.
func (e *expanded) Expansions(_ context.Context, _, _ string, ids []int64) (map[int64]retrieval.Expansion, error) {
	e.mutex.RLock()
	defer e.mutex.RUnlock()
	found := make(map[int64]retrieval.Expansion, len(ids))
	for _, id := range ids {
		if expansion, ok := e.byID[id]; ok {
			found[id] = expansion
		}
	}
	return found, nil
}
