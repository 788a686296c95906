package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/bench/load"
)

// aimLoss is how large a share of the earlier program's requests/s and CPU time
// a change may cost.
const aimLoss = 0.10

// Comparison is two programs of Parley that the benchmark puts under the same loads alternately.
type Comparison struct {
	Date     time.Time  `json:"date"`
	Settings Settings   `json:"settings"`
	Machine  Machine    `json:"machine"`
	Rows     []Compared `json:"rows"`
}

// Compared is one load. Each round has the cells of both programs in the order
// before, after, after, before: so what slows the machine slows both, and
// neither is always the first.
type Compared struct {
	System   string `json:"system"`
	Endpoint string `json:"endpoint"`
	Clients  int    `json:"clients"`
	// Before and After have each program's own medians.
	Before Cell `json:"before"`
	After  Cell `json:"after"`
	// Rate and CPU are the medians of the rounds' after ÷ before; RateLow and RateHigh have
	// half of the rounds between them. CPU includes the program and PostgreSQL.
	Rate     float64 `json:"rate"`
	RateLow  float64 `json:"rate_low"`
	RateHigh float64 `json:"rate_high"`
	CPU      float64 `json:"cpu"`
}

// Compare measures the earlier program beside the present one.
func Compare(ctx context.Context, settings Settings, before string, progress io.Writer) (c Comparison, err error) {
	b, machine, err := open(ctx, settings, progress)
	if err != nil {
		return Comparison{}, err
	}
	defer func() {
		if cleaned := b.clean(); err == nil {
			err = cleaned
		}
	}()
	pairs, err := b.startPairs(ctx, before)
	if err != nil {
		return Comparison{}, err
	}
	c = Comparison{Settings: settings, Machine: machine, Date: time.Now().UTC().Truncate(time.Second)}
	for _, pair := range pairs {
		for _, endpoint := range []string{Chat, Stream} {
			for _, clients := range settings.Clients {
				compared, err := b.compare(ctx, pair, endpoint, clients)
				if err != nil {
					return Comparison{}, err
				}
				c.Rows = append(c.Rows, compared)
			}
		}
	}
	return c, nil
}

// pair is the earlier program and the present one, on the same kind of
// database.
type pair struct{ before, after *system }

func (b *bench) startPairs(ctx context.Context, before string) ([]pair, error) {
	after, err := b.program(ctx)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for _, database := range b.Databases {
		var p pair
		if p.before, err = b.newParley(ctx, database, before); err != nil {
			return nil, err
		}
		b.systems = append(b.systems, p.before)
		if p.after, err = b.newParley(ctx, database, after); err != nil {
			return nil, err
		}
		b.systems = append(b.systems, p.after)
		pairs = append(pairs, p)
	}
	for _, s := range b.systems {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

// compare puts one load on both alternately.
func (b *bench) compare(ctx context.Context, p pair, endpoint string, clients int) (Compared, error) {
	var before, after []Cell
	for round := range b.Rounds {
		cells := map[*system][]Cell{}
		for _, s := range []*system{p.before, p.after, p.after, p.before} {
			plan := load.Plan{Clients: clients, WarmUp: b.WarmUp, For: b.Duration, CPU: b.cpuWithDatabase(s)}
			result, err := load.Run(ctx, s.exchange(endpoint), plan)
			if err != nil {
				return Compared{}, fmt.Errorf("%s: %w", s.name, err)
			}
			cells[s] = append(cells[s], newCell(s.name, endpoint, clients, result))
		}
		before, after = append(before, mean(cells[p.before])), append(after, mean(cells[p.after]))
		b.say("round %d: %s, %d clients, %s\n  before: %s\n  after:  %s", round+1, endpoint, clients, p.after.name, before[round], after[round])
	}
	return newCompared(before, after), nil
}

// cpuWithDatabase reads the CPU time of a system and of its PostgreSQL: a change may move
// work from one to the other.
func (b *bench) cpuWithDatabase(s *system) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		own, err := s.running.cpu()
		if err != nil || !s.onPostgres() {
			return own, err
		}
		database, err := b.cluster.cpu()
		return own + database, err
	}
}

