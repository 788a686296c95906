package embedded

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// cache keeps the states of the scopes searched last, up to a limit in bytes.
type cache struct {
	limit int64

	mu      sync.Mutex
	used    int64
	entries map[int64]*list.Element
	recent  *list.List // of *entry, the most recent first
}

// entry is a scope in the cache.
type entry struct {
	scope int64
	// size is what the cache counts for it, guarded by the cache's mutex.
	size  int64
	state atomic.Pointer[state]
	// loading lets one at a time read what changed.
	loading sync.Mutex
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, entries: map[int64]*list.Element{}, recent: list.New()}
}

// entry returns the entry of a scope, which is a new one if there was none.
func (c *cache) entry(scope int64) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[scope]; ok {
		c.recent.MoveToFront(element)
		return element.Value.(*entry)
	}
	e := &entry{scope: scope}
	c.entries[scope] = c.recent.PushFront(e)
	return e
}

// peek returns the entry of a scope that is kept, or nil.
func (c *cache) peek(scope int64) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[scope]; ok {
		return element.Value.(*entry)
	}
	return nil
}

// resize notes what an entry holds now, and makes room.
func (c *cache) resize(e *entry, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[e.scope]
	if !ok || element.Value != any(e) {
		// It was evicted meanwhile, and lives as long as its search.
		return
	}
	c.used += size - e.size
	e.size = size
	for c.used > c.limit && c.recent.Len() > 1 {
		c.evict(c.recent.Back())
	}
}

// forget drops what is kept of a scope.
func (c *cache) forget(scope int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[scope]; ok {
		c.evict(element)
	}
}

// clear drops everything.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, element := range c.entries {
		c.evict(element)
	}
}

func (c *cache) evict(element *list.Element) {
	e := c.recent.Remove(element).(*entry)
	delete(c.entries, e.scope)
	c.used -= e.size
}
