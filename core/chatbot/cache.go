package chatbot

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A principal is believed without asking the database: for listeningFor while changes by
// other processes are heard of, and otherwise for cacheFor, which then bounds how late a
// revocation or a change of plan by another process is seen. Each entry ends up to half
// of that earlier, so that many do not end together.
const (
	cacheFor     = 2 * time.Second
	listeningFor = 5 * time.Minute
	cacheMax     = 20_000
)

// cache holds principals by the hash of their token. Requests only peek at the
// entries, so that they need not wait for one another. The one that is evicted
// is therefore the one that ends first.
type cache struct {
	now func() time.Time

	mu      sync.RWMutex
	entries *simplelru.LRU[string, entry]
	// drops grows with each removal, so that an entry read before one is not
	// put after it.
	drops uint64
	// listening says that changes by other processes are heard of.
	listening bool
}

type entry struct {
	principal *Principal
	until     time.Time
}

func newCache(now func() time.Time) *cache {
	entries, _ := simplelru.NewLRU[string, entry](cacheMax, nil) // fails below one
	return &cache{now: now, entries: entries}
}

func (c *cache) get(hash string) (*Principal, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, ok := c.entries.Peek(hash)
	if !ok || !c.now().Before(e.until) {
		return nil, false
	}
	return e.principal, true
}

func (c *cache) generation() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.drops
}

func (c *cache) put(hash string, principal *Principal, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drops != generation {
		return
	}
	most := cacheFor
	if c.listening {
		most = listeningFor
	}
	c.entries.Add(hash, entry{principal, c.now().Add(most - rand.N(most/2))})
}

func (c *cache) dropChatbot(chatbotID string) {
	c.drop(func(p *Principal) bool { return p.Chatbot.ID == chatbotID })
}

func (c *cache) dropWorkspace(workspaceID string) {
	c.drop(func(p *Principal) bool { return p.Chatbot.WorkspaceID == workspaceID })
}

// listen says whether changes by other processes are heard of from now on. What is known
// was read while they were not, or is believed for too long.
func (c *cache) listen(listening bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listening = listening
	c.drops++
	c.entries.Purge()
}

func (c *cache) drop(which func(*Principal) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for _, hash := range c.entries.Keys() {
		if e, _ := c.entries.Peek(hash); which(e.principal) {
			c.entries.Remove(hash)
		}
	}
}
