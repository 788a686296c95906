package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"parley/api/openai"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/internal/requestid"
	"parley/internal/trace"
)

// stream answers with Server-Sent Events. What fails before the first event is an
// ordinary answer.
func (h openAIClients) stream(c *fiber.Ctx, by caller, admitted *admission, question *openai.Question, ask turn.Ask) error {
	reader := h.newReader(c)
	reader.slot = admitted.slot
	began := false
	defer func() { // after a panic, too
		if !began {
			reader.leave()
		}
	}()
	begun, err := h.Turns.Begin(reader.ctx, by.Principal, ask)
	if err != nil {
		return notPrevious(question, err)
	}
	began = true
	s := h.openStream(reader)
	s.alive = openai.Waiting
	valid := streams(h).valid(by)
	s.valid = func() error { return valid(reader.ctx) }
	// Nothing of c may be used once the handler has returned.
	run := &openAIRun{
		api: h.API, turn: begun, out: s, form: question.Form, requestID: requestid.Of(c),
		encoder: openai.NewEncoder(question, h.ids.reply(begun)),
	}
	s.append(run.encoder.Begin)
	h.gate.EnterAgain()
	go run.run(reader.ctx)
	s.answer(c)
	return nil
}

// openAIRun runs a turn into a stream. It lives on its own goroutine.
type openAIRun struct {
	api       *API
	turn      *turn.Turn
	out       *stream
	encoder   openai.Encoder
	form      openai.Form
	requestID string
}

func (r *openAIRun) run(ctx context.Context) {
	defer r.api.gate.Leave()
	defer r.out.finish()
	defer func() {
		if p := recover(); p != nil {
			r.fail(panicked(p))
		}
	}()
	answer, err := r.turn.Run(ctx, r.event)
	if err != nil || answer.Status == "" || answer.Status == chat.Generating {
		r.fail(err)
		return
	}
	r.out.append(func(b []byte) []byte { return r.encoder.End(b, openai.EndedOf(answer)) })
}

// event writes an event of the turn: a piece of the answer, or a comment that keeps the
// stream alive.
func (r *openAIRun) event(e turn.Event) error {
	return r.out.offer(func(b []byte) []byte {
		if e.Kind == turn.Delta {
			return r.encoder.Delta(b, e.Text)
		}
		return append(b, openai.Waiting...)
	})
}

func (r *openAIRun) fail(err error) {
	f := failureOf(err)
	trace.Of(r.out.reader.ctx).Fail(string(f.name))
	logFailure(r.api.Log, f, r.requestID, err)
	r.out.failed(f, err)
	r.out.append(func(b []byte) []byte { return r.encoder.Fail(b, openAIFailure(f, r.form)) })
}

// finish ends the stream: nothing more is written.
func (s *stream) finish() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	signal(s.wake)
}
