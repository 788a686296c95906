// Package trace owns what the program records of a request or a job: its spans, which are
// its parts, with their times and a few attributes. Package telemetry sends them.
//
// No attribute has a text, a name or an address of a tenant. What goes into one is a number,
// a name that the program or its operator gave, or an identifier that says nothing.
//
// Nothing is recorded unless a [Tracer] has begun with it, and nobody needs one to record a
// part: its context says what it is a part of.
package trace

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of what records.
const scope = "parley"

// The keys of attributes that are not OpenTelemetry's.
const (
	RequestID     = "parley.request.id"
	WorkspaceID   = "parley.workspace.id"
	DocumentID    = "parley.document.id"
	DocumentState = "parley.document.state"
	MessageID     = "parley.webhook.message.id"
	Passages      = "parley.passages"
)

// Span is one part of a trace. The zero value records nothing, at no cost.
type Span struct{ span trace.Span }

// Of returns the span that a context is about.
func Of(ctx context.Context) Span {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return Span{span}
	}
	return Span{}
}

// Start begins a part of what a context is about, if that is recorded.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindInternal)
}

// Call is Start for a call of another server.
func Call(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindClient)
}

func start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !IsRecorded(ctx) {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, bounded(name), trace.WithSpanKind(kind))
	return ctx, Span{span}
}

// IsRecorded reports whether what a context is about is recorded. It may have ended: an
// answer can go on after its request.
func IsRecorded(ctx context.Context) bool { return trace.SpanContextFromContext(ctx).IsSampled() }

// Carry returns a context that is about what another one is about.
func Carry(to, from context.Context) context.Context {
	if !IsRecorded(from) {
		return to
	}
	return trace.ContextWithSpan(to, trace.SpanFromContext(from))
}

// IsRecorded reports whether attributes are worth making.
func (s Span) IsRecorded() bool { return s.span != nil }

// Rename gives the span another name.
func (s Span) Rename(name string) {
	if s.span != nil {
		s.span.SetName(bounded(name))
	}
}

// Text sets an attribute.
func (s Span) Text(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, bounded(value)))
	}
}

// maxText bounds names and attributes, in bytes.
const maxText = 256

// bounded returns a text as a collector takes it: one wrong byte would cost a whole batch.
func bounded(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// Number sets an attribute.
func (s Span) Number(key string, value int) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int(key, value))
	}
}

// List sets an attribute to a list of one.
func (s Span) List(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.StringSlice(key, []string{bounded(value)}))
	}
}

// Event notes that something happens.
func (s Span) Event(name string) {
	if s.span != nil {
		s.span.AddEvent(name)
	}
}

// Fail says that the part failed. The kind is one of few words, never the text of an error,
// which may quote what a tenant wrote.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String("error.type", kind))
		s.span.SetStatus(codes.Error, "")
	}
}

// End ends the part. A panic on its way is not recorded.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}
