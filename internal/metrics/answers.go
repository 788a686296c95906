package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Unlisted stands for a label value that nobody has declared.
const Unlisted = "other"

// answers are the figures of questions: all label values are declared before the first
// one, so that counting looks a counter up in a map that nobody changes.
type answers struct {
	vec      *prometheus.CounterVec
	counters map[answered]prometheus.Counter
	first    prometheus.Histogram
	duration prometheus.Histogram
}

// answered are the values of the labels of an answer.
type answered struct{ transport, outcome, code string }

func newAnswers() *answers {
	return &answers{
		vec: counter("parley_answers_total",
			"Questions, counted when their answer has ended: by the interface that they came by, what became of them, and the error code, or none.", "transport", "outcome", "code"),
		counters: map[answered]prometheus.Counter{},
		first: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "parley_first_token_seconds",
			Help:    "Time from a question to the first text of its answer.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2, 5, 10, 30},
		}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "parley_answer_duration_seconds",
			Help:    "Time from a question to the end of its answer, whatever the end.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2, 5, 10, 30, 60, 120, 300},
		}),
	}
}

func (a *answers) collectors() []prometheus.Collector {
	return []prometheus.Collector{a.vec, a.first, a.duration}
}

// KnowAnswers declares the interfaces by which questions come, and the error codes of
// each outcome. It is called before anything is counted.
func (m *Metrics) KnowAnswers(transports []string, codes map[string][]string) {
	for _, transport := range transports {
		for outcome, named := range codes {
			for _, code := range append([]string{Unlisted}, named...) {
				key := answered{transport, outcome, code}
				m.answers.counters[key] = m.answers.vec.WithLabelValues(transport, outcome, code)
			}
		}
	}
}

// Answer counts a question. A code that was not declared counts as other; a transport or
// an outcome that was not is not counted.
func (m *Metrics) Answer(transport, outcome, code string) {
	counted, ok := m.answers.counters[answered{transport, outcome, code}]
	if !ok {
		counted = m.answers.counters[answered{transport, outcome, Unlisted}]
	}
	if counted != nil {
		counted.Inc()
	}
}

// Took says how long an answer took to its first text, which is zero if there was none,
// and to its end.
func (m *Metrics) Took(firstToken, total time.Duration) {
	if firstToken > 0 {
		m.answers.first.Observe(firstToken.Seconds())
	}
	m.answers.duration.Observe(total.Seconds())
}
