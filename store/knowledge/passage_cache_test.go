package knowledge

import (
	"strings"
	"testing"

	"parley/core/retrieval"
)

func TestPassageCacheIsBounded(t *testing.T) {
	c := newPassageCache()
	const each = 64 << 10
	for i := range 2 * passageCacheBytes / each {
		c.put("ws", "cb", retrieval.Passage{ID: int64(i + 1), DocumentID: "doc", Version: 1, Ordinal: i, Text: strings.Repeat("x", each)})
	}
	held := 0
	for _, key := range c.entries.Keys() {
		p, _ := c.entries.Peek(key)
		held += p.size()
	}
	if held != c.bytes || held > passageCacheBytes || held < passageCacheBytes*9/10 {
		t.Errorf("%d bytes are held, %d counted, of %d", held, c.bytes, passageCacheBytes)
	}
	c.put("ws", "cb", retrieval.Passage{ID: 1 << 40, DocumentID: "doc", Version: 2, Text: "short"})
	c.put("ws", "cb", retrieval.Passage{ID: 1 << 40, DocumentID: "doc", Version: 2, Text: "short"})
	if _, ok := c.get("ws", "cb", passageKey{id: 1 << 40}); !ok {
		t.Error("the last one is not remembered")
	}
}
