// Package anthropic owns how Anthropic's Messages API is spoken to: the
// request, its retries and timeouts, the stream, and what its failures are to
// a caller.
//
// It does not own what the model is told (package chat) nor how tokens are
// counted (package llm/tokens).
package anthropic

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"parley/core/chat"
	"parley/llm/tokens"
)

// Model answers prompts through a server. It is safe for concurrent use.
type Model struct {
	config  Config
	client  sdk.Client
	counter *tokens.Counter
	checked lastCheck
	now     func() time.Time
}

var _ chat.Model = (*Model)(nil)

// New returns a model, without speaking to its server. It fails when config
// names no model, or an address that is none.
func New(config Config) (*Model, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithBaseURL(config.BaseURL),
		option.WithHTTPClient(config.HTTPClient),
		// The SDK's retries are the only ones. They end with the response's
		// headers, so that nothing is retried after the first token.
		option.WithMaxRetries(config.Retries),
		option.WithMiddleware(limitRefusals, boundRetryDelay(config.MaxRetryDelay)),
		// It would trace to whichever provider is registered, as the
		// environment says, and send the trace's ids along.
		option.WithoutOpenTelemetry(),
	}
	if config.APIKey != "" {
		options = append(options, option.WithAPIKey(config.APIKey))
	}
	return &Model{
		config: config,
		// Not sdk.NewClient: it would add keys, headers and addresses that it
		// finds in the environment and in files.
		client:  sdk.Client{Options: options},
		counter: tokens.For(config.Model),
		now:     time.Now,
	}, nil
}

// Name is the name of the model, as its server knows it.
func (m *Model) Name() string { return m.config.Model }

// Count counts tokens in o200k_base. Anthropic publishes no tokenizer: its
// newer models take up to a third more for the same text, which the default of
// [Config] leaves room for.
func (m *Model) Count(text string) int { return m.counter.Count(text) }

// Traits say what the model can do.
func (m *Model) Traits() chat.Traits {
	return chat.Traits{Language: true, Tools: m.config.Tools, Context: m.config.Context}
}

// Generate streams an answer, or asks for the whole of it; see [chat.Model].
// The usage is the server's, or estimated as far as it reports none. A request
// that the server refused, or that never reached it, has used nothing.
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
	call := begin(ctx, m.config)
	defer call.end()
	round := len(prompt.Messages)
	answer := &answer{call: call, emit: emit, mayCall: len(m.offered(prompt)) > 0}
	err = m.ask(call, body, prompt.Whole, answer)
	if call.sent.Load() {
		generated.Usage = m.usage(body, answer)
	}
	if err != nil {
		return generated, call.failure(err, answer.text.Len() > 0)
	}
	generated.Calls = answer.calls.found(round)
	return generated, nil
}

func (m *Model) ask(call *call, body []byte, whole bool, answer *answer) error {
	if whole {
		call.started() // the first token comes with the last
	}
	response, err := m.post(call, body, whole)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if isStream(response) {
		return answer.read(response.Body)
	}
	return answer.readWhole(response.Body)
}

// post returns the response of a server that has agreed to answer.
func (m *Model) post(call *call, body []byte, whole bool) (*http.Response, error) {
	accept := "text/event-stream"
	if whole {
		accept = "application/json"
	}
	var response *http.Response
	err := m.client.Post(call.ctx, "v1/messages", body, &response, option.WithHeader("Accept", accept))
	response, err = accepted(response, err)
	var refused *refusal
	if err == nil || errors.As(err, &refused) {
		call.sent.Store(err == nil) // also where the transport does not tell
	}
	return response, err
}

// isStream reports what a server answers with. One that streams, or does not,
// against the request is read as what it sends.
func isStream(response *http.Response) bool {
	return !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
}

// accepted tells a refusal, which the SDK can only name when its body is what
// it expects, from an answer and from no response.
func accepted(response *http.Response, err error) (*http.Response, error) {
	if response == nil {
		if err == nil {
			err = errNoResponse
		}
		return nil, err
	}
	if response.StatusCode == http.StatusOK && err == nil {
		return response, nil
	}
	refused := refusalOf(response)
	_ = response.Body.Close()
	return nil, refused
}
