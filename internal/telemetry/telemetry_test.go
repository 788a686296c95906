package telemetry_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"parley/internal/telemetry"
	"parley/internal/telemetrytest"
	"parley/internal/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 30 * time.Second

// lines is a log that goroutines may write to.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func started(t *testing.T, config telemetry.Config) (*telemetry.Telemetry, *lines) {
	t.Helper()
	log := &lines{}
	config.Traces = true
	config.Headers = map[string]string{"api-key": "hunter2"}
	out := telemetry.Start(config, gathered, slog.New(slog.NewTextHandler(log, nil)))
	return out, log
}

// record records n spans.
func record(t *testing.T, from *telemetry.Telemetry, n int) {
	t.Helper()
	for range n {
		_, span := trace.Begin(trace.With(t.Context(), from.Tracer()), "job")
		span.Text(trace.WorkspaceID, "ws_1")
		span.End()
	}
}

func gathered() ([]*dto.MetricFamily, error) {
	label := &dto.LabelPair{Name: proto.String("kind"), Value: proto.String("fetch")}
	return []*dto.MetricFamily{
		{Name: proto.String("parley_jobs_total"), Type: dto.MetricType_COUNTER.Enum(), Metric: []*dto.Metric{{Label: []*dto.LabelPair{label}, Counter: &dto.Counter{Value: proto.Float64(3)}}}},
		{Name: proto.String("parley_streams_open"), Type: dto.MetricType_GAUGE.Enum(), Metric: []*dto.Metric{{Gauge: &dto.Gauge{Value: proto.Float64(2)}}}},
		{Name: proto.String("parley_seconds"), Type: dto.MetricType_HISTOGRAM.Enum(), Metric: []*dto.Metric{{Histogram: &dto.Histogram{
			SampleCount: proto.Uint64(9), SampleSum: proto.Float64(20),
			Bucket: []*dto.Bucket{{UpperBound: proto.Float64(1), CumulativeCount: proto.Uint64(4)}, {UpperBound: proto.Float64(5), CumulativeCount: proto.Uint64(7)}},
		}}}},
		{Name: proto.String("go_gc_duration_seconds"), Type: dto.MetricType_SUMMARY.Enum(), Metric: []*dto.Metric{{Summary: &dto.Summary{SampleCount: proto.Uint64(6)}}}},
	}, nil
}

func TestWhatIsSentArrives(t *testing.T) {
	to := telemetrytest.New(t)
	from, log := started(t, telemetry.Config{Endpoint: to.URL() + "/", Sampler: "always_on", Interval: time.Hour, Resource: map[string]string{"service.name": "parley"}})
	record(t, from, 3)
	from.Stop()
	t.Run("spans, with the resource and the headers", func(t *testing.T) {
		spans := to.Spans()
		if len(spans) != 3 || spans[0].Name != "job" || spans[0].Attributes[trace.WorkspaceID] != "ws_1" || spans[0].Resource["service.name"] != "parley" || to.Headers().Get("api-key") != "hunter2" {
			t.Errorf("there came %+v with %v", spans, to.Headers())
		}
	})
	t.Run("metrics of each type, under the names that Prometheus reads", func(t *testing.T) {
		total, open, seconds := to.Metric("parley_jobs_total"), to.Metric("parley_streams_open"), to.Metric("parley_seconds")
		if len(total) != 1 || total[0].Value != 3 || total[0].Attributes["kind"] != "fetch" {
			t.Errorf("the counter is %v", total)
		}
		if len(open) != 1 || open[0].Value != 2 {
			t.Errorf("the gauge is %v", open)
		}
		if len(seconds) != 1 || len(seconds[0].Buckets) != 3 || seconds[0].Buckets[0] != 4 || seconds[0].Buckets[1] != 3 || seconds[0].Buckets[2] != 2 {
			t.Errorf("the histogram is %v", seconds)
		}
		if len(to.Metric("go_gc_duration_seconds")) != 1 {
			t.Error("the summary is missing")
		}
	})
	if log.String() != "" {
		t.Errorf("it logs %s", log)
	}
}

func TestSamplers(t *testing.T) {
	for name, sent := range map[string]bool{
		"always_on": true, "always_off": false, "traceidratio": false, "parentbased_always_on": true, "parentbased_always_off": false, "parentbased_traceidratio": false,
	} {
		t.Run(name+" with a ratio of 0", func(t *testing.T) {
			from, _ := started(t, telemetry.Config{Endpoint: "http://127.0.0.1:1", Sampler: name})
			defer from.Stop()
			_, span := trace.Begin(trace.With(t.Context(), from.Tracer()), "job")
			if span.IsRecorded() != sent {
				t.Errorf("it is recorded: %v", span.IsRecorded())
			}
		})
	}
}

