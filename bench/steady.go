package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/bench/load"
	"parley/bench/upstream"
)

// steadyRate is how many streams start each second.
const steadyRate = 100

// Steady is one system under streams that start at an even pace and last a
// second each.
type Steady struct {
	System string `json:"system"`
	// Streams is how many were counted in each round.
	Streams int `json:"streams"`
	// First and Slow are the median time to the first text, and the time that 99
	// of 100 first texts do not exceed.
	First time.Duration `json:"first_ns"`
	Slow  time.Duration `json:"first_p99_ns"`
	// CPU is what 1,000 streams used of the server's process and of all processes
	// of its PostgreSQL server, in seconds. Database is PostgreSQL's part.
	CPU      float64 `json:"cpu_seconds_per_1000"`
	Database float64 `json:"postgres_cpu_seconds_per_1000"`
	// Failures is how many streams failed in all rounds.
	Failures int    `json:"failures"`
	Failure  string `json:"failure,omitempty"`
}

// steadies measures every system at the same pace, alternately.
func (b *bench) steadies(ctx context.Context) ([]Steady, error) {
	for _, s := range b.systems {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	if err := b.steer(ctx, upstream.PacePath); err != nil {
		return nil, err
	}
	rounds := make([][]Steady, len(b.systems))
	for round := range b.Rounds {
		for i := range b.systems {
			at := i
			if round%2 == 1 {
				at = len(b.systems) - 1 - i
			}
			m, err := b.steady(ctx, b.systems[at])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.systems[at].name, err)
			}
			b.say("round %d: %d streams/s, %s: %s", round+1, steadyRate, m.System, m)
			rounds[at] = append(rounds[at], m)
		}
	}
	if err := b.steer(ctx, upstream.FlowPath); err != nil {
		return nil, err
	}
	all := make([]Steady, len(rounds))
	for i := range rounds {
		all[i] = medianSteady(rounds[i])
	}
	return all, b.stop()
}

// steady measures one round of one system.
func (b *bench) steady(ctx context.Context, s *system) (Steady, error) {
	var database time.Duration
	var reads int
	cpu := func() (time.Duration, error) {
		own, err := s.running.cpu()
		if err != nil || !s.onPostgres() {
			return own, err
		}
		used, err := b.cluster.cpu()
		if reads++; reads == 1 { // Steady reads twice: before and after.
			database -= used
		} else {
			database += used
		}
		return own + used, err
	}
	pace := load.Pace{Every: time.Second / steadyRate, WarmUp: min(b.Steady, steadyRate), Streams: b.Steady, CPU: cpu}
	r, err := load.Steady(ctx, s.exchange(Stream), pace)
	if err != nil {
		return Steady{}, err
	}
	thousands := float64(max(r.Requests, 1)) / 1000
	return Steady{
		System: s.name, Streams: b.Steady, First: load.Quantile(r.First, 0.5), Slow: load.Quantile(r.First, 0.99),
		CPU: r.CPU.Seconds() / thousands, Database: database.Seconds() / thousands, Failures: r.Failures, Failure: r.Failure,
	}, nil
}

func medianSteady(rounds []Steady) Steady {
	m := rounds[0]
	m.First = middle(rounds, func(s Steady) time.Duration { return s.First })
	m.Slow = middle(rounds, func(s Steady) time.Duration { return s.Slow })
	m.CPU = middle(rounds, func(s Steady) float64 { return s.CPU })
	m.Database = middle(rounds, func(s Steady) float64 { return s.Database })
	for _, s := range rounds[1:] {
		m.Failures += s.Failures
		if m.Failure == "" {
			m.Failure = s.Failure
		}
	}
	return m
}

func (s Steady) String() string {
	text := fmt.Sprintf("first text after %.2f ms, p99 %.2f ms, %.2f CPU s for 1,000", milliseconds(s.First), milliseconds(s.Slow), s.CPU)
	if s.Failures > 0 {
		text += fmt.Sprintf(", %d FAILED: %s", s.Failures, s.Failure)
	}
	return text
}

func (r Report) steady(system string) (Steady, bool) {
	at := slices.IndexFunc(r.Steady, func(s Steady) bool { return s.System == system })
	if at < 0 {
		return Steady{}, false
	}
	return r.Steady[at], true
}
