package retrieval

import (
	"context"
	"fmt"
	"sync/atomic"
)

// counter counts the passages that were indexed while questions were asked.
type counter struct {
	passages atomic.Int64
	finished atomic.Bool
}

// now is zero of no counter.
func (c *counter) now() int {
	if c == nil {
		return 0
	}
	return int(c.passages.Load())
}

func (c *counter) finish() { c.finished.Store(true) }

// indexOther puts the documents of another chatbot in, one after the other and
// again and again, until the counter is finished.
func (b *bench) indexOther(ctx context.Context, s loaded, counter *counter) error {
	for i := 0; !counter.finished.Load(); i++ {
		n, err := s.add(ctx, otherChatbot, b.others[i%len(b.others)])
		if err != nil {
			return fmt.Errorf("index another chatbot in %s: %w", s.name, err)
		}
		counter.passages.Add(int64(n))
	}
	return nil
}
