package bench

import (
	"fmt"
	"slices"
	"time"

	"parley/bench/load"
)

// Cell is one system under one load.
type Cell struct {
	System   string `json:"system"`
	Endpoint string `json:"endpoint"`
	Clients  int    `json:"clients"`
	// Rate is in requests a second.
	Rate float64 `json:"requests_per_second"`
	// CPU is what the server's process used for 1,000 requests, in seconds. A
	// PostgreSQL server's part is not in it.
	CPU float64 `json:"cpu_seconds_per_1000"`
	// First is the median time to the first text. Added is the part of it that
	// the model server itself does not account for.
	First time.Duration `json:"first_ns"`
	Added time.Duration `json:"added_ns"`
	// Slow is the time that 99 of 100 whole answers do not exceed.
	Slow time.Duration `json:"p99_ns"`
	// Failures is how many requests failed in all rounds.
	Failures int    `json:"failures"`
	Failure  string `json:"failure,omitempty"`
}

func newCell(system, endpoint string, clients int, r load.Result) Cell {
	return Cell{
		System: system, Endpoint: endpoint, Clients: clients,
		Rate:  float64(r.Requests) / r.Elapsed.Seconds(),
		CPU:   r.CPU.Seconds() * 1000 / float64(max(r.Requests, 1)),
		First: load.Quantile(r.First, 0.5), Slow: load.Quantile(r.Whole, 0.99),
		Failures: r.Failures, Failure: r.Failure,
	}
}

// addUpstream takes the time of the model server itself off the others'.
func addUpstream(cells []Cell) {
	at := slices.IndexFunc(cells, func(c Cell) bool { return c.System == Upstream })
	own := cells[at].First
	for i := range cells {
		cells[i].Added = cells[i].First - own
	}
}

// medians makes one cell of the cells of all rounds.
func medians(cells []Cell) []Cell {
	type key struct {
		system, endpoint string
		clients          int
	}
	rounds := map[key][]Cell{}
	var order []key
	for _, c := range cells {
		k := key{c.System, c.Endpoint, c.Clients}
		if rounds[k] == nil {
			order = append(order, k)
		}
		rounds[k] = append(rounds[k], c)
	}
	all := make([]Cell, 0, len(order))
	for _, k := range order {
		all = append(all, median(rounds[k]))
	}
	return all
}

func median(rounds []Cell) Cell {
	m := rounds[0]
	m.Rate = middle(rounds, func(c Cell) float64 { return c.Rate })
	m.CPU = middle(rounds, func(c Cell) float64 { return c.CPU })
	m.First = middle(rounds, func(c Cell) time.Duration { return c.First })
	m.Added = middle(rounds, func(c Cell) time.Duration { return c.Added })
	m.Slow = middle(rounds, func(c Cell) time.Duration { return c.Slow })
	for _, c := range rounds[1:] {
		m.Failures += c.Failures
		if m.Failure == "" {
			m.Failure = c.Failure
		}
	}
	return m
}

// middle returns the median of a value. Of an even number it is the lower one.
func middle[T any, V float64 | time.Duration](rounds []T, value func(T) V) V {
	values := make([]V, len(rounds))
	for i, c := range rounds {
		values[i] = value(c)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func (c Cell) String() string {
	text := fmt.Sprintf("%.0f requests/s, %.2f CPU s for 1,000, first text after %.2f ms", c.Rate, c.CPU, milliseconds(c.First))
	if c.Failures > 0 {
		text += fmt.Sprintf(", %d FAILED: %s", c.Failures, c.Failure)
	}
	return text
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func kib(bytes int64) float64 { return float64(bytes) / 1024 }
