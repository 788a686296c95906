// Package upstream is the fake model server of the benchmark: it speaks the
// chat-completions format of OpenAI and always gives the same answer, without
// delay, with a write of its own for each token.
//
// It does as little as it can, so that the server before it has the machine.
// It is no double for tests: package llmtest has one that can fail.
package upstream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"parley/bench/http1"
)

// maxBody is the longest request that is read, in bytes.
const maxBody = 4 << 20

// The routes besides OpenAI's own.
const (
	// StallPath makes streams wait after their first token from now on.
	StallPath = "/stall"
	// FlowPath lets new streams flow again. Waiting streams keep waiting.
	FlowPath = "/flow"
	// ReleasePath lets all streams flow.
	ReleasePath = "/release"
	// SpreadPath, with a duration behind it, lets all streams flow, the waiting ones
	// one after the other within that time: answers of models do not all end at the
	// same moment.
	SpreadPath = "/spread/"
	// PacePath makes new streams pause for [Pause] after each token, as a model
	// does. FlowPath and ReleasePath end that.
	PacePath = "/pace"
)

// Pause is the time between two tokens of a paced stream: 50 tokens take 1 s.
const Pause = 20 * time.Millisecond

// gate is what waiting streams wait for.
type gate struct {
	open chan struct{} // Closed on release.
	// spread is set before.
	spread time.Duration
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

// pass waits at the gate, and behind it for any part of its spread.
func (g *gate) pass() {
	<-g.open
	if g.spread > 0 {
		time.Sleep(rand.N(g.spread))
	}
}

// Server is the fake model server. Safe for concurrent use.
type Server struct {
	answer *answer

	mu    sync.Mutex
	gate  *gate
	stall bool
	pause time.Duration // Between the tokens of new streams.
}

// New returns a server whose streams flow.
func New() *Server {
	return &Server{answer: newAnswer(), gate: newGate()}
}

// Serve answers the connections of listener until it is closed.
func (s *Server) Serve(listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		go s.serve(conn)
	}
}

// serve answers a connection's requests, until it ends or sends something
// that is no request.
func (s *Server) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReaderSize(conn, http1.BufferSize)
	var head http1.Head
	var body []byte
	for {
		if err := head.Read(r); err != nil {
			return
		}
		var err error
		if body, err = readBody(r, &head, body[:0]); err != nil {
			return
		}
		if err := s.respond(conn, &head, body); err != nil || head.Close {
			return
		}
	}
}

func readBody(r *bufio.Reader, head *http1.Head, into []byte) ([]byte, error) {
	var body http1.Body
	body.Reset(r, head)
	buffer := bytes.NewBuffer(into)
	_, err := buffer.ReadFrom(io.LimitReader(&body, maxBody))
	return buffer.Bytes(), err
}

func (s *Server) respond(conn net.Conn, head *http1.Head, body []byte) error {
	switch path := head.Path(); {
	case string(path) == "/v1/chat/completions" && asks(body, "stream"):
		return s.stream(conn, asks(body, "include_usage"))
	case string(path) == "/v1/chat/completions":
		return write(conn, s.answer.whole)
	case string(path) == "/v1/models":
		return write(conn, s.answer.models)
	case s.control(string(path)):
		return write(conn, respond(200, "{}"))
	default:
		return write(conn, s.answer.nothing)
	}
}

// asks reports whether a field of the body is true. Quotes within the texts of
// a body are escaped, so that a text cannot look like a field.
func asks(body []byte, field string) bool {
	_, value, ok := bytes.Cut(body, []byte(`"`+field+`":`))
	return ok && bytes.HasPrefix(bytes.TrimLeft(value, " "), []byte("true"))
}

func (s *Server) stream(conn net.Conn, withUsage bool) error {
	gate, pause := s.waitAt()
	for i, token := range s.answer.tokens {
		if i == 1 && gate != nil {
			gate.pass()
		}
		if i > 0 && pause > 0 {
			time.Sleep(pause)
		}
		if err := write(conn, token); err != nil {
			return err
		}
	}
	if withUsage {
		return write(conn, s.answer.endWithUsage)
	}
	return write(conn, s.answer.end)
}

// waitAt returns what a new stream waits for, or nil, and its pause between
// tokens.
func (s *Server) waitAt() (*gate, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stall {
		return nil, s.pause
	}
	return s.gate, s.pause
}

// control reports whether path is one of the routes that steer the server.
func (s *Server) control(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch path {
	case StallPath:
		s.stall = true
	case PacePath:
		s.pause = Pause
	case FlowPath:
		s.stall, s.pause = false, 0
	case ReleasePath:
		s.release(0)
	default:
		spread, err := time.ParseDuration(strings.TrimPrefix(path, SpreadPath))
		if err != nil {
			return false
		}
		s.release(spread)
	}
	return true
}

// release lets all streams flow within a time.
func (s *Server) release(spread time.Duration) {
	s.stall, s.pause = false, 0
	s.gate.spread = spread
	close(s.gate.open)
	s.gate = newGate()
}

func write(conn net.Conn, data []byte) error {
	_, err := conn.Write(data)
	return err
}
