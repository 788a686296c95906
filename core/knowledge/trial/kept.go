package trial

import (
	"context"
	"sync"

	"parley/core/retrieval"
)

// kept holds the passages of a trial, in the place of a database.
type kept struct {
	mutex sync.RWMutex
	byID  map[int64]retrieval.Passage
	byPos map[retrieval.Position]int64
}

var _ retrieval.Passages = (*kept)(nil)

func newKept() *kept {
	return &kept{byID: map[int64]retrieval.Passage{}, byPos: map[retrieval.Position]int64{}}
}

func (k *kept) add(passages []retrieval.Passage) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, p := range passages {
		k.byID[p.ID] = p
		k.byPos[position(p)] = p.ID
	}
}

func position(p retrieval.Passage) retrieval.Position {
	return retrieval.Position{DocumentID: p.DocumentID, Version: p.Version, Ordinal: p.Ordinal}
}

// LivePassages returns the kept passages with these ids.
func (k *kept) LivePassages(_ context.Context, _, _ string, ids []int64) ([]retrieval.Passage, error) {
	k.mutex.RLock()
	defer k.mutex.RUnlock()
	var found []retrieval.Passage
	for _, id := range ids {
		if p, ok := k.byID[id]; ok {
			found = append(found, p)
		}
	}
	return found, nil
}

// LivePassagesAt returns the passages at those positions that have one.
func (k *kept) LivePassagesAt(_ context.Context, _, _ string, at []retrieval.Position) ([]retrieval.Passage, error) {
	k.mutex.RLock()
	defer k.mutex.RUnlock()
	var found []retrieval.Passage
	for _, place := range at {
		if id, ok := k.byPos[place]; ok {
			found = append(found, k.byID[id])
		}
	}
	return found, nil
}
