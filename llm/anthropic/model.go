// Package anthropic calls Anthropic's Messages API. It owns the request and its
// retries, the decoding of the answer, and the meaning of failures.
//
// It does not own the prompt (package core/answer/prompt), token counting
// (package text/tokens), or what all model servers share, such as time limits and
// the faults that callers get (package llm/upstream).
package anthropic

import (
	"context"
	"net/http"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/llm/upstream"
	"parley/text/tokens"
)

// apiVersion is the version of the API that this package speaks (Anthropic,
// "Versions").
const apiVersion = "2023-06-01"

// Model answers prompts through a server. It is safe for concurrent use.
type Model struct {
	config  Config
	client  *upstream.Client
	counter *tokens.Counter
	checked upstream.Check
	habit   *upstream.Habit
}

var _ answer.Model = (*Model)(nil)

// New returns a model without contacting its server. It fails if config names no
// model or an invalid address.
func New(config Config) (*Model, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	header := http.Header{}
	header.Set("Anthropic-Version", apiVersion)
	if config.APIKey != "" {
		header.Set("X-Api-Key", config.APIKey)
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

// Count counts tokens in o200k_base. Anthropic publishes no tokenizer. Its newer
// models need up to a third more for the same text; the default of
// [Config].Context leaves room for that.
func (m *Model) Count(text string) int { return m.counter.Count(text) }

// Traits returns what the model can do.
func (m *Model) Traits() answer.Traits {
	return answer.Traits{Language: true, Tools: m.config.Tools, Context: m.config.Context}
}

// Generate streams an answer, or requests all of it at once; see [answer.Model].
// The usage comes from the server; Generate estimates what the server does not
// report. A request that the server refused or never received used nothing. A prompt
// that the server finds too long is shortened once.
func (m *Model) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	generated := answer.Generated{Model: m.config.Model}
	if err := ctx.Err(); err != nil {
		return generated, err
	}
	// From here on only the body is needed: a long stream need not keep both
	// it and the prompt.
	body, err := m.request(asked)
	if err != nil {
		return generated, err
	}
	call := upstream.Begin(ctx, m.config.limits)
	defer call.End()
	round := len(asked.Messages)
	decoded := &decoder{call: call, text: upstream.Text{Call: call, Habit: m.habit, Whole: asked.Whole, Emit: emit}, mayCall: len(m.offered(asked)) > 0, sent: body}
	if asked.Whole {
		call.Started() // the first token arrives with the last
	}
	response, err := m.post(call.Context(), body, asked.Whole)
	if upstream.TooLong(err) && asked.Shorten() {
		if body, err = m.request(asked); err == nil {
			decoded.sent = body
			response, err = m.post(call.Context(), body, asked.Whole)
		}
	}
	if err != nil {
		if call.Sent() {
			generated.Usage = m.usage(decoded)
		}
		return generated, m.config.failure(call.Failure(err, false))
	}
	defer func() { _ = response.Body.Close() }()
	if upstream.IsStream(response) {
		err = decoded.read(response.Body)
	} else {
		err = decoded.readWhole(response.Body)
	}
	generated.Usage = m.usage(decoded)
	if err != nil {
		return generated, m.config.failure(call.Failure(err, decoded.text.Len() > 0))
	}
	generated.Calls, generated.Finish = decoded.calls.found(round), reasonOf(decoded.stop)
	return generated, nil
}

// post returns the response of a server that agreed to answer.
func (m *Model) post(ctx context.Context, body []byte, whole bool) (*http.Response, error) {
	accept := "text/event-stream"
	if whole {
		accept = "application/json"
	}
	return m.client.Post(ctx, "v1/messages", accept, body)
}
