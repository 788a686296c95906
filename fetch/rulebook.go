package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"parley/fetch/robots"
)

const (
	// rulesAge is how long a robots.txt is cached (RFC 9309, section 2.4).
	rulesAge = 24 * time.Hour
	// failureAge is how long a failure to read robots.txt is cached.
	failureAge = time.Minute
	// maxRuleBytes bounds the memory of all files together.
	maxRuleBytes = 32 << 20
	// entryBytes is the size of an entry without its file.
	entryBytes = 512
)

// rulebook caches the robots.txt of each origin. Callers who need a file that is
// being read wait for it.
type rulebook struct {
	read  func(ctx context.Context, origin *url.URL) (rules *robots.Rules, bytes int, err error)
	reads singleflight.Group

	mu      sync.Mutex
	entries *simplelru.LRU[string, *entry]
	bytes   int
}

type entry struct {
	rules *robots.Rules
	err   error
	bytes int
	until time.Time
}

func newRulebook(read func(context.Context, *url.URL) (*robots.Rules, int, error)) *rulebook {
	b := &rulebook{read: read}
	// The limit in bytes applies first: no entry is smaller.
	b.entries, _ = simplelru.NewLRU(maxRuleBytes/entryBytes, func(_ string, e *entry) { b.bytes -= e.bytes })
	return b
}

// rules returns the rules in the robots.txt of the address's origin.
func (b *rulebook) rules(ctx context.Context, u *url.URL) (*robots.Rules, error) {
	origin := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	key := origin.String()
	for {
		if known := b.fresh(key); known != nil {
			return known.rules, known.err
		}
		mine := false
		reading := b.reads.DoChan(key, func() (any, error) {
			mine = true
			return b.refresh(ctx, origin, key)
		})
		select {
		case done := <-reading:
			if done.Err == nil {
				known := done.Val.(*entry)
				return known.rules, known.err
			}
			if mine {
				return nil, done.Err
			}
			// Another caller went away or got no slot: this one tries.
		case <-ctx.Done():
			return nil, stopped(ctx)
		}
	}
}

// fresh returns an entry that is still valid, or nil.
func (b *rulebook) fresh(key string) *entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, ok := b.entries.Get(key); ok && time.Now().Before(known.until) {
		return known
	}
	return nil
}

// refresh reads the file and caches it. If the read fails, older rules stay in
// force; without any the failure is cached. If this caller went away or got no
// slot, refresh fails and caches nothing.
func (b *rulebook) refresh(ctx context.Context, origin *url.URL, key string) (known *entry, err error) {
	// Nothing else catches a panic in the goroutine of a singleflight.Group.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("fetch: reading %s panicked: %v", key, p)
		}
	}()
	rules, bytes, err := b.read(ctx, origin)
	if err != nil && (ctx.Err() != nil || errors.Is(err, errNoSlot)) {
		return nil, err
	}
	known = &entry{rules: rules, err: err, bytes: bytes + len(key) + entryBytes, until: time.Now().Add(rulesAge)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		known.until = time.Now().Add(failureAge)
		if before, ok := b.entries.Peek(key); ok && before.err == nil {
			known.rules, known.err, known.bytes = before.rules, nil, before.bytes
		}
	}
	b.remember(key, known)
	return known, nil
}

// remember replaces an entry, and evicts others if there are too many.
func (b *rulebook) remember(key string, e *entry) {
	b.entries.Remove(key) // this subtracts its bytes, which Add would not do
	b.entries.Add(key, e)
	b.bytes += e.bytes
	for b.bytes > maxRuleBytes && b.entries.Len() > 1 {
		b.entries.RemoveOldest()
	}
}
