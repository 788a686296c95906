package api

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chat/format"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/socket"
)

const (
	// keepAlive is the silence after which a waiting event is sent.
	keepAlive = 10 * time.Second
	// recheck is how often an open stream's token is looked at again.
	recheck = 2 * time.Second
	// writeWait is how long a reader may take nothing.
	writeWait = 15 * time.Second
	// maxUnread is how much a slow reader may leave unread before the model
	// is made to wait.
	maxUnread = 256 << 10
)

// errClientGone is the cause of a turn that ends because nobody listens.
var errClientGone = fault.New(fault.Unavailable, "The client went away.")

// chatStream answers with Server-Sent Events. What fails before the first
// event is an ordinary answer.
func (a *API) chatStream(c *fiber.Ctx) error {
	principal, secret, err := a.authenticate(c, chatbot.ScopeChat)
	if err != nil {
		return err
	}
	ask, f, err := question(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(a.Lifetime)
	conn := c.Context().Conn()
	stop := socket.Watch(conn, func() { cancel(errClientGone) })
	turn, err := a.Chat.Begin(ctx, principal, ask)
	if err != nil {
		stop()
		cancel(nil)
		return err
	}
	s := &stream{conn: conn, cancel: cancel, wake: make(chan struct{}, 1), room: make(chan struct{}, 1), stopWatch: stop}
	s.valid = func() error {
		_, err := a.Chatbots.Authenticate(ctx, secret)
		return err
	}
	s.begin(turn)
	// Nothing of c may be used once the handler has returned.
	run := streamRun{api: a, turn: turn, out: s, format: f, hosts: principal.Chatbot.ImageHosts, requestID: requestid.Of(c)}
	a.gate.running.Add(1) // the request itself still holds one
	go run.run(ctx)
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Set("X-Accel-Buffering", "no")
	c.Context().SetBodyStream(s, -1)
	return nil
}

// streamRun runs a turn into a stream. It lives on its own goroutine.
type streamRun struct {
	api       *API
	turn      *chat.Turn
	out       *stream
	format    format.Format
	hosts     []string
	requestID string
}

func (r streamRun) run(ctx context.Context) {
	defer r.api.gate.leave()
	defer r.out.end()
	defer func() {
		if p := recover(); p != nil {
			r.api.Log.Error("panic in a stream", "request_id", r.requestID, "panic", p, "stack", string(debug.Stack()))
			r.out.fail(failureOf(fault.New(fault.Internal, "panic")))
		}
	}()
	answer, err := r.turn.Run(ctx, r.out.delta)
	if err != nil {
		r.fail(err)
		return
	}
	if r.format != format.Markdown {
		r.out.formatted(format.Render(answer.Text, r.format, r.hosts), r.format)
	}
}

func (r streamRun) fail(err error) {
	f := failureOf(err)
	logFailure(r.api.Log, f, r.requestID, err)
	r.out.fail(f)
}

// stream is the body of an answer: the run writes events into it, and the
// connection's own goroutine, which alone writes to the connection, reads
// them. Events that wait together leave together.
type stream struct {
	conn      net.Conn
	cancel    context.CancelCauseFunc
	stopWatch func()
	valid     func() error

	// wake says that there is something to read, room that there is room to write.
	wake, room chan struct{}

	mu     sync.Mutex
	unread []byte
	ended  bool
	closed bool

	// The fields below belong to the reader.
	timer     *time.Timer
	nextCheck time.Time
	silent    time.Time
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
// fails when there is no reader any more.
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
		<-s.room
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
// looks again at the token of a long one.
func (s *stream) Read(p []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil { // it would take the connection's goroutine with it
			_ = s.Close()
			n, err = 0, fmt.Errorf("panic in a stream: %v", r)
		}
	}()
	return s.read(p)
}

func (s *stream) read(p []byte) (int, error) {
	now := time.Now()
	if s.timer == nil {
		s.timer = time.NewTimer(recheck)
		s.nextCheck, s.silent = now.Add(recheck), now
	}
	for {
		if !now.Before(s.nextCheck) {
			s.nextCheck = now.Add(recheck)
			s.check()
		}
		if n, ended := s.take(p); n > 0 || ended {
			s.silent = now
			return s.deliver(n, now)
		}
		if now.Sub(s.silent) >= keepAlive {
			s.silent = now
			return s.deliver(copy(p, appendEvent(nil, waitingStart, "Still working on the answer.", "")), now)
		}
		s.timer.Reset(recheck)
		select {
		case <-s.wake:
		case <-s.timer.C:
		}
		now = time.Now()
	}
}

// take moves unread bytes to p. It reports the end when nothing will follow.
func (s *stream) take(p []byte) (n int, ended bool) {
	s.mu.Lock()
	n = copy(p, s.unread)
	s.unread = s.unread[:copy(s.unread, s.unread[n:])]
	left, ended := len(s.unread), s.ended
	s.mu.Unlock()
	if left > 0 {
		signal(s.wake)
	}
	signal(s.room)
	return n, ended && n == 0
}

// deliver sets how long the connection may take over what it was given.
func (s *stream) deliver(n int, now time.Time) (int, error) {
	_ = s.conn.SetWriteDeadline(now.Add(writeWait))
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// check cancels the turn of a token that no longer works. A database that
// does not answer is no reason to.
func (s *stream) check() {
	err := s.valid()
	if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.Forbidden) {
		s.cancel(err)
	}
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
