package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// lookedUpFor is how long what was looked up holds, however often it is asked for.
	lookedUpFor = 5 * time.Second
	// lookUpWithin bounds a look-up: a database that hangs must not hold a scrape up.
	lookUpWithin = 2 * time.Second
)

// Gauge is a figure that is looked up when somebody asks for it.
type Gauge struct{ desc *prometheus.Desc }

func gauge(name, help string, labels ...string) Gauge {
	return Gauge{prometheus.NewDesc(name, help, labels, nil)}
}

// The figures that are looked up.
var (
	StreamsOpen     = gauge("parley_streams_open", "Answers that are being streamed.")
	DocumentsBehind = gauge("parley_index_documents_behind", "Documents that are ready and not yet in the index of this server.")
	JobsPending     = gauge("parley_jobs_pending", "Workspaces whose work of a kind waits for a worker. All servers on a database have the same figure.", "kind")
	JobsOldest      = gauge("parley_jobs_oldest_seconds", "How long the job that is due longest has waited for a worker.")
	WebhooksPending = gauge("parley_webhooks_pending", "Deliveries of webhooks that have not ended, up to 100,000. Those that wait for another attempt count.")
	WebhooksOverdue = gauge("parley_webhooks_overdue_seconds", "How long the delivery that is due longest has waited for a sender.")
	MailsPending    = gauge("parley_mails_pending", "Mails that have not been sent, up to 100,000. Those that wait for another attempt count.")
	Connections     = gauge("parley_database_connections", "Connections to the database that requests share: in_use, idle, and unopened up to the limit.", "state")
	DiskFree        = gauge("parley_disk_free_bytes", "Free space on the disk of the data folder, or on the fullest of several.")
	DiskSize        = gauge("parley_disk_size_bytes", "Size of that disk.")
)

// Set gives a gauge its value.
type Set func(g Gauge, value float64, labels ...string)

// lookups collects the gauges.
type lookups struct {
	mu sync.Mutex
	// read is called each time, and look when what it found is too old. Both may be nil.
	read  func(set Set)
	look  func(ctx context.Context, set Set)
	found []prometheus.Metric
	at    time.Time
}

// Describe tells of all gauges.
func (l *lookups) Describe(out chan<- *prometheus.Desc) {
	for _, g := range []Gauge{
		StreamsOpen, DocumentsBehind, JobsPending, JobsOldest, WebhooksPending, WebhooksOverdue, MailsPending, Connections, DiskFree, DiskSize,
	} {
		out <- g.desc
	}
}

// Collect gives the gauges that were found. One that could not be looked up is missing: an
// old value would pass for the truth.
func (l *lookups) Collect(out chan<- prometheus.Metric) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read != nil {
		l.read(func(g Gauge, value float64, labels ...string) { out <- g.with(value, labels) })
	}
	if l.look != nil && (l.at.IsZero() || time.Since(l.at) >= lookedUpFor) {
		ctx, cancel := context.WithTimeout(context.Background(), lookUpWithin)
		defer cancel()
		l.found = nil
		l.look(ctx, func(g Gauge, value float64, labels ...string) { l.found = append(l.found, g.with(value, labels)) })
		l.at = time.Now()
	}
	for _, found := range l.found {
		out <- found
	}
}

func (g Gauge) with(value float64, labels []string) prometheus.Metric {
	return prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, labels...)
}

// LookUp has gauges looked up that cost something, such as a query, at most every five
// seconds.
func (m *Metrics) LookUp(look func(ctx context.Context, set Set)) {
	m.lookups.mu.Lock()
	defer m.lookups.mu.Unlock()
	m.lookups.look = look
}

// Read has gauges read with each scrape, from memory.
func (m *Metrics) Read(read func(set Set)) {
	m.lookups.mu.Lock()
	defer m.lookups.mu.Unlock()
	m.lookups.read = read
}