func TestNoTelemetry(t *testing.T) {
	var none *telemetry.Telemetry
	if none.Tracer() != nil || none.Counts() {
		t.Error("it sends something")
	}
	none.Stop()
}

// bad starts a collector that answers badly.
func bad(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come about that %s", what)
		}
	}
}

func TestCollectorThatHangs(t *testing.T) {
	gone := make(chan struct{})
	arrived := make(chan struct{}, 100)
	address := bad(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	})
	defer close(gone)
	from, log := started(t, telemetry.Config{Endpoint: address, Sampler: "always_on", Interval: time.Hour})
	record(t, from, 1000)
	<-arrived // the first batch: the rest waits behind it
	record(t, from, 10_000)
	t.Run("what does not fit the queue is lost, and logged once", func(t *testing.T) {
		if n := strings.Count(log.String(), "did not take all telemetry"); n != 1 || !strings.Contains(log.String(), "level=WARN") {
			t.Errorf("it logs %d lines: %s", n, log)
		}
	})
	t.Run("it does not hold up a stop for as long as it may take to answer", func(t *testing.T) {
		began := time.Now()
		from.Stop()
		if took := time.Since(began); took >= telemetry.SendWithin {
			t.Errorf("the stop took %v", took)
		}
		if !strings.Contains(log.String(), "lost_spans=") || strings.Contains(log.String(), "hunter2") {
			t.Errorf("it logs %s", log)
		}
	})
}

func TestCollectorThatFails(t *testing.T) {
	for what, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"that answers 500": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "hunter3", http.StatusInternalServerError) }, "it answered 500"},
		"that redirects": {func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/elsewhere") {
				t.Error("the redirect is followed, with its headers")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "it answered 307"},
		"that speaks something else": {func(w http.ResponseWriter, _ *http.Request) {
			conn, buffer, _ := w.(http.Hijacker).Hijack()
			_, _ = buffer.WriteString("\x00\x00\x06\x04 no HTTP\r\n\r\n")
			_ = buffer.Flush()
			_ = conn.Close()
		}, "error="},
	} {
		t.Run("of a collector "+what+", spans are lost and a warning says why", func(t *testing.T) {
			from, log := started(t, telemetry.Config{Endpoint: bad(t, c.answer), Sampler: "always_on"})
			record(t, from, 3)
			from.Stop()
			if !strings.Contains(log.String(), c.says) || !strings.Contains(log.String(), "lost_spans=3") || strings.Count(log.String(), "\n") != 1 || strings.Contains(log.String(), "hunter") {
				t.Errorf("it logs %s", log)
			}
		})
	}
	t.Run("of an address where nobody listens, too", func(t *testing.T) {
		from, log := started(t, telemetry.Config{Endpoint: "http://me:hunter2@127.0.0.1:1", Sampler: "always_on"})
		record(t, from, 3)
		from.Stop()
		if !strings.Contains(log.String(), "connection refused") || strings.Contains(log.String(), "hunter") {
			t.Errorf("it logs %s", log)
		}
	})
}

func TestWhatACollectorRejectsIsLost(t *testing.T) {
	answer := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 2)
	answer = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), answer)
	for what, c := range map[string]struct {
		answer []byte
		lost   string
	}{
		"two of three":          {answer, "lost_spans=2"},
		"what is no answer":     {[]byte("<html>"), ""},
		"an answer that is cut": {answer[:3], ""},
	} {
		t.Run(what, func(t *testing.T) {
			address := bad(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(c.answer) })
			from, log := started(t, telemetry.Config{Endpoint: address, Sampler: "always_on"})
			record(t, from, 3)
			from.Stop()
			if (log.String() == "") != (c.lost == "") || !strings.Contains(log.String(), c.lost) {
				t.Errorf("it logs %s", log)
			}
		})
	}
}

func TestCollectorThatAnswersWithoutEnd(t *testing.T) {
	const endless = 1 << 30
	var wrote atomic.Int64
	address := bad(t, func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 64<<10)
		for wrote.Load() < endless {
			n, err := w.Write(piece)
			if err != nil {
				return
			}
			wrote.Add(int64(n))
		}
	})
	from, log := started(t, telemetry.Config{Endpoint: address, Sampler: "always_on"})
	record(t, from, 3)
	from.Stop()
	if wrote.Load() >= endless {
		t.Error("all of it is read")
	}
	if log.String() != "" {
		t.Errorf("it logs %s", log)
	}
}

func TestCollectorThatIsBusyIsAskedAgain(t *testing.T) {
	var asked atomic.Int32
	address := bad(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	from, log := started(t, telemetry.Config{Endpoint: address, Sampler: "always_on"})
	record(t, from, 600) // more than one batch, so that it is sent before the stop
	eventually(t, "it is asked again", func() bool { return asked.Load() >= 2 })
	from.Stop()
	if log.String() != "" {
		t.Errorf("it logs %s", log)
	}
}
