package load

import (
	"sync"
	"time"
)

const (
	// atOnce is how many streams are opened at the same time.
	atOnce = 16
	// heldPatience bounds the end of all of them, which share the machine.
	heldPatience = 5 * time.Minute
)

// Held are streams that have got their first text and wait for more.
type Held struct {
	// First are the times to the first text of each.
	First   []time.Duration
	clients []*client
}

// Hold opens n streams and returns when each has its first text. The server's
// model must stall then.
func Hold(exchange *Exchange, n int) (*Held, error) {
	held := &Held{First: make([]time.Duration, n), clients: make([]*client, n)}
	err := each(n, atOnce, func(i int) error {
		c, err := dial(exchange)
		if err != nil {
			return err
		}
		held.clients[i] = c
		began := time.Now()
		err = c.start()
		held.First[i] = time.Since(began)
		return err
	})
	if err != nil {
		held.Close()
		return nil, err
	}
	return held, nil
}

// Finish reads all streams to their end and checks that they are whole. The
// server's model must have been released.
func (h *Held) Finish() error {
	return each(len(h.clients), len(h.clients), func(i int) error {
		if err := h.clients[i].conn.SetDeadline(time.Now().Add(heldPatience)); err != nil {
			return err
		}
		return h.clients[i].finish()
	})
}

// Close closes the connections.
func (h *Held) Close() {
	for _, c := range h.clients {
		if c != nil {
			c.close()
		}
	}
}

// each calls do for 0 to n-1, some at the same time, and returns the first
// error.
func each(n, atOnce int, do func(i int) error) error {
	var calls sync.WaitGroup
	var once sync.Once
	var first error
	slots := make(chan struct{}, max(atOnce, 1))
	for i := range n {
		slots <- struct{}{}
		calls.Go(func() {
			defer func() { <-slots }()
			if err := do(i); err != nil {
				once.Do(func() { first = err })
			}
		})
	}
	calls.Wait()
	return first
}
