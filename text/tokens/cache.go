package tokens

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

const (
	// cachedWords times maxCachedWord bounds the memory of a cache to about
	// 2 MiB, whatever is counted.
	cachedWords   = 1 << 15
	maxCachedWord = 32
)

var hashSeed = maphash.MakeSeed()

// wordCache remembers the counts of short words. Each word has one slot, from which
// it evicts the previous word: text made to fill the cache costs others no more
// than counting their words again.
type wordCache struct {
	places [cachedWords]atomic.Pointer[cachedWord]
}

type cachedWord struct {
	word  string
	count int
}

func (c *wordCache) place(word string) *atomic.Pointer[cachedWord] {
	return &c.places[maphash.String(hashSeed, word)%cachedWords]
}

func (c *wordCache) get(word string) (int, bool) {
	found := c.place(word).Load()
	if found == nil || found.word != word {
		return 0, false
	}
	return found.count, true
}

func (c *wordCache) put(word string, count int) {
	c.place(word).Store(&cachedWord{word: strings.Clone(word), count: count})
}
