package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// models are the figures of calls of models.
type models struct {
	calls    *prometheus.CounterVec
	duration prometheus.Histogram
	tokens   *prometheus.CounterVec
}

func newModels() *models {
	return &models{
		calls: counter("parley_model_calls_total",
			"Calls of models that have ended: by whose account paid (server or workspace), what for, and outcome.", "provider", "purpose", "outcome"),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "parley_model_duration_seconds",
			Help:    "Time until a call of a model had ended.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2, 5, 10, 30, 60, 120},
		}),
		tokens: counter("parley_model_tokens_total",
			"Tokens that models have used, by whose account paid and kind (prompt or completion).", "provider", "kind"),
	}
}

func (m *models) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.calls, m.duration, m.tokens}
}

// Calls counts the calls of models of one provider.
type Calls struct {
	counters           map[called]prometheus.Counter
	duration           prometheus.Observer
	prompt, completion prometheus.Counter
}

type called struct{ purpose, outcome string }

// ModelCalls declares the calls of a provider for some purposes, with their outcomes. It
// is called before anything is counted.
func (m *Metrics) ModelCalls(provider string, purposes, outcomes []string) *Calls {
	c := &Calls{
		counters: map[called]prometheus.Counter{}, duration: m.models.duration,
		prompt: m.models.tokens.WithLabelValues(provider, "prompt"), completion: m.models.tokens.WithLabelValues(provider, "completion"),
	}
	for _, purpose := range purposes {
		for _, outcome := range outcomes {
			c.counters[called{purpose, outcome}] = m.models.calls.WithLabelValues(provider, purpose, outcome)
		}
	}
	return c
}

// Ended counts a call, whose purpose and outcome were declared.
func (c *Calls) Ended(purpose, outcome string, took time.Duration, promptTokens, completionTokens int) {
	if counted := c.counters[called{purpose, outcome}]; counted != nil {
		counted.Inc()
	}
	c.duration.Observe(took.Seconds())
	c.prompt.Add(float64(max(0, promptTokens)))
	c.completion.Add(float64(max(0, completionTokens)))
}
