package knowledge

import (
	"hash/maphash"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// heldMost is of how many documents a process remembers what it last put into its
// index.
const heldMost = 10_000

// heldVersions remembers which version of a document this process put into its index
// last, so that it need not do it again when it hears of its own change. It is safe for
// concurrent use.
type heldVersions struct {
	seed  maphash.Seed
	locks [64]sync.Mutex

	mu    sync.Mutex
	known *simplelru.LRU[string, int]
}

func newHeldVersions() *heldVersions {
	known, _ := simplelru.NewLRU[string, int](heldMost, nil) // fails below one
	return &heldVersions{seed: maphash.MakeSeed(), known: known}
}

// during lets write put a version of a document into the index, or take it away with
// version 0. Two writes of one document come one after the other, so that what is
// remembered is the later one.
func (h *heldVersions) during(documentID string, version int, write func() error) error {
	lock := &h.locks[maphash.String(h.seed, documentID)%uint64(len(h.locks))]
	lock.Lock()
	defer lock.Unlock()
	err := write()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil { // it may have been written nevertheless
		h.known.Remove(documentID)
		return err
	}
	h.known.Add(documentID, version)
	return nil
}

// is reports whether a version is known to be what the index holds.
func (h *heldVersions) is(documentID string, version int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.known.Peek(documentID)
	return ok && known == version
}
