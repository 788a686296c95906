// Package openai owns how a server that speaks OpenAI's chat-completions API
// is spoken to: the request, what is read of the answer, and which of its
// failures mean what.
//
// It does not own what the model is told (package chat), how tokens are counted
// (package llm/tokens), nor what all model servers have in common, such as time
// limits and what a caller learns of a failure (package llm/upstream).
package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"parley/core/chat"
	"parley/llm/tokens"
	"parley/llm/upstream"
)

// Model answers prompts through a server. It is safe for concurrent use.
type Model struct {
	config  Config
	client  sdk.Client
	counter *tokens.Counter
	checked upstream.Check
	// ownTemperature is set once the server has refused another temperature than
	// the model's own.
	ownTemperature atomic.Bool
}

var _ chat.Model = (*Model)(nil)

// New returns a model, without speaking to its server. It fails when config
// names no model or no usable address.
func New(config Config) (*Model, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithBaseURL(config.BaseURL),
		option.WithHTTPClient(config.HTTPClient),
		// The SDK's retries are the only ones. They end with the response's
		// headers, so that nothing is retried after the first token.
		option.WithMaxRetries(config.limits.Retries),
		option.WithMaxRetryDelay(config.limits.MaxRetryDelay),
		option.WithMiddleware(upstream.LimitRefusals),
	}
	if config.APIKey != "" {
		options = append(options, option.WithAPIKey(config.APIKey))
	}
	return &Model{
		config: config,
		// Not sdk.NewClient: it would add keys, headers and addresses that it
		// finds in the environment.
		client:  sdk.Client{Options: options},
		counter: tokens.For(config.Model),
	}, nil
}

// Name is the name of the model, as its server knows it.
func (m *Model) Name() string { return m.config.Model }

// Count returns the tokens of a text in the encoding that the model is known to
// use, or nearly so: see [tokens.For].
func (m *Model) Count(text string) int { return m.counter.Count(text) }

// Traits are those of a language model, with the tools and context that it was
// configured with.
func (m *Model) Traits() chat.Traits {
	return chat.Traits{Language: true, Tools: m.config.Tools, Context: m.config.Context}
}

// Generate streams an answer, or asks for the whole of it; see [chat.Model].
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
func (m *Model) Generate(ctx context.Context, prompt chat.Prompt, emit func(text string) error) (chat.Generated, error) {
	generated := chat.Generated{Model: m.config.Model}
	if err := ctx.Err(); err != nil {
		return generated, err
	}
	// From here on the body stands for the prompt: a long stream need not keep
	// both.
	body, err := m.request(prompt)
	if err != nil {
		return generated, err
	}
	whole, offered, round := prompt.Whole, m.offers(prompt), len(prompt.Messages)
	call := upstream.Begin(ctx, m.config.limits)
	defer call.End()
	if whole {
		call.Started() // the first token comes with the last
	}
	response, err := m.post(call.Context(), body, whole)
	if refusesTemperature(err) {
		m.ownTemperature.Store(true)
		if body, err = m.request(prompt); err != nil {
			return generated, err
		}
		response, err = m.post(call.Context(), body, whole)
	}
	if err != nil {
		if call.Sent() {
			generated.Usage = estimatePrompt(m.counter, body)
		}
		return generated, call.Failure(err, false)
	}
	defer func() { _ = response.Body.Close() }()

	answer := answer{call: call, text: upstream.Text{Call: call, Emit: emit}, counter: m.counter, offered: offered}
	if upstream.IsStream(response) {
		err = answer.read(response.Body)
	} else {
		err = answer.readWhole(response.Body)
	}
	generated.Usage = answer.used(body)
	if err != nil {
		return generated, call.Failure(err, answer.text.Len() > 0)
	}
	generated.Calls = answer.calls.all(round)
	return generated, nil
}

// post returns the response of a server that has agreed to answer.
func (m *Model) post(ctx context.Context, body []byte, whole bool) (*http.Response, error) {
	var response *http.Response
	accept := acceptStream
	if whole {
		accept = acceptWhole
	}
	err := m.client.Post(ctx, "chat/completions", body, &response, accept...)
	return api.Accepted(response, err)
}

// What is asked for is the same for every request.
var (
	acceptWhole  = []option.RequestOption{option.WithHeader("Accept", "application/json")}
	acceptStream = []option.RequestOption{option.WithHeader("Accept", "text/event-stream")}
)

// estimatePrompt counts the tokens of a request that the server did not count.
// The 3 tokens a message and 3 for the reply are those of OpenAI's cookbook,
// "How to count tokens with tiktoken".
func estimatePrompt(counter *tokens.Counter, body []byte) chat.Usage {
	var sent request
	_ = json.Unmarshal(body, &sent) // which this package has made
	total := 3
	for _, message := range sent.Messages {
		total += 3 + counter.Count(string(message.Role))
		if message.Content != nil {
			total += counter.Count(*message.Content)
		}
		for _, call := range message.ToolCalls {
			total += counter.Count(call.Function.Name) + counter.Count(call.Function.Arguments)
		}
	}
	for _, tool := range sent.Tools {
		total += counter.Count(tool.Function.Name) + counter.Count(tool.Function.Description) + counter.Count(string(tool.Function.Parameters))
	}
	return chat.Usage{PromptTokens: total, Estimated: true}
}
