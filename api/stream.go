package api

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/rate"
	"parley/internal/requestid"
	"parley/internal/trace"
	"parley/text/markdown"
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

// streams are the handlers that answer with Server-Sent Events.
type streams struct{ *API }

const lastEventHeader = "Last-Event-ID"

// resume gives the events of a conversation's last turn, or those that
// come after the one that the client has seen.
func (h streams) resume(c *fiber.Ctx, by caller) error {
	again, err := redeliveryOf(c)
	if err != nil {
		return err
	}
	from, err := h.ids.lastEvent(c)
	if err != nil {
		return err
	}
	ref, err := h.ids.refOf(c, nil)
	if err != nil {
		return err
	}
	slot, err := h.admitReader(c.UserContext(), by.Principal)
	if err != nil {
		return err
	}
	return h.stream(c, streaming{principal: by.Principal, valid: h.valid(by), slot: slot, resumed: from != nil, begin: func(ctx context.Context) (*turn.Turn, turn.Delivery, error) {
		resumed, err := h.Turns.Resume(ctx, by.Principal, ref, from)
		if err != nil {
			return nil, turn.Delivery{}, err
		}
		return resumed, again.after(resumed.Delivery), nil
	}})
}

// lastEvent is the position that a client has seen, or nil if it says none.
func (i identifiers) lastEvent(c *fiber.Ctx) (*turn.Position, error) {
	value, _, err := headerOf(c, lastEventHeader)
	if err != nil || value == "" { // a browser that has seen no id may send none
		return nil, err
	}
	position, err := parsePosition(i.Codec, value)
	return &position, err
}

// streaming is a request for a stream.
type streaming struct {
	principal *chatbot.Principal
	// question is empty where the caller does not send it.
	question string
	// valid looks at the caller's credential again.
	valid func(context.Context) error
	// slot is left when the response ends.
	slot *rate.Slot
	// resumed says that the client has seen the beginning.
	resumed bool
	begin   func(context.Context) (*turn.Turn, turn.Delivery, error)
	// inspect, unless nil, says how the answer was made, in an event of its own.
	inspect func(turn.Answer) inspectionData
}

// follow returns what follows an answer with suggestions, or nil for one without.
func (h streams) follow(asked streaming, delivery turn.Delivery) func(context.Context, turn.Answer) []string {
	if !delivery.Suggestions {
		return nil
	}
	principal, question := asked.principal, asked.question
	return func(ctx context.Context, answer turn.Answer) []string {
		return followUps(h).of(ctx, principal, question, answer)
	}
}

// stream runs a turn into the answer. What fails before the first event is an
// ordinary answer.
func (h streams) stream(c *fiber.Ctx, asked streaming) error {
	reader := h.newReader(c)
	reader.slot = asked.slot
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
	s := h.openStream(reader)
	valid := asked.valid // the rest of what was asked need not be kept
	s.valid = func() error { return valid(reader.ctx) }
	out := &writer{stream: s, seen: turn.From.Tail}
	if s.at = turn.From; delivery.IDs {
		s.ids, s.answerID = true, h.IDs.Message(turn.AnswerID)
	}
	if s.resumed = asked.resumed; !s.resumed {
		out.begin(h.IDs.Conversation(turn.Conversation.ID))
	}
	// Nothing of c may be used once the handler has returned.
	run := &streamRun{api: h.API, turn: turn, out: out, delivery: delivery, hosts: asked.principal.Chatbot.ImageHosts, inspect: asked.inspect, follow: h.follow(asked, delivery), requestID: requestid.Of(c)}
	h.gate.EnterAgain()
	go run.run(reader.ctx)
	s.answer(c)
	return nil
}

// setEvents sets the headers of a stream.
func setEvents(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentType, "text/event-stream; charset=utf-8")
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Set("X-Accel-Buffering", "no")
}

// valid looks at a token again. It is a function of its own so that an open
// stream keeps nothing else of its request.
func (h streams) valid(by caller) func(context.Context) error {
	secret, use := by.secret, by.use
	return func(ctx context.Context) error {
		principal, err := h.Chatbots.Callers.Authenticate(ctx, secret)
		if err != nil {
			return err
		}
		return principal.Admits(use)
	}
}

// streamRun runs a turn into a stream. It lives on its own goroutine.
type streamRun struct {
	api      *API
	turn     *turn.Turn
	out      *writer
	delivery turn.Delivery
	hosts    []string
	inspect  func(turn.Answer) inspectionData
	// follow is nil unless suggestions were asked for.
	follow    func(context.Context, turn.Answer) []string
	requestID string
}

func (r *streamRun) run(ctx context.Context) {
	defer r.api.gate.Leave()
	defer r.out.end()
	defer func() {
		if p := recover(); p != nil {
			r.fail(panicked(p))
		}
	}()
	answer, err := r.turn.Run(ctx, r.out.event)
	answer.ConversationID = r.turn.Conversation.ID // which an answer that is stored does not say
	r.finish(ctx, answer, err)
}

// finish writes what follows the answer.
func (r *streamRun) finish(ctx context.Context, answer turn.Answer, err error) {
	if answer.Status == "" || answer.Status == chat.Generating {
		r.fail(err) // the turn goes on, and its reader can come back
		return
	}
	r.out.settle(answer)
	if r.delivery.Sources && err == nil {
		r.out.sources(answer.Citations)
	}
	if r.delivery.Usage {
		r.out.usage(answer)
	}
	if r.inspect != nil {
		r.out.inspection(r.inspect(answer))
	}
	if err != nil {
		r.fail(err)
		return
	}
	if r.follow != nil {
		r.out.suggestions(r.follow(ctx, answer))
	}
	if f := r.delivery.Format; f != markdown.Markdown {
		r.out.formatted(markdown.Render(answer.Text, f, r.hosts), f)
	}
}

func (r *streamRun) fail(err error) {
	f := failureOf(err)
	trace.Of(r.out.reader.ctx).Fail(string(f.name))
	logFailure(r.api.Log, f, r.requestID, err)
	r.out.failed(f, err)
	r.out.fail(f)
}

func panicked(p any) error {
	return fault.Wrap(fault.Internal, fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "internal error")
}
