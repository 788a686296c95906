package knowledge

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/core/retrieval"
)

const (
	// passageCacheBytes bounds the memory of the passages that a process remembers: some
	// 20,000 of the usual size.
	passageCacheBytes = 32 << 20
	// passageOverhead is what an entry takes besides its texts: the passage, its two
	// keys, and their places in the map and in the list.
	passageOverhead = 600
)

// passageCache remembers passages of documents that were answered from, by id and by
// place. A passage of the version that a document is answered from never changes, so
// an entry is right for as long as that version is live, which the caller checks. It is
// safe for concurrent use.
type passageCache struct {
	mu      sync.Mutex
	entries *simplelru.LRU[passageKey, *knownPassage]
	bytes   int
}

// passageKey is an id, or a place.
type passageKey struct {
	id int64
	at retrieval.Position
}

// knownPassage is a passage with whose it is. One without an id says that there is none
// at a place.
type knownPassage struct {
	workspaceID, chatbotID string
	retrieval.Passage
}

func newPassageCache() *passageCache {
	c := &passageCache{}
	c.entries, _ = simplelru.NewLRU(1<<30, func(_ passageKey, p *knownPassage) { c.bytes -= p.size() }) // fails below one
	return c
}

// size is what an entry takes, in bytes. Each passage has two.
func (p *knownPassage) size() int {
	n := passageOverhead + len(p.workspaceID) + len(p.chatbotID) + len(p.DocumentID) + len(p.SourceID) + len(p.URL) + len(p.Title) + len(p.Place) + len(p.ContentHash) + len(p.Text)
	for _, heading := range p.HeadingPath {
		n += len(heading)
	}
	return n / 2
}

// get returns an entry of a chatbot.
func (c *passageCache) get(workspaceID, chatbotID string, key passageKey) (*knownPassage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.entries.Get(key)
	if !ok || p.workspaceID != workspaceID || p.chatbotID != chatbotID {
		return nil, false
	}
	return p, true
}

// put remembers a passage of a live version.
func (c *passageCache) put(workspaceID, chatbotID string, p retrieval.Passage) {
	known := &knownPassage{workspaceID, chatbotID, p}
	c.add(passageKey{id: p.ID}, known)
	c.add(passageKey{at: placeOf(p)}, known)
}

// putNone remembers that a live version has no passage at a place.
func (c *passageCache) putNone(workspaceID, chatbotID string, at retrieval.Position) {
	c.add(passageKey{at: at}, &knownPassage{workspaceID: workspaceID, chatbotID: chatbotID})
}

func (c *passageCache) add(key passageKey, p *knownPassage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Remove(key) // its size counts no more
	c.entries.Add(key, p)
	for c.bytes += p.size(); c.bytes > passageCacheBytes; {
		c.entries.RemoveOldest()
	}
}

func placeOf(p retrieval.Passage) retrieval.Position {
	return retrieval.Position{DocumentID: p.DocumentID, Version: p.Version, Ordinal: p.Ordinal}
}
