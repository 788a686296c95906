// Package openai owns how a server that speaks OpenAI's chat-completions API
// is spoken to: the request, its retries and timeouts, the stream, and what
// its failures are to a caller.
//
// It does not own what the model is told (package chat) nor how tokens are
// counted (package llm/tokens).
package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

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
		option.WithMaxRetries(config.Retries),
		option.WithMaxRetryDelay(config.MaxRetryDelay),
		option.WithMiddleware(limitRefusals),
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
		now:     time.Now,
	}, nil
}

// Name is the name of the model, as its server knows it.
func (m *Model) Name() string { return m.config.Model }

// Generate streams an answer, or asks for the whole of it; see [chat.Model].
// The usage is the server's, or estimated when it reports none. An answer that
// breaks off comes with the estimated usage of what was emitted.
func (m *Model) Generate(ctx context.Context, prompt chat.Prompt, emit func(text string) error) (chat.Usage, error) {
	if err := ctx.Err(); err != nil {
		return chat.Usage{}, err
	}
	// From here on the body stands for the prompt: a long stream need not keep
	// both.
	body, err := m.request(prompt)
	if err != nil {
		return chat.Usage{}, err
	}
	whole := prompt.Whole
	call := begin(ctx, m.config)
	defer call.end()
	if whole {
		call.started() // the first token comes with the last
	}
	response, err := m.post(call.ctx, body, whole)
	if err != nil {
		return chat.Usage{}, call.failure(err, false)
	}
	defer func() { _ = response.Body.Close() }()

	answer := answer{call: call, emit: emit}
	if isStream(response) {
		err = answer.read(response.Body)
	} else {
		err = answer.readWhole(response.Body)
	}
	begun := answer.text.Len() > 0
	if err != nil && !begun {
		return chat.Usage{}, call.failure(err, begun)
	}
	usage := answer.usage
	if !answer.hasUsage {
		usage = m.estimate(body, answer.text.String())
	}
	if err != nil {
		return usage, call.failure(err, begun)
	}
	return usage, nil
}

// post returns the response of a server that has agreed to answer.
func (m *Model) post(ctx context.Context, body []byte, whole bool) (*http.Response, error) {
	var response *http.Response
	err := m.client.Post(ctx, "chat/completions", body, &response, option.WithHeader("Accept", accept(whole)))
	return accepted(response, err)
}

func accept(whole bool) string {
	if whole {
		return "application/json"
	}
	return "text/event-stream"
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

// estimate counts what the server did not report. The 3 tokens a message and
// 3 for the reply are those of OpenAI's cookbook, "How to count tokens with
// tiktoken".
func (m *Model) estimate(body []byte, answer string) chat.Usage {
	usage := chat.Usage{PromptTokens: 3, CompletionTokens: max(1, m.counter.Count(answer)), Estimated: true}
	var sent request
	_ = json.Unmarshal(body, &sent) // which this package has made
	for _, message := range sent.Messages {
		usage.PromptTokens += 3 + m.counter.Count(string(message.Role)) + m.counter.Count(message.Content)
	}
	return usage
}
