// Package upstreamtest has the suite that every adapter built on package upstream
// must pass: what a caller and the log learn of its failures, when its requests
// end, and how many it sends.
//
// It does not test what every model does (package llmtest does), nor the meaning
// of one wire format, which each adapter tests itself.
package upstreamtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/llm/llmtest"
	"parley/llm/upstream"
)

// Key and Question must not appear in any error: the key of every model that the
// suite opens, and the question of [llmtest.Prompt].
const (
	Key      = "sk-test-5ecret"
	Question = "How do I reset the router?"
)

// The messages for callers.
const (
	NotAnswered = "The language model did not answer. Try again."
	BrokeOff    = "The language model stopped in the middle of its answer. Try again."
	TooBusy     = "The language model is busy. Try again in a moment."
	RejectsKey  = "The chatbot's model provider rejects its key. The chatbot's owner must enter a new one in the dashboard."
	Unknown     = "The chatbot's model provider does not know its model. The chatbot's owner must choose another in the dashboard."
	Refuses     = "The chatbot's model provider refuses the request, and will refuse it again. The chatbot's owner must check the settings of its model."
)

// Adapter is what the suite tests.
type Adapter struct {
	// Serve starts a double of the adapter's server.
	Serve func(t testing.TB, reply llmtest.Reply) *llmtest.Server
	// Open returns a model that sends [Key].
	Open func(t testing.TB, config Config) answer.Model
	// Echo is an error of the server that repeats Key and Question wherever
	// possible.
	Echo string
	// Text and End are data lines of a stream: a text, and the one that
	// completes the answer, without usage.
	Text, End string
}

// Config is how the suite configures a model.
type Config struct {
	BaseURL    string
	Limits     upstream.Limits
	HTTPClient *http.Client
}

// Run is the suite.
func Run(t *testing.T, adapter Adapter) {
	t.Run("failures", adapter.failures)
	t.Run("failures of whole answers", adapter.failuresOfWhole)
	t.Run("canceling", adapter.canceling)
	t.Run("timeouts", adapter.timeouts)
	t.Run("connections", adapter.connections)
	t.Run("characters", adapter.characters)
	t.Run("usage without an answer", adapter.usageWithoutAnswer)
	t.Run("checks", adapter.checks)
}

// patient returns limits for slow machines.
func patient() upstream.Limits {
	return upstream.Limits{Timeout: time.Minute, FirstToken: time.Minute, MaxRetryDelay: time.Millisecond}
}

// at returns a model on a server; change may lower its limits.
func (a *Adapter) at(t testing.TB, server *llmtest.Server, change func(*Config)) answer.Model {
	t.Helper()
	config := Config{BaseURL: server.BaseURL(), Limits: patient()}
	if change != nil {
		change(&config)
	}
	return a.Open(t, config)
}

// Generate has a model answer a prompt, and returns the pieces that it emits and
// its result.
func Generate(ctx context.Context, model answer.Model, asked prompt.Prompt) ([]string, answer.Generated, error) {
	var pieces []string
	generated, err := model.Generate(ctx, asked, func(text string) error {
		pieces = append(pieces, text)
		return nil
	})
	return pieces, generated, err
}

// generate has a model answer the usual prompt.
func generate(ctx context.Context, model answer.Model) ([]string, answer.Usage, error) {
	pieces, generated, err := Generate(ctx, model, llmtest.Prompt())
	return pieces, generated.Usage, err
}

// WantFault fails unless err is a fault with this message, of kind Unavailable for a
// busy server and Upstream for all others, and shows no secret.
func WantFault(t testing.TB, err error, message string) *fault.Error {
	t.Helper()
	kind := fault.Upstream
	var refused *upstream.Refusal
	if errors.As(err, &refused) && refused.Busy && message != BrokeOff {
		kind = fault.Unavailable
	}
	if !fault.Is(err, kind) {
		t.Fatalf("err = %v, want a fault of kind %d", err, kind)
	}
	found := fault.As(err)
	if found.Message != message {
		t.Errorf("message = %q, want %q", found.Message, message)
	}
	for _, form := range []string{err.Error(), fmt.Sprintf("%+v %#v", found.Cause, found.Cause)} {
		for _, secret := range []string{Key, Question, "passages only"} {
			if strings.Contains(form, secret) {
				t.Errorf("the error shows %q: %s", secret, form)
			}
		}
	}
	return found
}

// WantPromptOnly expects the usage of a failed request.
func WantPromptOnly(t testing.TB, usage answer.Usage) {
	t.Helper()
	if !usage.Estimated || usage.PromptTokens < 15 || usage.CompletionTokens != 0 {
		t.Errorf("usage = %+v, want the estimated tokens of the prompt alone", usage)
	}
}

// Fill returns pieces of the given size.
func Fill(pieces, bytes int) []string {
	all := make([]string, pieces)
	for i := range all {
		all[i] = strings.Repeat("a", bytes)
	}
	return all
}
