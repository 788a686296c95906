package trial

import (
	"context"
	"sync"

	"parley/core/retrieval"
	"parley/text/encode"
)

// encoded encodes a trial's passages when a search first looks at them, in the place of
// a database: most are never looked at.
type encoded struct {
	by       retrieval.Encoder
	mutex    sync.RWMutex
	passages map[int64]retrieval.Passage
	byID     map[int64]encode.Encoding
}

var _ retrieval.Encodings = (*encoded)(nil)

func (e *encoded) add(passages []retrieval.Passage) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, p := range passages {
		e.passages[p.ID] = p
	}
}

// Encodings returns the encodings of the passages, and makes the ones that are missing.
func (e *encoded) Encodings(ctx context.Context, _, _ string, ids []int64) (map[int64]encode.Encoding, error) {
	found := make(map[int64]encode.Encoding, len(ids))
	var missing []retrieval.Passage
	e.mutex.RLock()
	for _, id := range ids {
		if encoding, ok := e.byID[id]; ok {
			found[id] = encoding
		} else {
			p := e.passages[id]
			p.ID = id // also of one that was put into the index by itself
			missing = append(missing, p)
		}
	}
	e.mutex.RUnlock()
	made, err := e.by.Encode(ctx, missing)
	if err != nil {
		return nil, err
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for i, p := range missing {
		found[p.ID], e.byID[p.ID] = made[i], made[i]
	}
	return found, nil
}
