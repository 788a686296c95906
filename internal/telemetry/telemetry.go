// Package telemetry sends traces and metrics to the operator's collector, by OTLP over HTTP.
// It owns how they are batched, sent, and lost: a collector that hangs costs a bounded queue,
// a warning a minute, and no request any time.
//
// It does not own what is recorded (package trace and who calls it) or counted (package
// metrics). The collector's address is the operator's, so that it may be a private one.
package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"parley/internal/trace"
)

// Config says what is sent, and where to.
type Config struct {
	// Endpoint is the collector's address, below which each signal has a path of its own.
	Endpoint string
	// Headers go with each request.
	Headers map[string]string
	// Resource says who sends.
	Resource map[string]string
	// Traces says that traces are sent. The sampler, which has a name of OpenTelemetry's, chooses
	// which: by ratio, a part of them.
	Traces  bool
	Sampler string
	Ratio   float64
	// Interval is how often metrics are sent, or zero if they are not.
	Interval time.Duration
}

// flushWithin bounds how long a stop waits for a collector.
const flushWithin = 2 * time.Second

// Telemetry sends what one process records and counts. A nil one sends nothing.
type Telemetry struct {
	collector *collector
	provider  *sdk.TracerProvider
	tracer    *trace.Tracer
	metrics   *metrics
	sending   sync.WaitGroup
	stop      context.CancelFunc
}

// Start begins to send. Gather returns the metrics.
func Start(config Config, gather func() ([]*dto.MetricFamily, error), log *slog.Logger) *Telemetry {
	lifetime, stop := context.WithCancel(context.Background())
	t := &Telemetry{collector: newCollector(lifetime, config, log), stop: stop}
	if config.Traces {
		t.provider = sdk.NewTracerProvider(
			sdk.WithSampler(samplerNamed(config.Sampler, config.Ratio)),
			sdk.WithResource(resource.Empty()), // each request says it
			sdk.WithSpanProcessor(newQueue(exporter{config.Resource, t.collector}, t.collector.lose)),
		)
		t.tracer = trace.New(t.provider)
	}
	if config.Interval > 0 {
		t.metrics = &metrics{config.Resource, gather, t.collector, time.Now()}
		t.sending.Go(func() { t.metrics.sendEvery(lifetime, config.Interval) })
	}
	return t
}

// Tracer returns the tracer, or nil if no traces are sent.
func (t *Telemetry) Tracer() *trace.Tracer {
	if t == nil {
		return nil
	}
	return t.tracer
}

// Counts reports whether metrics are sent.
func (t *Telemetry) Counts() bool { return t != nil && t.metrics != nil }

// Stop sends what has not been sent, for at most two seconds. It does not wait for a collector
// that did not answer last time.
func (t *Telemetry) Stop() {
	if t == nil {
		return
	}
	t.collector.stopping.Store(true)
	if t.collector.fails() {
		t.stop()
	}
	defer time.AfterFunc(flushWithin, t.stop).Stop()
	if t.provider != nil {
		_ = t.provider.Shutdown(context.Background()) // which ends soon once nothing is sent any more
	}
	if t.metrics != nil {
		t.metrics.send(context.Background())
	}
	t.stop()
	t.sending.Wait()
	t.collector.close()
}
