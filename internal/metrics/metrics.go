// Package metrics owns the figures that an operator's Prometheus reads: their names,
// their labels, and the address that serves them.
//
// It does not own what is counted and when. No label names a workspace, a person or a
// raw path: the program fixes all values of labels.
package metrics

import (
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the figures of one process.
type Metrics struct {
	registry *prometheus.Registry

	events      *prometheus.CounterVec
	corrections prometheus.Counter
	alarms      *prometheus.CounterVec
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	security    *prometheus.CounterVec
	backup      prometheus.Gauge
	unencoded   prometheus.Gauge
	build       *prometheus.GaugeVec
	answers     *answers
	models      *models
	jobFailures *prometheus.CounterVec
	readers     *prometheus.CounterVec
	lookups     *lookups
}

// New returns figures that are all zero.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		events: counter("parley_billing_events_total",
			"Events received from Stripe, by type and outcome.", "type", "outcome"),
		corrections: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "parley_billing_corrections_total",
			Help: "Subscriptions that differed from Stripe when all were compared.",
		}),
		alarms: counter("parley_billing_alarms_total",
			"States at Stripe that an operator should look at, by reason.", "reason"),
		requests: counter("parley_requests_total",
			"Answered requests.", "method", "route", "status"),
		security: counter("parley_security_events_total",
			"Requests and connections refused for security reasons, by event.", "event"),
		backup: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_last_backup_timestamp_seconds",
			Help: "When parley backup last made a backup, in seconds since 1970; 0 if it never did.",
		}),
		unencoded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_unencoded_passages",
			Help: "Passages still to be encoded, as the server that encodes them last counted.",
		}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "parley_request_duration_seconds",
			Help:    "Time until the response was ready or, for a stream, until it ended.",
			Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5, 10, 60},
		}, []string{"method", "route"}),
		build: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "parley_build_info",
			Help: "Always 1, with the version of the program and of Go.",
		}, []string{"version", "goversion"}),
		answers: newAnswers(), models: newModels(), lookups: &lookups{},
		jobFailures: counter("parley_job_failures_total",
			"Jobs that failed and are tried again, by kind of work.", "kind"),
		readers: counter("parley_readers_total",
			"Processes that read files and have ended, by how: finished, at a limit, killed by the system, or failed.", "end"),
	}
	m.registry.MustRegister(m.events, m.corrections, m.alarms, m.requests, m.durations, m.security, m.backup, m.unencoded, m.build, m.jobFailures, m.readers, m.lookups,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(append(m.answers.collectors(), m.models.collectors()...)...)
	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// eventTypes lists the types of Stripe's events that are counted by name:
// https://docs.stripe.com/api/events/types
var eventTypes = []string{
	"charge.dispute.closed", "charge.dispute.created", "charge.dispute.funds_reinstated", "charge.dispute.funds_withdrawn",
	"charge.dispute.updated", "charge.refund.updated", "charge.refunded",
	"checkout.session.async_payment_failed", "checkout.session.async_payment_succeeded",
	"checkout.session.completed", "checkout.session.expired",
	"customer.deleted", "customer.updated",
	"customer.subscription.created", "customer.subscription.deleted", "customer.subscription.paused",
	"customer.subscription.resumed", "customer.subscription.trial_will_end", "customer.subscription.updated",
	"invoice.created", "invoice.finalized", "invoice.marked_uncollectible", "invoice.paid", "invoice.payment_action_required",
	"invoice.payment_failed", "invoice.payment_succeeded", "invoice.upcoming", "invoice.updated", "invoice.voided",
	"subscription_schedule.aborted", "subscription_schedule.canceled", "subscription_schedule.completed",
	"subscription_schedule.created", "subscription_schedule.released", "subscription_schedule.updated",
}

// Event counts an event from Stripe. An unknown type counts as "other".
func (m *Metrics) Event(kind, outcome string) {
	if !slices.Contains(eventTypes, kind) {
		kind = Unlisted
	}
	m.events.WithLabelValues(kind, outcome).Inc()
}

// DeclareSecurity creates the figure of a security event with the value zero.
func (m *Metrics) DeclareSecurity(event string) { m.security.WithLabelValues(event) }

// Security counts a security event.
func (m *Metrics) Security(event string) { m.security.WithLabelValues(event).Inc() }

// BackedUp says when the last backup was made.
func (m *Metrics) BackedUp(at time.Time) {
	if !at.IsZero() {
		m.backup.Set(float64(at.Unix()))
	}
}

// Unencoded says how many passages are still to be encoded.
func (m *Metrics) Unencoded(passages int) { m.unencoded.Set(float64(passages)) }

// Corrected counts a subscription that a comparison with Stripe changed.
func (m *Metrics) Corrected() { m.corrections.Inc() }

// Alarm counts something that an operator should look at.
func (m *Metrics) Alarm(reason string) { m.alarms.WithLabelValues(reason).Inc() }

// KnowAlarms exports alarms as zero before they first occur, because the rate of a
// missing figure never rises.
func (m *Metrics) KnowAlarms(reasons ...string) {
	for _, reason := range reasons {
		m.alarms.WithLabelValues(reason)
	}
}

// Request counts a response. Route is the path as registered, with the names of its
// parameters.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(method, route).Observe(took.Seconds())
}

// Build says which program runs.
func (m *Metrics) Build(version string) {
	m.build.WithLabelValues(version, runtime.Version()).Set(1)
}

// KnowEvents declares the outcomes of Stripe's events.
func (m *Metrics) KnowEvents(outcomes ...string) {
	for _, outcome := range outcomes {
		for _, kind := range append([]string{Unlisted}, eventTypes...) {
			m.events.WithLabelValues(kind, outcome)
		}
	}
}

// KnowRequests declares the statuses with which a route answers.
func (m *Metrics) KnowRequests(method, route string, statuses ...int) {
	m.durations.WithLabelValues(method, route)
	for _, status := range statuses {
		m.requests.WithLabelValues(method, route, strconv.Itoa(status))
	}
}
