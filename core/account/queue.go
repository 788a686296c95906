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
	// queueBySlot is how many requests may wait for each password that is hashed
	// at a time. A hash takes about 40 ms of processor time, so the last one waits
	// little more than a second.
	queueBySlot = 32
	// queueShare is the part of the queue that one client can fill, and queueSite
	// the part for the /48 around it.
	queueShare = 4
	queueSite  = 2
	// queuePatience bounds the wait of a request in the queue.
	queuePatience = 2 * time.Second
	// queueRetry is when a rejected request should try again.
	queueRetry = 5 * time.Second
)

// queue admits a limited number of requests at a time. Waiting clients are served in
// rotation, each with its oldest request, and one client cannot fill the queue.
type queue struct {
	slots    int
	most     int
	patience time.Duration

	mu      sync.Mutex
	running int
	// waiting holds the waiting requests by client; order lists the clients,
	// the next one first.
	waiting map[netip.Prefix][]*waiter
	order   []netip.Prefix
	places  int // taken by those that wait or run, except the operator's
	taken   map[netip.Prefix]int
}

// waiter learns that it has a slot when its channel is closed.
type waiter struct{ admitted chan struct{} }

func newQueue(slots int) *queue {
	return &queue{
		slots: slots, most: slots * queueBySlot, patience: queuePatience,
		waiting: map[netip.Prefix][]*waiter{}, taken: map[netip.Prefix]int{},
	}
}

// acquire waits for a slot, which the caller releases. It is Unavailable if the queue
// is full, the client has used its share, or the wait takes too long. The zero
// address, which is the operator's, waits as long as necessary.
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
	w := q.enqueue(client)
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

// enqueue queues a client, or admits it if a slot is free.
func (q *queue) enqueue(client netip.Prefix) *waiter {
	w := &waiter{admitted: make(chan struct{})}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running < q.slots {
		q.running++
		close(w.admitted)
		return w
	}
	if len(q.waiting[client]) == 0 {
		q.order = append(q.order, client)
	}
	q.waiting[client] = append(q.waiting[client], w)
	return w
}

// next gives a free slot to the next client.
func (q *queue) next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.order) == 0 {
		q.running--
		return
	}
	client := q.order[0]
	q.order = q.order[1:]
	w := q.waiting[client][0]
	q.waiting[client] = q.waiting[client][1:]
	if len(q.waiting[client]) > 0 {
		q.order = append(q.order, client)
	} else {
		delete(q.waiting, client)
	}
	close(w.admitted)
}

// withdraw removes a waiter from the queue, and reports false if it has already left.
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
		q.order = slices.DeleteFunc(q.order, func(c netip.Prefix) bool { return c == client })
	}
	return true
}

// enter takes a place in the queue, if the client may have one.
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
	q.releaseSlot(client)
	if site != client {
		q.releaseSlot(site)
	}
}

func (q *queue) releaseSlot(network netip.Prefix) {
	q.taken[network]--
	if q.taken[network] == 0 {
		delete(q.taken, network)
	}
}

func busy(cause error) error {
	return &fault.Error{
		Kind: fault.Unavailable, RetryAfter: queueRetry, Cause: cause,
		Message: "Too many people are signing in right now. Try again in a few seconds.",
	}
}
