package api

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chat/format"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/socket"
)

// StreamTimes are what an open stream waits for. Zero values stand for the
// defaults, which are in parentheses.
type StreamTimes struct {
	// KeepAlive is the silence after which a waiting event is sent (10 s).
	KeepAlive time.Duration
	// Recheck is how often a stream's token is looked at again (2 s).
	Recheck time.Duration
	// WriteWait is how long a reader may take nothing (15 s).
	WriteWait time.Duration
}

func (t StreamTimes) orDefaults() StreamTimes {
	return StreamTimes{
		KeepAlive: cmp.Or(t.KeepAlive, 10*time.Second),
		Recheck:   cmp.Or(t.Recheck, 2*time.Second),
		WriteWait: cmp.Or(t.WriteWait, 15*time.Second),
	}
}

// errClientGone is the cause of a turn that ends because nobody listens. A
// client who only stopped sending reads it.
var errClientGone = fault.New(fault.Invalid, "The client closed its side of the connection before the answer was complete. Keep it open until then.")

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
	begun := false
	defer func() { // after a panic, too
		if !begun {
			stop()
			cancel(nil)
		}
	}()
	turn, err := a.Chat.Begin(ctx, principal, ask)
	if err != nil {
		return err
	}
	begun = true
	s := newStream(ctx, conn, a.Streams)
	s.cancel, s.stopWatch = cancel, stop
	s.valid = func() error {
		_, err := a.Chatbots.Authenticate(ctx, secret)
		return err
	}
	s.begin(turn)
	turn.Passages = nil // a default stream has no sources, and may stay open for long
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
			r.fail(panicked(p))
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

func panicked(p any) error {
	return fault.Wrap(fault.Internal, fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "internal error")
}
