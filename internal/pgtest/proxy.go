package pgtest

import (
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy stands between a program and a PostgreSQL server, reads the messages of their
// protocol, and breaks connections where its rules say. It uses real sockets and a real
// server, so what a rule breaks is broken as in a network.
type Proxy struct {
	listener net.Listener
	url      string
	upstream [2]string // network and address

	mu       sync.Mutex
	faults   []*Fault
	sessions map[*session]struct{}
	answers  chan struct{} // closed unless the proxy hangs
	closed   bool
	serving  sync.WaitGroup
	mute     atomic.Bool
}

// Point is a moment on the way of a statement.
type Point int

// The points of a statement. At AfterExecution the server has executed it, and has
// committed it if it is COMMIT or stands outside a transaction; the client has received
// nothing. At AfterRows the client has received the rows, and does not know yet whether
// the statement succeeded.
const (
	BeforeExecution Point = iota
	AfterExecution
	AfterRows
)

// Rule says what happens to some statements. The zero Do cuts the connection.
type Rule struct {
	// SQL is part of the statement's text, in upper or lower case. A prepared
	// statement has the text that it was prepared with.
	SQL string
	// After is part of a statement that the same transaction has executed before. It
	// tells one COMMIT from another.
	After string
	// Elements, unless it is 0, is how many elements the first parameter of the
	// statement has at least. It is an array in a statement that stores many rows.
	Elements int
	At       Point
	// Skip is how many statements pass before the rule applies, and Times how many
	// it then applies to: 0 means one, and a negative number all.
	Skip, Times int
	Do          Action
}

// Fault is a rule of a proxy, with what it has done.
type Fault struct {
	Rule
	seen     int
	applied  atomic.Int32
	reached  chan struct{}
	released chan struct{}
	once     sync.Once
}

// Action is what a rule does.
type Action int

// Cut closes the connection on both sides. Hang forwards nothing more in either direction
// until the rule is released: the client waits.
const (
	Cut Action = iota
	Hang
)

// NewProxy starts a proxy to a database until the test ends.
func NewProxy(t testing.TB, database string) *Proxy {
	t.Helper()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal("the database of the proxy has no postgres:// URL")
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("start a proxy to PostgreSQL: %v", err)
	}
	p := &Proxy{listener: listener, sessions: map[*session]struct{}{}, answers: make(chan struct{})}
	close(p.answers)
	p.upstream[0], p.upstream[1] = pgconn.NetworkAddress(config.Host, config.Port)
	at := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: listener.Addr().String(),
		Path: "/" + config.Database, RawQuery: "sslmode=disable",
	}
	p.url = at.String()
	p.serving.Go(p.serve)
	t.Cleanup(p.close)
	return p
}

// URL is the database's URL through the proxy.
func (p *Proxy) URL() string { return p.url }

// On adds a rule. Rules are asked in the order in which they were added.
func (p *Proxy) On(rule Rule) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &Fault{Rule: rule, reached: make(chan struct{}), released: make(chan struct{})}
	p.faults = append(p.faults, f)
	return f
}

// Mute drops all notifications from now on, as a pooler does that gives each
// transaction another connection.
func (p *Proxy) Mute() { p.mute.Store(true) }

// Off removes all rules and releases what they hold back.
func (p *Proxy) Off() {
	p.mu.Lock()
	faults := p.faults
	p.faults = nil
	p.mu.Unlock()
	for _, f := range faults {
		f.Release()
	}
}

// Reached is closed when the rule applies for the first time.
func (f *Fault) Reached() <-chan struct{} { return f.reached }

// Applied is how many statements the rule has applied to.
func (f *Fault) Applied() int { return int(f.applied.Load()) }

// Release lets what the rule holds back go on, and what it would hold back later pass.
func (f *Fault) Release() { f.once.Do(func() { close(f.released) }) }

// CutAll closes the connections that are open now, as a restart of the server does.
func (p *Proxy) CutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.sessions {
		s.close()
	}
}

// Open is the number of open connections.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sessions)
}

// HangAll plays a server that accepts connections and statements and never answers, until
// the returned function is called. Then it executes what it has received meanwhile,
// although the clients may have left.
func (p *Proxy) HangAll() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answers := make(chan struct{})
	p.answers = answers
	return sync.OnceFunc(func() { close(answers) })
}

// pass waits while the proxy hangs.
func (p *Proxy) pass(s *session) {
	p.mu.Lock()
	answers := p.answers
	p.mu.Unlock()
	select {
	case <-answers:
	case <-s.gone:
	}
}

// match returns the fault that a statement meets.
func (p *Proxy) match(s statement, transaction string) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.ToLower(s.text)
	for _, f := range p.faults {
		if !strings.Contains(text, strings.ToLower(f.SQL)) || !strings.Contains(transaction, strings.ToLower(f.After)) || s.elements < f.Elements {
			continue
		}
		f.seen++
		last := f.Skip + max(1, f.Times)
		if f.seen > f.Skip && (f.Times < 0 || f.seen <= last) {
			return f
		}
	}
	return nil
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.DialTimeout(p.upstream[0], p.upstream[1], 10*time.Second)
		if err != nil {
			_ = client.Close()
			continue
		}
		s := &session{
			proxy: p, client: client, server: server, gone: make(chan struct{}),
			statements: map[string]string{}, portals: map[string]statement{},
		}
		p.mu.Lock()
		if p.closed {
			s.close()
		}
		p.sessions[s] = struct{}{}
		p.mu.Unlock()
		p.serving.Go(s.run)
	}
}

func (p *Proxy) forget(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, s)
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.Off()
	p.CutAll()
	p.serving.Wait()
}
