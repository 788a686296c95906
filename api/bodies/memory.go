package bodies

import (
	"net/netip"
	"sync"
	"time"

	"parley/core/fault"
)

const (
	// share is the part of the memory that one client may hold: one fourth.
	share = 4
	// openShare is the part for bodies that anyone may send: one eighth, so that
	// strangers leave memory to signed-in users.
	openShare = 8
	// retryAfter is when a refused request may be sent again.
	retryAfter = 5 * time.Second
)

var (
	errTooManyOfClient = &fault.Error{
		Kind: fault.RateLimited, RetryAfter: retryAfter,
		Message: "Your network is sending too many large requests at once. Try again in a few seconds.",
	}
	errTooMany = (&fault.Error{
		Kind: fault.Unavailable, RetryAfter: retryAfter,
		Message: "The server is receiving too many large requests. Try again in a few seconds.",
	}).Named(fault.Overloaded)
)

// memory counts the bytes of bodies or answers in memory.
type memory struct {
	limit, perClient int64
	// ofClient and ofAll refuse more of a client, and more of all.
	ofClient, ofAll error

	mu      sync.Mutex
	held    int64
	clients map[netip.Prefix]int64
}

func newMemory(limit, perClient int64) *memory {
	return &memory{limit: limit, perClient: perClient, ofClient: errTooManyOfClient, ofAll: errTooMany, clients: map[netip.Prefix]int64{}}
}

// reserve counts n more bytes of a client. It is RateLimited or Unavailable if there is no
// memory for them.
func (m *memory) reserve(client netip.Prefix, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.clients[client]+n > m.perClient {
		return m.ofClient
	}
	if m.held+n > m.limit {
		return m.ofAll
	}
	m.held += n
	m.clients[client] += n
	return nil
}

// add counts n more bytes of a client, whether or not there is memory for them.
func (m *memory) add(client netip.Prefix, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held += n
	m.clients[client] += n
}

func (m *memory) release(client netip.Prefix, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held -= n
	if m.clients[client] -= n; m.clients[client] == 0 {
		delete(m.clients, client)
	}
}
