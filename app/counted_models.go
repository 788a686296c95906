package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/internal/health"
	"parley/internal/metrics"
	"parley/llm/upstream"
)

// The accounts that pay for calls of models, in metrics.
const (
	serversAccount    = "server"
	workspacesAccount = "workspace"
)

// The purposes of calls of models in metrics.
const (
	forAnswer = "answer"
	forEmbed  = "embed"
)

// The outcomes of calls of models in metrics that are not codes of package fault without
// their prefix: see [callOutcome].
const (
	callCompleted   = "completed"
	callInterrupted = "interrupted"
	callFailed      = "failed"
)

// callOutcomes are the outcomes of calls.
var callOutcomes = []string{callCompleted, callInterrupted, callFailed, "busy", "declined", "key_rejected", "unknown", "unpaid", "refused", "too_long"}

// callOutcome says how a call has ended: as the code of the failure says.
func callOutcome(err error) string {
	if err == nil {
		return callCompleted
	}
	f := fault.As(err)
	switch f.Kind {
	case fault.Upstream, fault.Unavailable:
	default: // whoever asked wanted no more
		if !errors.Is(err, context.DeadlineExceeded) {
			return callInterrupted
		}
	}
	switch f.Code() {
	case fault.ModelBusy, fault.ModelDeclined, fault.ModelKeyRejected, fault.ModelUnknown, fault.ModelUnpaid, fault.ModelRefused:
		return strings.TrimPrefix(string(f.Code()), "model_")
	case fault.ContextTooLong:
		return "too_long"
	}
	return callFailed
}

// countedModel counts the calls of a model, and how they end.
type countedModel struct {
	answer.Model
	calls *metrics.Calls
	// tally says whether the server's own models work, and is nil for a workspace's.
	tally *health.Tally
}

// Generate counts the call when it has ended.
func (m countedModel) Generate(ctx context.Context, asked prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	purpose := forAnswer
	if asked.Purpose != "" {
		purpose = string(asked.Purpose)
	}
	var refused error // by whoever asked
	began := time.Now()
	generated, err := m.Model.Generate(ctx, asked, func(text string) error {
		refused = emit(text)
		return refused
	})
	m.calls.Ended(purpose, callOutcome(err), time.Since(began), generated.Usage.PromptTokens, generated.Usage.CompletionTokens)
	switch {
	case m.tally == nil:
	case err == nil:
		m.tally.Succeeded()
	case refused == nil && ctx.Err() == nil && isModels(err):
		m.tally.Failed(err)
	}
	return generated, err
}

// countedModels counts the calls of all models but the last one, which quotes passages.
func (p *Program) countedModels(own []answer.Model) []answer.Model {
	out := append([]answer.Model(nil), own...)
	for i := range out[:len(out)-1] {
		out[i] = countedModel{out[i], p.serversCalls, p.tallies.model}
	}
	return out
}

// countedEmbedder counts the calls of the server's embedding model, and how they end.
type countedEmbedder struct {
	retrieval.Embedder
	calls *metrics.Calls
	tally *health.Tally
}

// Passages counts the call when it has ended.
func (e countedEmbedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	return e.count(ctx, texts, e.Embedder.Passages)
}

// Questions counts the call when it has ended.
func (e countedEmbedder) Questions(ctx context.Context, texts []string) ([][]float32, error) {
	return e.count(ctx, texts, e.Embedder.Questions)
}

func (e countedEmbedder) count(ctx context.Context, texts []string, embed func(context.Context, []string) ([][]float32, error)) ([][]float32, error) {
	began := time.Now()
	vectors, err := embed(ctx, texts)
	e.calls.Ended(forEmbed, callOutcome(err), time.Since(began), 0, 0)
	switch {
	case err == nil:
		e.tally.Succeeded()
	case ctx.Err() == nil && isModels(err):
		e.tally.Failed(err)
	}
	return vectors, err
}

// isModels reports whether a failure tells of the model, and not of what it was asked.
func isModels(err error) bool {
	var useless *upstream.Useless
	if errors.As(err, &useless) {
		return false
	}
	code := fault.As(err).Code()
	return code != fault.ModelDeclined && code != fault.ContextTooLong
}
