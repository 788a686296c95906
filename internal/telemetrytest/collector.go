// Package telemetrytest has a collector of traces and metrics, for tests: it speaks OTLP over
// HTTP, and keeps what came.
package telemetrytest

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span that came.
type Span struct {
	Trace, ID, Parent string
	Name              string
	// Kind is such as SERVER.
	Kind       string
	Start, End time.Time
	// Attributes are written as text. Lists have commas.
	Attributes map[string]string
	Events     []string
	Failed     bool
	// Resource is what sent it.
	Resource map[string]string
}

// Collector takes what is sent to it.
type Collector struct {
	server *httptest.Server

	mu      sync.Mutex
	spans   []Span
	metrics map[string][]Point
	bytes   []byte
	headers http.Header
	wrong   []string
}

// Point is one value of a metric.
type Point struct {
	Attributes map[string]string
	Value      float64
	// Buckets are those of a histogram, of which Value is the count.
	Buckets []uint64
}

// New starts a collector, until the test ends.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{metrics: map[string][]Point{}}
	routes := http.NewServeMux()
	routes.HandleFunc("POST /v1/traces", c.takes(c.takeTraces))
	routes.HandleFunc("POST /v1/metrics", c.takes(c.takeMetrics))
	c.server = httptest.NewServer(routes)
	t.Cleanup(func() {
		c.server.Close()
		for _, wrong := range c.wrong {
			t.Error(wrong)
		}
	})
	return c
}

// URL is the collector's address.
func (c *Collector) URL() string { return c.server.URL }

func (c *Collector) takes(take func([]byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bytes = append(c.bytes, body...)
		c.headers = r.Header.Clone()
		if err == nil {
			err = take(body)
		}
		if got := r.Header.Get("Content-Type"); err != nil || got != "application/x-protobuf" {
			c.wrong = append(c.wrong, "a collector does not understand a body of "+got+" at "+r.URL.Path)
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf") // and no body is an empty answer
	}
}

func (c *Collector) takeTraces(body []byte) error {
	var data tracepb.TracesData
	if err := proto.Unmarshal(body, &data); err != nil {
		return err
	}
	for _, of := range data.GetResourceSpans() {
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				span := Span{
					Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
					Name: s.GetName(), Kind: strings.TrimPrefix(s.GetKind().String(), "SPAN_KIND_"),
					Start: at(s.GetStartTimeUnixNano()), End: at(s.GetEndTimeUnixNano()),
					Attributes: written(s.GetAttributes()), Resource: written(of.GetResource().GetAttributes()),
					Failed: s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR,
				}
				for _, event := range s.GetEvents() {
					span.Events = append(span.Events, event.GetName())
				}
				c.spans = append(c.spans, span)
			}
		}
	}
	return nil
}

func (c *Collector) takeMetrics(body []byte) error {
	var data metricspb.MetricsData
	if err := proto.Unmarshal(body, &data); err != nil {
		return err
	}
	for _, of := range data.GetResourceMetrics() {
		for _, scope := range of.GetScopeMetrics() {
			for _, metric := range scope.GetMetrics() {
				c.metrics[metric.GetName()] = points(metric)
			}
		}
	}
	return nil
}

func points(metric *metricspb.Metric) (all []Point) {
	for _, one := range slices.Concat(metric.GetSum().GetDataPoints(), metric.GetGauge().GetDataPoints()) {
		all = append(all, Point{Attributes: written(one.GetAttributes()), Value: one.GetAsDouble()})
	}
	for _, one := range metric.GetHistogram().GetDataPoints() {
		all = append(all, Point{Attributes: written(one.GetAttributes()), Value: float64(one.GetCount()), Buckets: one.GetBucketCounts()})
	}
	for _, one := range metric.GetSummary().GetDataPoints() {
		all = append(all, Point{Attributes: written(one.GetAttributes()), Value: float64(one.GetCount())})
	}
	return all
}

func at(nanos uint64) time.Time { return time.Unix(0, int64(nanos)) }

func written(pairs []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, pair := range pairs {
		all[pair.GetKey()] = text(pair.GetValue())
	}
	return all
}

func text(value *commonpb.AnyValue) string {
	switch v := value.GetValue().(type) {
	case *commonpb.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *commonpb.AnyValue_ArrayValue:
		var all []string
		for _, one := range v.ArrayValue.GetValues() {
			all = append(all, text(one))
		}
		return strings.Join(all, ",")
	}
	return value.GetStringValue()
}

// Spans are those that have come, in the order in which they began.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(c.spans), func(a, b Span) int { return a.Start.Compare(b.Start) })
}

// Metric returns the values of a metric, as they came last.
func (c *Collector) Metric(name string) []Point {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.metrics[name]
}

// Bytes are all bodies that have come.
func (c *Collector) Bytes() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.bytes)
}

// Headers are the headers that came last.
func (c *Collector) Headers() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers
}
