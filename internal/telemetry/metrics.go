package telemetry

import (
	"context"
	"time"

	dto "github.com/prometheus/client_model/go"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
)

// metrics are what Prometheus would read, under the same names.
type metrics struct {
	resource *resourcepb.Resource
	gather   func() ([]*dto.MetricFamily, error)
	to       *collector
	since    uint64
}

func newMetrics(resource map[string]string, gather func() ([]*dto.MetricFamily, error), to *collector) *metrics {
	m := &metrics{resource: &resourcepb.Resource{}, gather: gather, to: to, since: nanos(time.Now())}
	for key, value := range resource {
		m.resource.Attributes = append(m.resource.Attributes, text(key, value))
	}
	return m
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
		err = m.to.send(ctx, metricsPath, m.message(families, nanos(time.Now())))
	}
	if err != nil {
		m.to.lose(0, err)
	}
}

// message is written like an ExportMetricsServiceRequest.
func (m *metrics) message(families []*dto.MetricFamily, at uint64) *metricspb.MetricsData {
	all := make([]*metricspb.Metric, 0, len(families))
	for _, family := range families {
		metric := &metricspb.Metric{Name: family.GetName(), Description: family.GetHelp()}
		if m.fill(metric, family, at) {
			all = append(all, metric)
		}
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: m.resource, ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: &commonpb.InstrumentationScope{Name: "parley"}, Metrics: all}},
	}}}
}

// fill gives a metric the data of a family, and reports whether OTLP has such data.
func (m *metrics) fill(metric *metricspb.Metric, family *dto.MetricFamily, at uint64) bool {
	switch family.GetType() {
	case dto.MetricType_COUNTER:
		points := m.points(family, at, func(one *dto.Metric) float64 { return one.GetCounter().GetValue() })
		metric.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{DataPoints: points, IsMonotonic: true, AggregationTemporality: cumulative}}
	case dto.MetricType_GAUGE:
		points := m.points(family, at, func(one *dto.Metric) float64 { return one.GetGauge().GetValue() })
		metric.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: points}}
	case dto.MetricType_HISTOGRAM:
		metric.Data = &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{DataPoints: m.histograms(family, at), AggregationTemporality: cumulative}}
	case dto.MetricType_SUMMARY:
		metric.Data = &metricspb.Metric_Summary{Summary: &metricspb.Summary{DataPoints: m.summaries(family, at)}}
	default:
		return false
	}
	return true
}

const cumulative = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE

func (m *metrics) points(family *dto.MetricFamily, at uint64, value func(*dto.Metric) float64) []*metricspb.NumberDataPoint {
	var all []*metricspb.NumberDataPoint
	for _, one := range family.GetMetric() {
		all = append(all, &metricspb.NumberDataPoint{
			Attributes: labels(one), StartTimeUnixNano: m.since, TimeUnixNano: at, Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: value(one)},
		})
	}
	return all
}

// histograms counts in each bucket what is in no smaller one, as OTLP does and Prometheus
// does not.
func (m *metrics) histograms(family *dto.MetricFamily, at uint64) []*metricspb.HistogramDataPoint {
	var all []*metricspb.HistogramDataPoint
	for _, one := range family.GetMetric() {
		histogram := one.GetHistogram()
		point := &metricspb.HistogramDataPoint{
			Attributes: labels(one), StartTimeUnixNano: m.since, TimeUnixNano: at, Count: histogram.GetSampleCount(), Sum: histogram.SampleSum,
		}
		before := uint64(0)
		for _, bucket := range histogram.GetBucket() {
			point.ExplicitBounds = append(point.ExplicitBounds, bucket.GetUpperBound())
			point.BucketCounts = append(point.BucketCounts, bucket.GetCumulativeCount()-before)
			before = bucket.GetCumulativeCount()
		}
		point.BucketCounts = append(point.BucketCounts, point.Count-before)
		all = append(all, point)
	}
	return all
}

func (m *metrics) summaries(family *dto.MetricFamily, at uint64) []*metricspb.SummaryDataPoint {
	var all []*metricspb.SummaryDataPoint
	for _, one := range family.GetMetric() {
		summary := one.GetSummary()
		point := &metricspb.SummaryDataPoint{
			Attributes: labels(one), StartTimeUnixNano: m.since, TimeUnixNano: at, Count: summary.GetSampleCount(), Sum: summary.GetSampleSum(),
		}
		for _, quantile := range summary.GetQuantile() {
			point.QuantileValues = append(point.QuantileValues, &metricspb.SummaryDataPoint_ValueAtQuantile{Quantile: quantile.GetQuantile(), Value: quantile.GetValue()})
		}
		all = append(all, point)
	}
	return all
}

func labels(metric *dto.Metric) []*commonpb.KeyValue {
	all := make([]*commonpb.KeyValue, 0, len(metric.GetLabel()))
	for _, label := range metric.GetLabel() {
		all = append(all, text(label.GetName(), label.GetValue()))
	}
	return all
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

func nanos(at time.Time) uint64 { return uint64(at.UnixNano()) }
