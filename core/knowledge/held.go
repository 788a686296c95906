package knowledge

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// heldMost is of how many documents a process remembers what it last put into its
// index.
const heldMost = 100_000

// heldVersions remembers which version of a document this process put into its index
// last, so that it need not do it again when it hears of its own change. It is safe for
// concurrent use.
type heldVersions struct {
	mu    sync.Mutex
	known *simplelru.LRU[string, int]
	// writing has the documents that are being written.
	writing map[string]*writes
}

// writes are the writes of a document that overlap.
type writes struct {
	now int
	// several says that there were two at a time: nobody knows which came last.
	several bool
}

func newHeldVersions() *heldVersions {
	known, _ := simplelru.NewLRU[string, int](heldMost, nil) // fails below one
	return &heldVersions{known: known, writing: map[string]*writes{}}
}

// during lets write put a version of a document into the index, or take it away with
// version 0. It remembers nothing of a write that fails, because that may have been
// written nevertheless, nor of two writes at the same time.
func (h *heldVersions) during(documentID string, version int, write func() error) (err error) {
	h.begin(documentID)
	written := false
	defer func() { h.end(documentID, version, written) }()
	err = write()
	written = err == nil
	return err
}

// duringAll is during for the held versions of several documents.
func (h *heldVersions) duringAll(documents []Document, write func() error) (err error) {
	for _, d := range documents {
		h.begin(d.ID)
	}
	written := false
	defer func() {
		for _, d := range documents {
			h.end(d.ID, d.Held(), written)
		}
	}()
	err = write()
	written = err == nil
	return err
}

func (h *heldVersions) begin(documentID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known.Remove(documentID)
	w := h.writing[documentID]
	if w == nil {
		w = &writes{}
		h.writing[documentID] = w
	}
	w.now++
	w.several = w.several || w.now > 1
}

func (h *heldVersions) end(documentID string, version int, written bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.writing[documentID]
	if w.now--; w.now == 0 {
		delete(h.writing, documentID)
	}
	if written && !w.several {
		h.known.Add(documentID, version)
	}
}

// is reports whether a version is known to be what the index holds.
func (h *heldVersions) is(documentID string, version int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.known.Peek(documentID)
	return ok && known == version
}
