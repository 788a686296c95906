package app

import (
	"cmp"
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/internal/requestid"
	"parley/internal/telemetry"
	"parley/internal/trace"
)

// startTelemetry begins to send traces and metrics, if the configuration names a collector.
func (s *Server) startTelemetry() {
	if s.Config.SendsTelemetry() {
		s.telemetry = telemetry.Start(s.Config.TelemetryOf(s.version), s.metrics.Gather, s.Log)
	}
}

// counts reports whether anybody reads the metrics.
func (s *Server) counts() bool { return s.measured != nil || s.telemetry.Counts() }

// traceRequest records a request, up to the end of its stream. Probes are not recorded.
func (s *Server) traceRequest(c *fiber.Ctx) error {
	tracer := s.telemetry.Tracer()
	if tracer == nil || c.Path() == "/healthz" || c.Path() == "/readyz" {
		return c.Next()
	}
	ctx, request := tracer.Request(c.UserContext(), c.Get("traceparent"))
	if request == nil {
		return c.Next()
	}
	defer request.Release()
	c.SetUserContext(ctx)
	err := c.Next()
	span, status := trace.Of(ctx), c.Response().StatusCode()
	span.Rename(c.Method() + " " + c.Route().Path)
	span.Text("http.request.method", c.Method())
	span.Text("http.route", c.Route().Path)
	span.Number("http.response.status_code", status)
	span.Text(trace.RequestID, requestid.Of(c))
	if status >= fiber.StatusInternalServerError {
		span.Fail(cmp.Or(c.GetRespHeader("X-Error-Code"), strconv.Itoa(status)))
	}
	return err
}

// recordedModel records the calls of a model under OpenTelemetry's names for generative AI.
type recordedModel struct {
	answer.Model
	provider string
}

// recorded returns a model whose calls are recorded, if traces are sent.
func (p *Program) recorded(model answer.Model, provider string) answer.Model {
	if !p.Config.SendsTraces() {
		return model
	}
	if !model.Traits().Language {
		provider = "parley"
	}
	return recordedModel{model, provider}
}

// Generate implements [answer.Model].
func (m recordedModel) Generate(ctx context.Context, asked prompt.Prompt, emit func(text string) error) (answer.Generated, error) {
	if !trace.IsRecorded(ctx) {
		return m.Model.Generate(ctx, asked, emit)
	}
	ctx, span := trace.Call(ctx, "chat "+m.Name())
	defer span.End()
	describeCall(span, "chat", m.provider, m.Name())
	begun := false
	generated, err := m.Model.Generate(ctx, asked, func(text string) error {
		if !begun {
			begun = true
			span.Event("first token")
		}
		return emit(text)
	})
	if generated.Finish != "" {
		span.List("gen_ai.response.finish_reasons", string(generated.Finish))
	} else if len(generated.Calls) > 0 {
		span.List("gen_ai.response.finish_reasons", "tool_calls")
	}
	span.Number("gen_ai.usage.input_tokens", generated.Usage.PromptTokens)
	span.Number("gen_ai.usage.output_tokens", generated.Usage.CompletionTokens)
	failed(span, err)
	return generated, err
}

func describeCall(span trace.Span, operation, provider, model string) {
	span.Text("gen_ai.operation.name", operation)
	span.Text("gen_ai.provider.name", provider)
	span.Text("gen_ai.request.model", model)
}

// failed notes the code of an error, and nothing of its text.
func failed(span trace.Span, err error) {
	if err != nil {
		span.Fail(string(fault.As(err).Code()))
	}
}

// recordedEmbedder records the calls of an embedding server.
type recordedEmbedder struct {
	retrieval.Embedder
	model string
}

// Passages implements [retrieval.Embedder].
func (e recordedEmbedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	return e.record(ctx, texts, e.Embedder.Passages)
}

// Questions implements [retrieval.Embedder].
func (e recordedEmbedder) Questions(ctx context.Context, texts []string) ([][]float32, error) {
	return e.record(ctx, texts, e.Embedder.Questions)
}

func (e recordedEmbedder) record(ctx context.Context, texts []string, embed func(context.Context, []string) ([][]float32, error)) ([][]float32, error) {
	if !trace.IsRecorded(ctx) {
		return embed(ctx, texts)
	}
	ctx, span := trace.Call(ctx, "embeddings "+e.model)
	defer span.End()
	describeCall(span, "embeddings", "openai", e.model)
	vectors, err := embed(ctx, texts)
	failed(span, err)
	return vectors, err
}
