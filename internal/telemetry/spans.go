package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends spans.
type exporter struct {
	resource map[string]string
	to       *collector
}

// ExportSpans implements [sdk.SpanExporter].
func (e exporter) ExportSpans(ctx context.Context, batch []sdk.ReadOnlySpan) error {
	var all message
	for _, span := range batch {
		all = all.in(2, spanMessage(span))
	}
	return e.to.send(ctx, tracesPath, request(e.resource, all))
}

// Shutdown implements [sdk.SpanExporter].
func (exporter) Shutdown(context.Context) error { return nil }

func spanMessage(span sdk.ReadOnlySpan) message {
	trace, id, parent := span.SpanContext().TraceID(), span.SpanContext().SpanID(), span.Parent().SpanID()
	m := message{}.in(1, trace[:]).in(2, id[:])
	if parent.IsValid() {
		m = m.in(4, parent[:])
	}
	m = m.text(5, span.Name()).number(6, uint64(span.SpanKind())). // the numbers are OTLP's
									moment(7, span.StartTime()).moment(8, span.EndTime()).attributes(9, span.Attributes())
	for _, event := range span.Events() {
		m = m.in(11, message{}.moment(1, event.Time).text(2, event.Name))
	}
	if span.Status().Code == codes.Error {
		m = m.in(15, message{}.number(3, statusError))
	}
	return m
}

const statusError = 2
