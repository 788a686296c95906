package embedded

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps the states of the scopes searched last, up to a limit in bytes.
type cache struct {
	limit int64

	mu      sync.Mutex
	used    int64
	entries *simplelru.LRU[int64, *entry]
}

// entry is a scope in the cache.
type entry struct {
	scope int64
	// size is what the cache counts for it, guarded by the cache's mutex.
	size  int64
	state atomic.Pointer[state]
	// loading lets one caller at a time read the changes.
	loading sync.Mutex
}

func newCache(limit int64) *cache {
	c := &cache{limit: limit}
	// resize bounds the bytes of the entries, so nothing bounds their number.
	c.entries, _ = simplelru.NewLRU(math.MaxInt, func(_ int64, e *entry) { c.used -= e.size })
	return c
}

// entry returns the entry of a scope, and creates it if there is none.
func (c *cache) entry(scope int64) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries.Get(scope); ok {
		return e
	}
	e := &entry{scope: scope}
	c.entries.Add(scope, e)
	return e
}

// peek returns the entry of a scope that is kept, or nil.
func (c *cache) peek(scope int64) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, _ := c.entries.Peek(scope)
	return e
}

// resize records the size of an entry, and evicts others until all fit.
func (c *cache) resize(e *entry, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, _ := c.entries.Peek(e.scope); kept != e {
		// It was evicted meanwhile, and lives only as long as its search.
		return
	}
	c.used += size - e.size
	e.size = size
	for c.used > c.limit && c.entries.Len() > 1 {
		c.entries.RemoveOldest()
	}
}

// forget drops what is kept of a scope.
func (c *cache) forget(scope int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Remove(scope)
}

// clear drops everything.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Purge()
}
