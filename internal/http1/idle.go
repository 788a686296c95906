package http1

import (
	"slices"
	"sync"
	"time"

	"parley/internal/socket"
)

const (
	// maxIdle bounds the connections that are kept for each address.
	maxIdle = 1024
	// idleTime is how long an unused connection is kept at least. It is closed before
	// twice that time.
	idleTime = 90 * time.Second
)

// idle keeps the connections that carry no request. The zero value is empty.
type idle struct {
	mu    sync.Mutex
	conns map[string][]*conn // the last is the one that was used last
	timer *time.Timer
}

// take returns a connection that its server has not closed, or nil if there is none.
func (i *idle) take(address string) *conn {
	for {
		c := i.last(address)
		if c == nil || socket.IsQuiet(c.Conn) {
			return c
		}
		_ = c.Conn.Close() // It ended, or has what nobody asked for.
	}
}

func (i *idle) last(address string) *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	kept := i.conns[address]
	if len(kept) == 0 {
		return nil
	}
	c := kept[len(kept)-1]
	kept[len(kept)-1] = nil
	i.set(address, kept[:len(kept)-1])
	return c
}

// put keeps a connection whose response has ended.
func (i *idle) put(c *conn) {
	c.reader.Reset(nil)
	readers.Put(c.reader)
	c.reader, c.stop, c.since = nil, nil, time.Now()
	i.mu.Lock()
	defer i.mu.Unlock()
	kept := i.conns[c.address]
	if len(kept) >= maxIdle {
		_ = c.Conn.Close()
		return
	}
	if i.conns == nil {
		i.conns = map[string][]*conn{}
	}
	i.conns[c.address] = append(kept, c)
	if i.timer == nil {
		i.timer = time.AfterFunc(idleTime, i.sweep)
	}
}

// sweep closes what was not used for long.
func (i *idle) sweep() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer = nil
	for address, kept := range i.conns {
		old := 0
		for old < len(kept) && time.Since(kept[old].since) >= idleTime {
			_ = kept[old].Conn.Close()
			old++
		}
		i.set(address, slices.Delete(kept, 0, old))
	}
	if len(i.conns) > 0 {
		i.timer = time.AfterFunc(idleTime, i.sweep)
	}
}

func (i *idle) set(address string, kept []*conn) {
	if len(kept) == 0 {
		delete(i.conns, address)
		return
	}
	i.conns[address] = kept
}

func (i *idle) closeAll() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for address, kept := range i.conns {
		for _, c := range kept {
			_ = c.Conn.Close()
		}
		delete(i.conns, address)
	}
	if i.timer != nil {
		i.timer.Stop()
		i.timer = nil
	}
}
