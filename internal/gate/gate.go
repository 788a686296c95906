// Package gate counts running work. Closing a gate refuses new work, and the
// closer can wait until the running work has ended.
package gate

import "sync"

// Gate is open in its zero value. It is safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// Enter reports whether the gate is open. If it is, [Gate.Leave] must follow.
func (g *Gate) Enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.running.Add(1)
	return true
}

// EnterAgain is for work that starts within other work, even after the gate was closed.
// [Gate.Leave] must follow for both.
func (g *Gate) EnterAgain() { g.running.Add(1) }

// Leave ends work that has entered.
func (g *Gate) Leave() { g.running.Done() }

// Closed reports whether the gate was closed.
func (g *Gate) Closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Close closes the gate, and returns when all work that had entered has left.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.running.Wait()
}
