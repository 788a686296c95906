package api

import (
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley/core/chat"
	"parley/core/chat/format"
	"parley/core/fault"
)

// maxUnread is how much, in bytes, a slow reader may leave unread before the
// model is made to wait.
const maxUnread = 256 << 10

// stream is the body of an answer: the run writes events into it, and the
// connection's own goroutine, which alone writes to the connection, reads
// them. Events that wait together leave together.
type stream struct {
	conn      net.Conn
	times     StreamTimes
	cancel    context.CancelCauseFunc
	stopWatch func()
	valid     func() error

	// wake says that there is something to read, room that there is room to
	// write, and over is closed when the turn must end.
	wake, room chan struct{}
	over       <-chan struct{}
	checking   atomic.Bool

	mu     sync.Mutex
	unread []byte
	ended  bool
	closed bool

	// The fields below belong to the reader.
	timer     *time.Timer
	nextCheck time.Time
	silent    time.Time
	broken    bool
}

// newStream returns the stream of a turn that ends with ctx.
func newStream(ctx context.Context, conn net.Conn, times StreamTimes) *stream {
	return &stream{
		conn: conn, times: times, over: ctx.Done(), wake: make(chan struct{}, 1), room: make(chan struct{}, 1),
		cancel: func(error) {}, stopWatch: func() {}, valid: func() error { return nil },
	}
}

const (
	waitingStart = "data: {\"type\":\"waiting\",\"content\":"
	deltaStart   = "data: {\"type\":\"delta\",\"content\":"
	eventEnd     = "}\n\n"
	streamDone   = "data: [DONE]\n\n"
)

// begin writes the first events.
func (s *stream) begin(turn *chat.Turn) {
	s.append(func(b []byte) []byte {
		b = append(b, "data: {\"type\":\"conversation\",\"conversation_id\":"...)
		b = strconv.AppendInt(b, turn.Conversation.ID, 10)
		b = append(b, eventEnd...)
		return appendEvent(b, waitingStart, waitingMessage(len(turn.Passages)), "")
	})
}

func waitingMessage(passages int) string {
	switch passages {
	case 0:
		return "Nothing in the knowledge matches; answering."
	case 1:
		return "Reading 1 passage of the knowledge."
	}
	return "Reading " + strconv.Itoa(passages) + " passages of the knowledge."
}

// delta writes a piece of the answer. It waits while the reader is behind and
// fails when there is no reader any more, or the turn must end.
func (s *stream) delta(piece string) error {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return errClientGone
		}
		full := len(s.unread) > maxUnread
		if !full {
			s.unread = appendEvent(s.unread, deltaStart, piece, "")
		}
		s.mu.Unlock()
		if !full {
			signal(s.wake)
			return nil
		}
		select {
		case <-s.room:
		case <-s.over:
			return errClientGone // or whatever ended the turn
		}
	}
}

func (s *stream) formatted(text string, f format.Format) {
	s.append(func(b []byte) []byte {
		return appendEvent(b, "data: {\"type\":\"formatted\",\"content\":", text, ",\"format\":\""+string(f)+"\"")
	})
}

// fail writes the error event.
func (s *stream) fail(f failure) {
	s.append(func(b []byte) []byte {
		b = append(b, "data: {\"type\":\"error\",\"error\":"...)
		b = strconv.AppendInt(b, int64(f.code), 10)
		return appendEvent(b, ",\"error_message\":", f.message, "")
	})
}

// end writes the terminal event.
func (s *stream) end() {
	s.mu.Lock()
	s.unread = append(s.unread, streamDone...)
	s.ended = true
	s.mu.Unlock()
	signal(s.wake)
}

func (s *stream) append(write func([]byte) []byte) {
	s.mu.Lock()
	s.unread = write(s.unread)
	s.mu.Unlock()
	signal(s.wake)
}

// Read gives the connection what waits. It keeps a silent stream alive, and
// looks again at the token of a long one. A panic ends the turn, and what the
// turn says at its end is still read.
func (s *stream) Read(p []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil { // it would take the process with it
			err = panicked(r)
			s.cancel(err)
			if !s.broken {
				s.broken = true
				n, err = s.Read(p)
			}
		}
	}()
	return s.read(p)
}

func (s *stream) read(p []byte) (int, error) {
	now := time.Now()
	if s.timer == nil {
		s.timer = time.NewTimer(s.times.Recheck)
		s.nextCheck, s.silent = now.Add(s.times.Recheck), now
	}
	for {
		if !now.Before(s.nextCheck) {
			s.nextCheck = now.Add(s.times.Recheck)
			s.check()
		}
		if s.ready() {
			s.silent = now
			_ = s.conn.SetWriteDeadline(now.Add(s.times.WriteWait))
			return s.take(p)
		}
		if now.Sub(s.silent) >= s.times.KeepAlive {
			s.silent = now
			s.stillWorking()
			continue
		}
		s.timer.Reset(min(s.nextCheck.Sub(now), s.silent.Add(s.times.KeepAlive).Sub(now)))
		select {
		case <-s.wake:
		case <-s.timer.C:
		}
		now = time.Now()
	}
}

// ready reports whether there is something to take: bytes, or the end.
func (s *stream) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.unread) > 0 || s.ended
}

// take moves unread bytes to p.
func (s *stream) take(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unread) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.unread)
	s.unread = s.unread[:copy(s.unread, s.unread[n:])]
	signal(s.room)
	return n, nil
}

// stillWorking writes a waiting event, unless the stream has ended meanwhile.
func (s *stream) stillWorking() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.unread = appendEvent(s.unread, waitingStart, "Still working on the answer.", "")
	}
}

// check cancels the turn of a token that no longer works. A database that
// does not answer is no reason to, and does not hold the stream up.
func (s *stream) check() {
	if !s.checking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.checking.Store(false)
		defer func() {
			if p := recover(); p != nil {
				s.cancel(panicked(p))
			}
		}()
		err := s.valid()
		if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.Forbidden) {
			s.cancel(err)
		}
	}()
}

// Close ends the stream from the connection's side: all is written, or the
// client is gone.
func (s *stream) Close() error {
	s.stopWatch()
	s.cancel(errClientGone)
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	signal(s.room)
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// appendEvent writes start, text as a JSON string, rest and the event's end.
func appendEvent(b []byte, start, text, rest string) []byte {
	b = append(b, start...)
	b, _ = jsontext.AppendQuote(b, text) // fails on invalid UTF-8 only, which a turn never gives
	b = append(b, rest...)
	return append(b, eventEnd...)
}
