// Package openai calls servers with OpenAI's chat-completions API. It owns the
// request, the decoding of the answer, and the meaning of failures.
//
// It does not own the prompt (package core/answer/prompt), the counting of tokens
// (package llm/tokens), nor what all model servers share, such as time limits and
// the faults that callers get (package llm/upstream).
package openai

import (
	"context"
	"net/http"
	"sync/atomic"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/llm/tokens"
	"parley/llm/upstream"
)

// Model answers prompts through a server. It is safe for concurrent use.
type Model struct {
	config  Config
	client  *upstream.Client
	counter *tokens.Counter
	checked upstream.Check
	// ownTemperature is set once the server has refused another temperature than
	// the model's own.
	ownTemperature atomic.Bool
}

var _ answer.Model = (*Model)(nil)

// New returns a model, without speaking to its server. It fails when config
// names no model or no usable address.
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

// Name is the name of the model, as its server knows it.
func (m *Model) Name() string { return m.config.Model }

// Count returns the tokens of a text in the encoding that the model is known to
// use, or nearly so: see [tokens.For].
func (m *Model) Count(text string) int { return m.counter.Count(text) }

// Traits are those of a language model, with the tools and context that it was
// configured with.
func (m *Model) Traits() answer.Traits {
	return answer.Traits{Language: true, Tools: m.config.Tools, Context: m.config.Context}
}

// Generate streams an answer, or asks for the whole of it; see [answer.Model].
//
// The answer is complete once the server has given a finish_reason or [DONE],
// whatever becomes of the connection then. One that ends before is a fault, and
// the calls in it are not returned.
//
// The usage is the server's, or estimated when it reports none. A request that
// was sent and came to nothing has the estimated tokens of its prompt; one that
// was refused, or did not reach the server, has none.
//
// A temperature that the model refuses is left out, then and from then on.
func (m *Model) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	if err := ctx.Err(); err != nil {
		return answer.Generated{Model: m.config.Model}, err
	}
	a := m.newDecoder(ctx, &asked, emit)
	defer a.call.End()
	response, err := m.send(a)
	if err == nil {
		err = a.take(response)
	}
	return a.generated(m.config.Model, err)
}

// send returns the response of a server that has agreed to answer.
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
