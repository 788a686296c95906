package telemetry

import (
	"context"
	"math"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// metrics are what Prometheus would read, under the same names.
type metrics struct {
	resource map[string]string
	gather   func() ([]*dto.MetricFamily, error)
	to       *collector
	// since is when all counts began.
	since time.Time
}

// sendEvery sends the metrics at each interval until ctx ends.
func (m *metrics) sendEvery(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.send(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// send sends the metrics as they are now. What cannot be gathered is left out.
func (m *metrics) send(ctx context.Context) {
	families, err := m.gather()
	if len(families) > 0 {
		var all message
		for _, family := range families {
			all = m.append(all, family, time.Now())
		}
		err = m.to.send(ctx, metricsPath, request(m.resource, all))
	}
	if err != nil {
		m.to.lose(0, err)
	}
}

// append writes a metric, if OTLP has its type. The types have their data in fields of their
// own.
func (m *metrics) append(all message, family *dto.MetricFamily, at time.Time) message {
	metric := message{}.text(1, family.GetName()).text(2, family.GetHelp())
	switch family.GetType() {
	case dto.MetricType_GAUGE:
		metric = metric.in(5, m.points(family, at, gauge))
	case dto.MetricType_COUNTER:
		metric = metric.in(7, m.points(family, at, counter).number(2, cumulative).number(3, monotonic))
	case dto.MetricType_HISTOGRAM:
		metric = metric.in(9, m.points(family, at, histogram).number(2, cumulative))
	case dto.MetricType_SUMMARY:
		metric = metric.in(11, m.points(family, at, summary))
	default:
		return all
	}
	return all.in(2, metric)
}

const (
	cumulative = 2
	monotonic  = 1
)

// points writes the values of a metric.
func (m *metrics) points(family *dto.MetricFamily, at time.Time, write func(message, *dto.Metric) message) (all message) {
	for _, one := range family.GetMetric() {
		all = all.in(1, write(message{}.moment(2, m.since).moment(3, at), one))
	}
	return all
}

func gauge(point message, one *dto.Metric) message {
	return labels(point.float(4, one.GetGauge().GetValue()), 7, one)
}

func counter(point message, one *dto.Metric) message {
	return labels(point.float(4, one.GetCounter().GetValue()), 7, one)
}

// histogram counts in each bucket what is in no smaller one, as OTLP does and Prometheus
// does not.
func histogram(point message, one *dto.Metric) message {
	h := one.GetHistogram()
	point = point.fixed(4, h.GetSampleCount()).float(5, h.GetSampleSum())
	var counts, bounds []byte
	before := uint64(0)
	for _, bucket := range h.GetBucket() {
		counts = protowire.AppendFixed64(counts, bucket.GetCumulativeCount()-before)
		bounds = protowire.AppendFixed64(bounds, math.Float64bits(bucket.GetUpperBound()))
		before = bucket.GetCumulativeCount()
	}
	counts = protowire.AppendFixed64(counts, h.GetSampleCount()-before)
	return labels(point.in(6, counts).in(7, bounds), 9, one)
}

func summary(point message, one *dto.Metric) message {
	s := one.GetSummary()
	point = point.fixed(4, s.GetSampleCount()).float(5, s.GetSampleSum())
	for _, quantile := range s.GetQuantile() {
		point = point.in(6, message{}.float(1, quantile.GetQuantile()).float(2, quantile.GetValue()))
	}
	return labels(point, 7, one)
}

func labels(point message, field protowire.Number, one *dto.Metric) message {
	for _, label := range one.GetLabel() {
		point = point.pair(field, label.GetName(), label.GetValue())
	}
	return point
}
