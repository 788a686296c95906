package account

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"parley/core/fault"
	"parley/internal/netgroup"
)

const (
	// queueBySlot is how many may wait for each password that is hashed at a
	// time. A hash takes about 40 ms of a processor, so that the last one waits
	// for little more than a second.
	queueBySlot = 32
	// queueShare is the part of the queue that one client can fill, and queueSite
	// the part of the /48 around it.
	queueShare = 4
	queueSite  = 2
	// queuePatience bounds the wait of a request that was taken into the queue.
	queuePatience = 2 * time.Second
	// queueRetry is when a request that was turned away should come again.
	queueRetry = 5 * time.Second
)

// queue admits a bounded number at a time. Clients that wait take turns, each of
// which is for the one of them that came first, and one client cannot fill it.
type queue struct {
	slots    int
	most     int
	patience time.Duration

	mu      sync.Mutex
	running int
	// waiting are those that wait, by client; turns are the clients, the next
	// first.
	waiting map[netip.Prefix][]*waiter
	turns   []netip.Prefix
	places  int // of those that wait or run, the operator's apart
	taken   map[netip.Prefix]int
}

// waiter is told that it has a slot by its channel, which is closed.
type waiter struct{ admitted chan struct{} }

func newQueue(slots int) *queue {
	return &queue{
		slots: slots, most: slots * queueBySlot, patience: queuePatience,
		waiting: map[netip.Prefix][]*waiter{}, taken: map[netip.Prefix]int{},
	}
}

// acquire waits for a slot, which the caller releases. It is Unavailable when
// the queue is full, when the client has its share of it, and when the wait
// takes too long. The zero address, which is the operator's, waits as long as
// it takes.
func (q *queue) acquire(ctx context.Context, address netip.Addr) (release func(), err error) {
	if !address.IsValid() {
		return q.wait(ctx, netip.Prefix{}, func() {})
	}
	if !q.enter(address) {
		return nil, busy(nil)
	}
	ctx, cancel := context.WithTimeout(ctx, q.patience)
	defer cancel()
	return q.wait(ctx, netgroup.Of(address), func() { q.leave(address) })
}

func (q *queue) wait(ctx context.Context, client netip.Prefix, leave func()) (release func(), err error) {
	w := q.line(client)
	release = func() { q.next(); leave() }
	select {
	case <-w.admitted:
		if ctx.Err() == nil {
			return release, nil
		}
		release()
	case <-ctx.Done():
		if !q.withdraw(client, w) {
			q.next() // it was admitted meanwhile
		}
		leave()
	}
	return nil, busy(ctx.Err())
}

// line puts a client in line, or admits it if a slot is free.
func (q *queue) line(client netip.Prefix) *waiter {
	w := &waiter{admitted: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running < q.slots {
		q.running++
		close(w.admitted)
		return w
	}
	if len(q.waiting[client]) == 0 {
		q.turns = append(q.turns, client)
	}
	q.waiting[client] = append(q.waiting[client], w)
	return w
}

// next hands a slot that is free to the client whose turn it is.
func (q *queue) next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.turns) == 0 {
		q.running--
		return
	}
	client := q.turns[0]
	q.turns = q.turns[1:]
	w := q.waiting[client][0]
	q.waiting[client] = q.waiting[client][1:]
	if len(q.waiting[client]) > 0 {
		q.turns = append(q.turns, client)
	} else {
		delete(q.waiting, client)
	}
	close(w.admitted)
}

// withdraw takes a waiter out of the line, and reports false if it has left it
// already.
func (q *queue) withdraw(client netip.Prefix, w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting[client], w)
	if at < 0 {
		return false
	}
	q.waiting[client] = slices.Delete(q.waiting[client], at, at+1)
	if len(q.waiting[client]) == 0 {
		delete(q.waiting, client)
		q.turns = slices.DeleteFunc(q.turns, func(c netip.Prefix) bool { return c == client })
	}
	return true
}

// enter takes a place in the queue, if there is one for the client.
func (q *queue) enter(address netip.Addr) bool {
	client, site := netgroup.Of(address), netgroup.Site(address)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.places >= q.most || q.taken[client] >= q.most/queueShare || q.taken[site] >= q.most/queueSite {
		return false
	}
	q.places++
	q.taken[client]++
	if site != client {
		q.taken[site]++
	}
	return true
}

func (q *queue) leave(address netip.Addr) {
	client, site := netgroup.Of(address), netgroup.Site(address)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.places--
	q.give(client)
	if site != client {
		q.give(site)
	}
}

func (q *queue) give(network netip.Prefix) {
	q.taken[network]--
	if q.taken[network] == 0 {
		delete(q.taken, network)
	}
}

func busy(cause error) error {
	return &fault.Error{
		Kind: fault.Unavailable, RetryAfter: queueRetry, Cause: cause,
		Message: "Too many people are signing in just now. Try again in a few seconds.",
	}
}
