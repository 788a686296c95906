package api

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/answer/format"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/requestid"
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

// chatStream answers with Server-Sent Events.
func (a *API) chatStream(c *fiber.Ctx) error {
	principal, secret, err := a.authenticate(c, chatbot.ScopeChat)
	if err != nil {
		return err
	}
	admitted, err := a.admitQuestion(c, principal)
	if err != nil {
		return err
	}
	ask, err := a.question(c, admitted)
	if err != nil {
		admitted.place.leave()
		return err
	}
	return a.stream(c, streaming{principal: principal, secret: secret, place: admitted.place, begin: func(ctx context.Context) (*chat.Turn, chat.Delivery, error) {
		turn, err := a.Chat.Begin(ctx, principal, ask)
		return turn, ask.Delivery, err
	}})
}

const lastEventHeader = "Last-Event-ID"

// resumeStream gives the events of a conversation's last turn, or those that
// come after the one that the client has seen.
func (a *API) resumeStream(c *fiber.Ctx) error {
	principal, secret, err := a.authenticate(c, chatbot.ScopeRead)
	if err != nil {
		return err
	}
	again, err := redeliveryOf(c)
	if err != nil {
		return err
	}
	from, err := a.lastEvent(c)
	if err != nil {
		return err
	}
	ref, err := a.refOf(c, nil)
	if err != nil {
		return err
	}
	place, err := a.readers.take(principal)
	if err != nil {
		return err
	}
	return a.stream(c, streaming{principal: principal, secret: secret, place: place, resumed: from != nil, begin: func(ctx context.Context) (*chat.Turn, chat.Delivery, error) {
		turn, err := a.Chat.Resume(ctx, principal, ref, from)
		if err != nil {
			return nil, chat.Delivery{}, err
		}
		return turn, again.after(turn.Delivery), nil
	}})
}

// lastEvent is the position that a client has seen, or nil if it says none.
func (a *API) lastEvent(c *fiber.Ctx) (*chat.Position, error) {
	value, _, err := headerOf(c, lastEventHeader)
	if err != nil || value == "" { // a browser that has seen no id may send none
		return nil, err
	}
	position, err := parsePosition(a.IDs, value)
	return &position, err
}

// streaming is a request for a stream.
type streaming struct {
	principal *chatbot.Principal
	// secret is the token's.
	secret string
	// place is left when the response ends.
	place *place
	// resumed says that the client has seen the beginning.
	resumed bool
	begin   func(context.Context) (*chat.Turn, chat.Delivery, error)
}

// stream runs a turn into the answer. What fails before the first event is an
// ordinary answer.
func (a *API) stream(c *fiber.Ctx, asked streaming) error {
	reader := a.attend(c)
	reader.place = asked.place
	begun := false
	defer func() { // after a panic, too
		if !begun {
			reader.leave()
		}
	}()
	turn, delivery, err := asked.begin(reader.ctx)
	if err != nil {
		return err
	}
	begun = true
	s := newStream(reader, a.Streams)
	s.valid = a.valid(reader.ctx, asked.secret)
	if s.at, s.seen = turn.From, turn.From.Tail; delivery.IDs {
		s.ids, s.answerID = true, a.IDs.Message(turn.AnswerID)
	}
	if s.resumed = asked.resumed; !s.resumed {
		s.begin(a.IDs.Conversation(turn.Conversation.ID))
	}
	// Nothing of c may be used once the handler has returned.
	run := &streamRun{api: a, turn: turn, out: s, delivery: delivery, hosts: asked.principal.Chatbot.ImageHosts, requestID: requestid.Of(c)}
	a.gate.running.Add(1) // the request itself still holds one
	go run.run(reader.ctx)
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Set("X-Accel-Buffering", "no")
	c.Context().SetBodyStream(s, -1)
	return nil
}

// valid looks at a token again. It is a function of its own so that an open
// stream keeps nothing else of its request.
func (a *API) valid(ctx context.Context, secret string) func() error {
	return func() error {
		_, err := a.Chatbots.Authenticate(ctx, secret)
		return err
	}
}

// streamRun runs a turn into a stream. It lives on its own goroutine.
type streamRun struct {
	api       *API
	turn      *chat.Turn
	out       *stream
	delivery  chat.Delivery
	hosts     []string
	requestID string
}

func (r *streamRun) run(ctx context.Context) {
	defer r.api.gate.leave()
	defer r.out.end()
	defer func() {
		if p := recover(); p != nil {
			r.fail(panicked(p))
		}
	}()
	answer, err := r.turn.Run(ctx, r.out.event)
	r.finish(answer, err)
}

// finish writes what follows the answer.
func (r *streamRun) finish(answer chat.Answer, err error) {
	if answer.Status == "" || answer.Status == chat.Generating {
		r.fail(err) // the turn goes on, and its reader can come back
		return
	}
	r.out.settle(answer)
	if r.delivery.Sources && err == nil {
		r.out.sources(answer.Sources)
	}
	if r.delivery.Usage {
		r.out.usage(answer)
	}
	if err != nil {
		r.fail(err)
		return
	}
	if f := r.delivery.Format; f != format.Markdown {
		r.out.formatted(format.Render(answer.Text, f, r.hosts), f)
	}
}

func (r *streamRun) fail(err error) {
	f := failureOf(err)
	logFailure(r.api.Log, f, r.requestID, err)
	r.out.fail(f)
}

func panicked(p any) error {
	return fault.Wrap(fault.Internal, fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "internal error")
}
