package api

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/internal/requestline"
	"parley/internal/trace"
)

// maxUnread is how much, in bytes, a slow reader may leave unread before the
// model is made to wait.
const maxUnread = 64 << 10

// firstSilence is the silence after which a waiting event begins a stream that
// has no event of its own to begin with.
const firstSilence = 50 * time.Millisecond

// stream is the body of an answer: a [writer] writes events into it, and the
// connection's own goroutine, which alone writes to the connection, reads
// them. Events that wait together leave together.
type stream struct {
	reader reader
	times  StreamTimes
	valid  func() error
	// recorded ends what is recorded of the request.
	recorded func()

	// wake says that there is something to read, and room that there is room
	// to write.
	wake, room chan struct{}
	checking   atomic.Bool

	mu     sync.Mutex
	unread []byte
	ended  bool
	closed bool
	// ids says that each event is to have the id of the position at, which is
	// where a reader is who has seen all that was written.
	ids bool
	at  turn.Position
	// answerID is the answer's identifier, where there are ids.
	answerID int64
	// status and code are of the failure that the stream tells of, if it does.
	status int
	code   string

	// resumed says that the stream goes on after another: it has no
	// conversation event. It is set before there is a reader.
	resumed bool
	// alive, unless empty, stands for the waiting events of a silent stream.
	alive string
	// open counts the streams that are open, unless it is nil.
	open *atomic.Int64

	// line is the request's in the log, which the stream ends.
	line *requestline.Line

	// The fields below belong to the reader.
	timer     *time.Timer
	nextCheck time.Time
	silent    time.Time
	broken    bool
	sent      int64
}

// newStream returns the stream of a turn that ends with the reader.
func newStream(reader reader, times StreamTimes) *stream {
	return &stream{
		reader: reader, times: times, wake: make(chan struct{}, 1), room: make(chan struct{}, 1),
		valid:    func() error { return nil },
		recorded: trace.Hold(reader.ctx),
	}
}

// answer makes the stream the answer of a request.
func (s *stream) answer(c *fiber.Ctx) {
	setEvents(c)
	s.line = requestline.Of(c)
	s.line.Hold()
	c.Context().SetBodyStream(s, -1)
}

// openStream returns a stream that counts as open until it is closed.
func (a *API) openStream(reader reader) *stream {
	s := newStream(reader, a.Streams)
	a.open.Add(1)
	s.open = &a.open
	return s
}

// Read gives the connection what waits. It keeps a silent stream alive, and
// looks again at the token of a long one. A panic ends the turn, and what the
// turn says at its end is still read.
func (s *stream) Read(p []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil { // it would take the process with it
			err = panicked(r)
			s.reader.cancel(err)
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
		if s.resumed { // nothing is sure to come soon, and the headers wait for it
			s.silent = now.Add(firstSilence - s.times.KeepAlive)
		}
	}
	for {
		if !now.Before(s.nextCheck) {
			s.nextCheck = now.Add(s.times.Recheck)
			s.check()
		}
		if s.ready() {
			s.silent = now
			_ = s.reader.conn.SetWriteDeadline(now.Add(s.times.WriteWait))
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
	s.sent += int64(n)
	s.unread = s.unread[:copy(s.unread, s.unread[n:])]
	signal(s.room)
	return n, nil
}

// stillWorking writes a waiting event, unless the stream has ended meanwhile.
func (s *stream) stillWorking() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
	case s.alive != "":
		s.unread = append(s.unread, s.alive...)
	default:
		s.unread = appendEvent(s.appendID(s.unread), waitingStart, "Still working on the answer.", "")
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
				s.reader.cancel(panicked(p))
			}
		}()
		err := s.valid()
		if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.Forbidden) {
			s.reader.cancel(err)
		}
	}()
}

// Close ends the stream from the connection's side: all is written, or the
// client is gone.
func (s *stream) Close() error {
	s.reader.unwatch()
	s.reader.cancel(errClientGone)
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	status, code := s.outcome()
	s.mu.Unlock()
	if first {
		s.reader.slot.Leave()
		if s.open != nil {
			s.open.Add(-1)
		}
		s.recorded()
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.line.End(status, code, s.sent)
	signal(s.room)
	return nil
}

// failed notes the failure that the stream tells of. The first one counts.
func (s *stream) failed(f failure, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.status != 0:
	case errors.Is(err, turn.ErrLeft):
		s.status = requestline.ClientGone
	default:
		s.status, s.code = f.status, string(f.name)
	}
}

// outcome is how the stream ended, as the log and figures have it. The stream is locked.
func (s *stream) outcome() (status int, code string) {
	switch {
	case s.status != 0:
		return s.status, s.code
	case !s.ended || len(s.unread) > 0:
		return requestline.ClientGone, ""
	}
	return fiber.StatusOK, ""
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
