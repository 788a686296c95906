// Package openai calls servers with OpenAI's chat-completions API. It owns the
// request, the decoding of the answer, and the meaning of failures.
//
// It does not own the prompt (package core/answer/prompt), token counting
// (package text/tokens), or what all model servers share, such as time limits and
// the faults that callers get (package llm/upstream).
package openai

import (
	"bytes"
	"context"
	"net/http"
	"sync/atomic"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/llm/upstream"
	"parley/text/tokens"
)

// Model answers prompts through a server. It is safe for concurrent use.
type Model struct {
	config  Config
	client  *upstream.Client
	counter *tokens.Counter
	checked upstream.Check
	habit   *upstream.Habit
	// without is what the server has refused, and answered without.
	without atomic.Uint32
}

var _ answer.Model = (*Model)(nil)

// New returns a model without contacting its server. It fails if config names no
// model or no usable address.
func New(config Config) (*Model, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	header := http.Header{}
	if config.APIKey != "" {
		header.Set("Authorization", "Bearer "+config.APIKey)
	}
	client, err := upstream.NewClient(upstream.Server{
		BaseURL: config.BaseURL, Header: header, HTTP: config.HTTPClient, API: &api,
	}, config.limits)
	if err != nil {
		return nil, err
	}
	return &Model{config: config, client: client, counter: tokens.For(config.Model), habit: upstream.HabitOf(config.Model)}, nil
}

// Name is the name of the model at its server.
func (m *Model) Name() string { return m.config.Model }

// Count returns the tokens of a text in the model's encoding, or nearly so: see
// [tokens.For].
func (m *Model) Count(text string) int { return m.counter.Count(text) }

// Traits returns the traits of a language model with the configured tools and context.
func (m *Model) Traits() answer.Traits {
	return answer.Traits{Language: true, Tools: m.config.Tools, Context: m.config.Context}
}

// Generate streams an answer, or requests all of it at once; see [answer.Model].
//
// The answer is complete once the server has sent a finish_reason or [DONE],
// whatever happens to the connection afterward. An answer that ends earlier is a
// fault, and its calls are not returned.
//
// The usage comes from the server, or is estimated if it reports none. A failed
// request has the estimated tokens of its prompt, unless the server refused it or
// never received it: then it has none.
//
// If the server refuses a field that it can do without, Generate asks again, and stops
// sending it. A prompt that the server finds too long is shortened once.
func (m *Model) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	if err := ctx.Err(); err != nil {
		return answer.Generated{Model: m.config.Model}, err
	}
	a := m.newDecoder(ctx, &asked, emit)
	defer a.call.End()
	err := m.answer(a)
	if upstream.TooLong(err) && !a.arrived() && a.asked.Shorten() {
		err = m.answer(a)
	}
	generated, err := a.generated(m.config.Model, err)
	return generated, m.config.failure(err)
}

// answer asks the server, and reads what it answers.
func (m *Model) answer(a *decoder) error {
	response, err := m.send(a)
	if err != nil {
		return err
	}
	return a.readResponse(response)
}

// send returns the response of a server that agreed to answer, perhaps without what it
// refused before.
func (m *Model) send(a *decoder) (*http.Response, error) {
	known := without(m.without.Load())
	var refused []byte
	var refusal error
	for left := known; ; {
		body, err := m.request(a.asked, left)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(body, refused) {
			return nil, refusal
		}
		response, err := m.post(a.call.Context(), body, a.asked.Whole)
		if err == nil && left != known { // A refusal can echo a question that names a field.
			m.without.Or(uint32(left))
		}
		more := left | refusedIn(err)
		if more == left {
			return response, err
		}
		left, refused, refusal = more, body, err
	}
}

func (m *Model) post(ctx context.Context, body []byte, whole bool) (*http.Response, error) {
	accept := "text/event-stream"
	if whole {
		accept = "application/json"
	}
	return m.client.Post(ctx, "chat/completions", accept, body)
}
