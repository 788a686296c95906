package trace

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Tracer begins traces. A nil one begins none.
type Tracer struct{ tracer trace.Tracer }

// New returns the tracer of a provider.
func New(provider trace.TracerProvider) *Tracer { return &Tracer{provider.Tracer(scope)} }

type tracerKey struct{}

// With returns a context in which [Begin] begins traces, unless the tracer is nil.
func With(ctx context.Context, t *Tracer) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, tracerKey{}, t)
}

// Begin begins a trace of work for which no request waits.
func Begin(ctx context.Context, name string) (context.Context, Span) {
	t, ok := ctx.Value(tracerKey{}).(*Tracer)
	if !ok {
		return ctx, Span{}
	}
	begun, span := t.tracer.Start(ctx, name, trace.WithNewRoot())
	if !span.IsRecording() {
		return ctx, Span{}
	}
	return begun, Span{span}
}

// Request is the span of a request. It ends when all who hold it have let go.
type Request struct {
	trace.Span
	holders atomic.Int32
}

// Request begins the part of a trace that a request is: of its caller's trace, as its header
// traceparent says, or of a new one. What it returns is nil if nothing is recorded; else the
// caller holds it.
//
// The caller's tracestate is dropped: nobody here reads it, and it can be any text.
func (t *Tracer) Request(ctx context.Context, traceparent string) (context.Context, *Request) {
	if t == nil {
		return ctx, nil
	}
	begun := ctx
	if traceparent != "" && len(traceparent) <= maxTraceparent {
		begun = propagation.TraceContext{}.Extract(ctx, header(traceparent))
	}
	begun, span := t.tracer.Start(begun, "request", trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() {
		return ctx, nil
	}
	request := &Request{Span: span}
	request.holders.Store(1)
	return trace.ContextWithSpan(begun, request), request
}

// maxTraceparent leaves room for what later versions of the header may add to its 55 bytes.
const maxTraceparent = 128

// header is the one header that is read of a request.
type header string

// Get implements [propagation.TextMapCarrier].
func (h header) Get(name string) string {
	if name == "traceparent" {
		return string(h)
	}
	return ""
}

// Set implements [propagation.TextMapCarrier].
func (header) Set(string, string) {}

// Keys implements [propagation.TextMapCarrier].
func (header) Keys() []string { return []string{"traceparent"} }

// Release lets go of the request.
func (r *Request) Release() {
	if r.holders.Add(-1) == 0 {
		r.End()
	}
}

// Hold keeps the span of a request open until the returned function is called, once: a
// stream goes on when its handler has returned.
func Hold(ctx context.Context) (release func()) {
	request, ok := trace.SpanFromContext(ctx).(*Request)
	if !ok {
		return func() {}
	}
	request.holders.Add(1)
	return request.Release
}