// mean has the means of two cells' figures, and their failures.
func mean(cells []Cell) Cell {
	m := cells[0]
	m.Rate = (cells[0].Rate + cells[1].Rate) / 2
	m.CPU = (cells[0].CPU + cells[1].CPU) / 2
	m.Failures += cells[1].Failures
	if m.Failure == "" {
		m.Failure = cells[1].Failure
	}
	return m
}

// newCompared compares the cells of each round.
func newCompared(before, after []Cell) Compared {
	c := Compared{Before: median(before), After: median(after)}
	c.System, c.Endpoint, c.Clients = c.After.System, c.After.Endpoint, c.After.Clients
	var rates, cpus []float64
	for i := range before {
		rates = append(rates, after[i].Rate/before[i].Rate)
		cpus = append(cpus, after[i].CPU/before[i].CPU)
	}
	slices.Sort(rates)
	slices.Sort(cpus)
	c.Rate, c.RateLow, c.RateHigh = quantile(rates, 2), quantile(rates, 1), quantile(rates, 3)
	c.CPU = quantile(cpus, 2)
	return c
}

// quantile returns the nth quarter of sorted values.
func quantile(sorted []float64, n int) float64 { return sorted[(len(sorted)-1)*n/4] }

// Failed reports whether any request failed.
func (c Comparison) Failed() bool {
	return slices.ContainsFunc(c.Rows, func(r Compared) bool { return r.Before.Failures+r.After.Failures > 0 })
}

// Aims judges the measurements.
func (c Comparison) Aims() []Aim {
	var aims []Aim
	for _, row := range c.Rows {
		aims = append(aims, Aim{
			Text:  fmt.Sprintf("at most %.0f %% fewer requests/s than before, %s, `%s`, %s", aimLoss*100, row.System, row.Endpoint, plural(row.Clients, "client")),
			Read:  fmt.Sprintf("%+.0f %%", (row.Rate-1)*100),
			IsMet: row.Rate >= 1-aimLoss,
		}, Aim{
			Text:  fmt.Sprintf("at most %.0f %% more CPU for 1,000 requests than before, %s, `%s`, %s", aimLoss*100, row.System, row.Endpoint, plural(row.Clients, "client")),
			Read:  fmt.Sprintf("%+.0f %%", (row.CPU-1)*100),
			IsMet: row.CPU <= 1+aimLoss,
		})
	}
	return aims
}

// Markdown returns the figures as a section of a page.
func (c Comparison) Markdown() string {
	var b strings.Builder
	rows := c.Machine.rows(c.Date, c.Settings.Command)
	if c.Machine.Postgres != "" {
		rows = append(rows, []string{"PostgreSQL", c.Machine.Postgres})
	}
	rows = append(rows, []string{"measured", fmt.Sprintf("%s of twice %v for each program, alternating, after %v of warm-up",
		plural(c.Settings.Rounds, "round"), c.Settings.Duration, c.Settings.WarmUp)})
	writeTable(&b, []string{"", ""}, rows)
	writeAims(&b, "Aims of the comparison", c.Aims())
	heading(&b, "Before and after")
	head := []string{
		"", "clients", "requests/s before", "after", "after ÷ before", "half of the rounds", "CPU s for 1,000 before", "after", "after ÷ before", "failed",
	}
	var compared [][]string
	for _, row := range c.Rows {
		compared = append(compared, row.row())
	}
	writeTable(&b, head, compared)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (r Compared) row() []string {
	return []string{
		fmt.Sprintf("%s, `%s`", r.System, r.Endpoint), fmt.Sprint(r.Clients), fmt.Sprintf("%.0f", r.Before.Rate), fmt.Sprintf("%.0f", r.After.Rate),
		fmt.Sprintf("%.2f", r.Rate), fmt.Sprintf("%.2f–%.2f", r.RateLow, r.RateHigh),
		fmt.Sprintf("%.2f", r.Before.CPU), fmt.Sprintf("%.2f", r.After.CPU), fmt.Sprintf("%.2f", r.CPU), r.failed(),
	}
}

func (r Compared) failed() string {
	if r.After.Failures > 0 {
		return failed(r.After.Failures, r.After.Failure)
	}
	return failed(r.Before.Failures, r.Before.Failure)
}
