package fetch

import (
	"container/list"
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"parley/fetch/robots"
)

const (
	// rulesAge is how long a robots.txt is believed (RFC 9309, section 2.4).
	rulesAge = 24 * time.Hour
	// failureAge is how long a robots.txt that could not be had is not asked
	// for again.
	failureAge = time.Minute
	// maxRuleBytes bounds the memory of all files together.
	maxRuleBytes = 32 << 20
	// entryBytes is what an entry costs beside its file.
	entryBytes = 512
)

// rulebook remembers the robots.txt of each origin, the newest first. Whoever
// asks while a file is on its way waits for it.
type rulebook struct {
	read func(ctx context.Context, origin *url.URL) (rules *robots.Rules, bytes int, err error)

	mu      sync.Mutex
	entries map[string]*list.Element // of *entry
	order   *list.List
	bytes   int
	limit   int
	flights map[string]chan struct{} // closed when the file is there
}

type entry struct {
	origin string
	rules  *robots.Rules
	err    error
	bytes  int
	until  time.Time
}

func newRulebook(read func(context.Context, *url.URL) (*robots.Rules, int, error)) *rulebook {
	return &rulebook{
		read: read, limit: maxRuleBytes, order: list.New(),
		entries: make(map[string]*list.Element), flights: make(map[string]chan struct{}),
	}
}

// rules returns what the robots.txt of the address's origin says.
func (b *rulebook) rules(ctx context.Context, u *url.URL) (*robots.Rules, error) {
	origin := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	key := origin.String()
	for {
		known, flight, mine := b.look(key)
		if known != nil {
			return known.rules, known.err
		}
		if mine {
			return b.fly(ctx, origin, key, flight)
		}
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, stopped(ctx)
		}
	}
}

// look returns a fresh entry or, without one, the flight that brings it. It is
// the caller's own if nobody else had begun one.
func (b *rulebook) look(key string) (known *entry, flight chan struct{}, mine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if element := b.entries[key]; element != nil {
		if e := element.Value.(*entry); time.Now().Before(e.until) {
			return e, nil, false
		}
	}
	if flight := b.flights[key]; flight != nil {
		return nil, flight, false
	}
	flight = make(chan struct{})
	b.flights[key] = flight
	return nil, flight, true
}

// fly reads the file and remembers it. When it cannot be had just now, older
// rules go on being kept to; without any the failure is remembered, unless it
// only says that this caller went away or had no turn.
func (b *rulebook) fly(ctx context.Context, origin *url.URL, key string, flight chan struct{}) (*robots.Rules, error) {
	rules, bytes, err := b.read(ctx, origin)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.flights, key)
	close(flight)
	if err != nil && (ctx.Err() != nil || errors.Is(err, errNoTurn)) {
		return nil, err
	}
	e := &entry{origin: key, rules: rules, err: err, bytes: bytes + len(key) + entryBytes, until: time.Now().Add(rulesAge)}
	if err != nil {
		e.until = time.Now().Add(failureAge)
		if old := b.entries[key]; old != nil && old.Value.(*entry).err == nil {
			before := old.Value.(*entry)
			e.rules, e.err, e.bytes = before.rules, nil, before.bytes
		}
	}
	b.remember(e)
	return e.rules, e.err
}

func (b *rulebook) remember(e *entry) {
	if old := b.entries[e.origin]; old != nil {
		b.forget(old)
	}
	b.entries[e.origin] = b.order.PushFront(e)
	b.bytes += e.bytes
	for b.bytes > b.limit && b.order.Len() > 1 {
		b.forget(b.order.Back())
	}
}

func (b *rulebook) forget(element *list.Element) {
	e := b.order.Remove(element).(*entry)
	b.bytes -= e.bytes
	delete(b.entries, e.origin)
}
