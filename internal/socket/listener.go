package socket

import (
	"container/list"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"parley/internal/netgroup"
)

// Limits limit the number of connections. Zero means no limit.
type Limits struct {
	// Connections is how many may be open at once, PerClient how many of one
	// client: an IPv4 address, or the /64 of an IPv6 address.
	Connections, PerClient int
	// Proxy reports whether an address belongs to a proxy. Proxies carry the
	// requests of many clients, so PerClient does not apply to them, and their
	// connections may be silent for ProxyIdle. Nil means that there are none.
	Proxy     func(netip.Addr) bool
	ProxyIdle time.Duration
	Log       *slog.Logger
}

// Refusal is why a connection is refused.
type Refusal int

// Connections that are not refused are Admitted. A refused one gets a single response,
// which says why.
const (
	Admitted Refusal = iota
	TooManyOfClient
	TooMany
)

// surplus is how many refused connections get a response at a time. The listener closes
// others without one.
const surplus = 32

// writeBuffer is how much of an answer the kernel takes from a connection whose client
// does not read, in bytes.
const writeBuffer = 128 << 10

// Pauses after a failed accept, during which other connections may end.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// Listener accepts connections within limits. When a limit is reached, it closes
// the connection that has been silent longest, but never one with a request in
// progress. A connection with an incomplete header section counts as silent.
type Listener struct {
	net.Listener
	limits Limits
	closed chan struct{}
	close  sync.Once

	mu sync.Mutex
	// all lists every admitted connection, with silent ones in the order in which
	// they fell silent.
	all     list.List
	clients map[netip.Prefix]*list.List
	refused int
}

// place is a connection's place in the lists of its listener. The listener's mutex guards
// it.
type place struct {
	client       netip.Prefix
	in, inClient *list.Element
}

// Listen adds limits to a listener.
func Listen(l net.Listener, limits Limits) *Listener {
	if limits.Log == nil {
		limits.Log = slog.New(slog.DiscardHandler)
	}
	return &Listener{Listener: l, limits: limits, closed: make(chan struct{}), clients: map[netip.Prefix]*list.List{}}
}

// Accept returns the next connection that is admitted, or refused with a response. It
// fails only when the listener is closed: other failures, such as too many open files,
// are temporary.
func (l *Listener) Accept() (net.Conn, error) {
	var pause time.Duration
	for {
		accepted, err := l.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		if err != nil {
			if pause == 0 {
				l.limits.Log.Error("cannot accept connections; trying again", "error", err)
			}
			pause = min(max(2*pause, firstPause), lastPause)
			l.evict()
			l.wait(pause)
			continue
		}
		pause = 0
		tcp, ok := accepted.(*net.TCPConn)
		if !ok {
			return accepted, nil
		}
		_ = tcp.SetWriteBuffer(writeBuffer) // without it the kernel may take megabytes
		if conn := l.admit(tcp); conn != nil {
			return conn, nil
		}
		_ = tcp.Close()
	}
}

// Close ends Accept.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

func (l *Listener) wait(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.closed:
	}
}

// admit returns the connection, or nil if it cannot even get a response.
func (l *Listener) admit(tcp *net.TCPConn) *Conn {
	c := &Conn{TCPConn: tcp, listener: l}
	c.place.client = l.clientOf(tcp)
	l.mu.Lock()
	defer l.mu.Unlock()
	c.refusal = l.refusalOf(c.place.client)
	if c.refusal != Admitted {
		if l.refused == surplus {
			return nil
		}
		l.refused++
		return c
	}
	c.place.in = l.all.PushBack(c)
	if c.place.client.IsValid() {
		own := l.clients[c.place.client]
		if own == nil {
			own = list.New()
			l.clients[c.place.client] = own
		}
		c.place.inClient = own.PushBack(c)
	}
	return c
}

// refusalOf closes a silent connection if a limit is reached. If that is not enough, it
// returns why the new one is refused.
func (l *Listener) refusalOf(client netip.Prefix) Refusal {
	own := l.clients[client]
	if full(own, l.limits.PerClient) && !l.closeLongestSilent(own) {
		return TooManyOfClient
	}
	if full(&l.all, l.limits.Connections) && !l.closeLongestSilent(&l.all) {
		return TooMany
	}
	return Admitted
}

func full(conns *list.List, limit int) bool {
	return conns != nil && limit > 0 && conns.Len() >= limit
}

// clientOf returns the zero Prefix for proxies, to which the limit per client does not apply.
func (l *Listener) clientOf(tcp *net.TCPConn) netip.Prefix {
	remote, ok := tcp.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	address := remote.AddrPort().Addr().Unmap().WithZone("")
	if l.limits.Proxy != nil && l.limits.Proxy(address) {
		return netip.Prefix{}
	}
	return netgroup.Of(address)
}

// evict closes the connection that has been silent longest, if any.
func (l *Listener) evict() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeLongestSilent(&l.all)
}

// looks bounds how many silent connections are checked for one from which nothing has
// arrived.
const looks = 16

// closeLongestSilent reports whether it closed a connection. It spares those whose
// request has arrived but has not been read yet, if it soon finds another. The caller
// holds the mutex.
func (l *Listener) closeLongestSilent(conns *list.List) bool {
	arrived := 0
	for range conns.Len() {
		e := conns.Front()
		c := e.Value.(*Conn)
		if arrived < looks && c.state.Load() == silent && c.hasArrived() {
			arrived++
			conns.MoveToBack(e)
			continue
		}
		if c.state.CompareAndSwap(silent, closed) {
			l.remove(c)
			_ = c.TCPConn.Close()
			return true
		}
		conns.MoveToBack(e) // it is busy, and will fall silent later than all others
	}
	return arrived > 0 && l.closeAnySilent(conns)
}

// closeAnySilent closes a silent connection even if a request has arrived on it.
func (l *Listener) closeAnySilent(conns *list.List) bool {
	for e := conns.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*Conn); c.state.CompareAndSwap(silent, closed) {
			l.remove(c)
			_ = c.TCPConn.Close()
			return true
		}
	}
	return false
}

// silence marks a connection as silent from now on.
func (l *Listener) silence(c *Conn) {
	if !c.state.CompareAndSwap(busy, silent) {
		return
	}
	if l.limits.ProxyIdle > 0 && !c.place.client.IsValid() {
		_ = c.SetReadDeadline(time.Now().Add(l.limits.ProxyIdle))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.place.in == nil {
		return // since it fell silent, the listener has closed it to admit another
	}
	l.all.MoveToBack(c.place.in)
	if c.place.inClient != nil {
		l.clients[c.place.client].MoveToBack(c.place.inClient)
	}
}

// forget removes a closed connection from the lists.
func (l *Listener) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.state.Swap(closed) == closed && c.place.in == nil {
		return
	}
	if c.refusal != Admitted {
		l.refused--
		return
	}
	l.remove(c)
}

func (l *Listener) remove(c *Conn) {
	if c.place.in == nil {
		return
	}
	l.all.Remove(c.place.in)
	inClient := c.place.inClient
	c.place.in, c.place.inClient = nil, nil
	if inClient == nil {
		return
	}
	own := l.clients[c.place.client]
	own.Remove(inClient)
	if own.Len() == 0 {
		delete(l.clients, c.place.client)
	}
}
