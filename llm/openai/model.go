// Package openai calls servers with OpenAI's chat-completions API. It owns the
// request, the decoding of the answer, and the meaning of failures.
//
// It does not own the prompt (package core/answer/prompt), token counting
// (package text/tokens), or what all model servers share, such as time limits and
// the faults that callers get (package llm/upstream).
package openai

import (
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
	// ownTemperature is set once the server has refused a temperature other than
	// the model's own.
	ownTemperature atomic.Bool
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
	return &Model{config: config, client: client, counter: tokens.For(config.Model)}, nil
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
// If the model refuses a temperature, Generate stops sending one to it.
func (m *Model) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	if err := ctx.Err(); err != nil {
		return answer.Generated{Model: m.config.Model}, err
	}
	a := m.newDecoder(ctx, &asked, emit)
	defer a.call.End()
	response, err := m.send(a)
	if err == nil {
		err = a.readResponse(response)
	}
	return a.generated(m.config.Model, err)
}

// send returns the response of a server that agreed to answer.
func (m *Model) send(a *decoder) (*http.Response, error) {
	response, err := m.post(a.call.Context(), a.asked)
	if refusesTemperature(err) {
		m.ownTemperature.Store(true)
		response, err = m.post(a.call.Context(), a.asked)
	}
	return response, err
}

func (m *Model) post(ctx context.Context, asked *prompt.Prompt) (*http.Response, error) {
	body, err := m.request(asked)
	if err != nil {
		return nil, err
	}
	accept := "text/event-stream"
	if asked.Whole {
		accept = "application/json"
	}
	return m.client.Post(ctx, "chat/completions", accept, body)
}
