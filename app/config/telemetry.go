package config

import (
	"cmp"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/net/http/httpguts"

	"parley/internal/telemetry"
)

// Telemetry configures traces and metrics by OTLP, under OpenTelemetry's names.
type Telemetry struct {
	Collector        string `name:"otel-exporter-otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" secret:"url" help:"Collector of traces and metrics by OTLP over HTTP, such as http://127.0.0.1:4318. Default: none."`
	CollectorHeaders string `name:"otel-exporter-otlp-headers" env:"OTEL_EXPORTER_OTLP_HEADERS" placeholder:"HEADERS" secret:"text" help:"Headers for the collector, such as api-key=…,tenant=a."`
	OTLPProtocol     string `name:"otel-exporter-otlp-protocol" env:"OTEL_EXPORTER_OTLP_PROTOCOL" default:"http/protobuf" help:"Must be http/protobuf."`
	ServiceName      string `name:"otel-service-name" env:"OTEL_SERVICE_NAME" placeholder:"NAME" help:"Name of this service. Default: parley."`
	Resource         string `name:"otel-resource-attributes" env:"OTEL_RESOURCE_ATTRIBUTES" placeholder:"ATTRIBUTES" help:"What else describes it, such as deployment.environment.name=test."`
	TracesExporter   string `name:"otel-traces-exporter" env:"OTEL_TRACES_EXPORTER" default:"otlp" help:"Whether traces are sent: otlp or none."`
	Sampler          string `name:"otel-traces-sampler" env:"OTEL_TRACES_SAMPLER" default:"parentbased_always_on" help:"Which are: always_on, always_off or traceidratio, with parentbased_ before it to follow a caller's traceparent."`
	SamplerArg       string `name:"otel-traces-sampler-arg" env:"OTEL_TRACES_SAMPLER_ARG" placeholder:"RATIO" help:"Ratio from 0 to 1 for traceidratio. Default: 1."`
	MetricsExporter  string `name:"otel-metrics-exporter" env:"OTEL_METRICS_EXPORTER" default:"otlp" help:"Whether metrics are sent: otlp or none."`
	MetricInterval   int    `name:"otel-metric-export-interval" env:"OTEL_METRIC_EXPORT_INTERVAL" range:"1000-86400000" default:"60000" help:"Milliseconds between two sendings of metrics."`
	TelemetryOff     bool   `name:"otel-sdk-disabled" env:"OTEL_SDK_DISABLED" help:"Whether to send nothing."`
}

// check refuses no setting of a server that sends nothing: a platform may set some for all
// that it runs.
func (c *Telemetry) check() error {
	if !c.SendsTelemetry() {
		return nil
	}
	if !isWebURL(c.Collector) {
		return errors.New("OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// address without a query, such as http://127.0.0.1:4318")
	}
	if c.OTLPProtocol != "" && c.OTLPProtocol != "http/protobuf" {
		return errors.New("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, and OTEL_EXPORTER_OTLP_ENDPOINT an address that takes it, such as http://127.0.0.1:4318")
	}
	headers, err := pairs(c.CollectorHeaders)
	for name, value := range headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			err = errPairs
		}
	}
	if err != nil {
		return errors.New("OTEL_EXPORTER_OTLP_HEADERS must be names and values of headers, such as api-key=secret,tenant=a, with % for what a URL escapes")
	}
	if _, err := pairs(c.Resource); err != nil {
		return errors.New("OTEL_RESOURCE_ATTRIBUTES must be names and values, such as deployment.environment.name=test,team=a, with % for what a URL escapes")
	}
	if !isExporter(c.TracesExporter) {
		return errors.New("OTEL_TRACES_EXPORTER must be otlp or none")
	}
	if !isExporter(c.MetricsExporter) {
		return errors.New("OTEL_METRICS_EXPORTER must be otlp or none; Prometheus reads METRICS_ADDR")
	}
	if c.Sampler != "" && !telemetry.IsSampler(c.Sampler) {
		return errors.New("OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of them after parentbased_, such as parentbased_traceidratio")
	}
	if ratio, err := c.ratio(); err != nil || !(ratio >= 0 && ratio <= 1) { // which NaN is not
		return errors.New("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.01")
	}
	return nil
}

func isExporter(name string) bool { return name == "" || name == "otlp" || name == "none" }

func (c *Telemetry) ratio() (float64, error) {
	if c.SamplerArg == "" {
		return 1, nil
	}
	return strconv.ParseFloat(c.SamplerArg, 64)
}

var errPairs = errors.New("these are no pairs")

// pairs reads names and values as OpenTelemetry writes them in its variables.
func pairs(text string) (map[string]string, error) {
	all := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil {
			return nil, errPairs
		}
		all[name] = value
	}
	return all, nil
}

// SendsTelemetry reports whether the server sends traces or metrics.
func (c *Telemetry) SendsTelemetry() bool {
	return c.Collector != "" && !c.TelemetryOff
}

// SendsTraces reports whether the server sends traces.
func (c *Telemetry) SendsTraces() bool { return c.SendsTelemetry() && c.TracesExporter != "none" }

// TelemetryOf returns what package telemetry needs to know, of a version of the program.
func (c *Telemetry) TelemetryOf(version string) telemetry.Config {
	out := telemetry.Config{Endpoint: c.Collector, Traces: c.SendsTraces(), Sampler: cmp.Or(c.Sampler, "parentbased_always_on")}
	out.Headers, _ = pairs(c.CollectorHeaders) // checked before
	out.Resource, _ = pairs(c.Resource)
	out.Ratio, _ = c.ratio()
	if c.MetricsExporter != "none" {
		out.Interval = time.Duration(cmp.Or(c.MetricInterval, defaultInterval)) * time.Millisecond
	}
	out.Resource["service.name"] = cmp.Or(c.ServiceName, out.Resource["service.name"], "parley")
	out.Resource["service.version"] = version
	out.Resource["service.instance.id"] = uuid.NewString()
	return out
}

const defaultInterval = 60_000
