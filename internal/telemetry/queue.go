package telemetry

import (
	"context"
	"errors"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// maxWaiting is how many spans wait to be sent, at most. More are lost.
const maxWaiting = 2048

var errFull = errors.New("spans come faster than the collector takes them")

// newQueue returns a processor that sends spans in batches and, unlike the SDK's alone, has
// those counted that are lost.
func newQueue(exporter sdk.SpanExporter, lose func(spans int, err error)) sdk.SpanProcessor {
	waiting := new(atomic.Int64)
	batches := sdk.NewBatchSpanProcessor(counting{exporter, waiting, lose}, sdk.WithMaxQueueSize(maxWaiting), sdk.WithExportTimeout(SendWithin))
	return bounded{batches, waiting, lose}
}

// bounded is a processor that admits as many spans as its queue takes.
type bounded struct {
	sdk.SpanProcessor
	waiting *atomic.Int64
	lose    func(spans int, err error)
}

// OnEnd implements [sdk.SpanProcessor].
func (b bounded) OnEnd(span sdk.ReadOnlySpan) {
	if b.waiting.Add(1) > maxWaiting {
		b.waiting.Add(-1)
		b.lose(1, errFull)
		return
	}
	b.SpanProcessor.OnEnd(span)
}

// counting is an exporter that notes what it has sent, and what it could not send.
type counting struct {
	sdk.SpanExporter
	waiting *atomic.Int64
	lose    func(spans int, err error)
}

// ExportSpans implements [sdk.SpanExporter].
func (c counting) ExportSpans(ctx context.Context, batch []sdk.ReadOnlySpan) error {
	defer c.waiting.Add(-int64(len(batch)))
	if err := c.SpanExporter.ExportSpans(ctx, batch); err != nil {
		c.lose(len(batch), err)
	}
	return nil // the SDK would log the error, each time
}
