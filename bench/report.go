package bench

import (
	"slices"
	"time"
)

// The aims.
const (
	aimAdded      = 2 * time.Millisecond
	aimStream     = 64 << 10
	aimBeyond     = 1500 * time.Microsecond
	aimBeyondSlow = 10 * time.Millisecond
	aimSteadyCPU  = 4.5
	aimClients    = 64
	aimOneClient  = 0.7
)

// ratioAims say what share of a relay's requests/s Parley must reach.
var ratioAims = []Ratio{
	{ParleyPostgres, DurablePostgres, Chat, aimClients, 0.8},
	{ParleyPostgres, DurablePostgres, Stream, aimClients, 0.9},
	{ParleySQLite, GroupedSQLite, Chat, aimClients, 0.6},
	{ParleySQLite, DurableSQLite, Chat, aimClients, 0.6},
	{ParleySQLite, DurableSQLite, Stream, aimClients, 0.6},
	{ParleyPostgres, DurablePostgres, Chat, 1, aimOneClient},
	{ParleySQLite, DurableSQLite, Chat, 1, aimOneClient},
}

// Report is what a run found.
type Report struct {
	Date     time.Time `json:"date"`
	Settings Settings  `json:"settings"`
	Machine  Machine   `json:"machine"`
	Cells    []Cell    `json:"cells"`
	Steady   []Steady  `json:"steady"`
	Memory   []Memory  `json:"memory"`
}

// Ratio compares Parley's requests a second with a relay's.
type Ratio struct {
	Parley, Relay string
	Endpoint      string
	Clients       int
	Value         float64
}

// pairs are what the report compares.
var pairs = [][2]string{
	{ParleySQLite, DurableSQLite},
	{ParleySQLite, GroupedSQLite},
	{ParleyPostgres, DurablePostgres},
	{ParleySQLite, BareRelay},
	{ParleyPostgres, BareRelay},
}

// Ratios compares wherever both were measured.
func (r Report) Ratios() []Ratio {
	var all []Ratio
	for _, pair := range pairs {
		for _, parley := range r.Cells {
			relay, ok := r.cell(pair[1], parley.Endpoint, parley.Clients)
			if parley.System != pair[0] || !ok || relay.Rate == 0 {
				continue
			}
			all = append(all, Ratio{pair[0], pair[1], parley.Endpoint, parley.Clients, parley.Rate / relay.Rate})
		}
	}
	return all
}

// ratio returns what was measured of the same systems under the same load.
func (r Report) ratio(like Ratio) (Ratio, bool) {
	for _, ratio := range r.Ratios() {
		found := ratio
		if ratio.Value = like.Value; ratio == like {
			return found, true
		}
	}
	return Ratio{}, false
}

// Aim is one aim, and what was measured for it.
type Aim struct {
	Text  string
	Read  string
	IsMet bool
}

// Aims judges the measurements. What was not measured has no aim.
func (r Report) Aims() []Aim {
	var aims []Aim
	for _, least := range ratioAims {
		if ratio, ok := r.ratio(least); ok {
			aims = append(aims, ratio.aim(least.Value))
		}
	}
	for _, system := range []string{ParleySQLite, ParleyPostgres} {
		if cell, ok := r.cell(system, Stream, 1); ok {
			aims = append(aims, cell.aim())
		}
	}
	aims = append(aims, r.steadyAims()...)
	for _, m := range r.Memory {
		if isParley(m.System) {
			aims = append(aims, m.aim())
		}
	}
	return aims
}

// Failed reports whether any request failed.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Failures > 0 }) ||
		slices.ContainsFunc(r.Steady, func(s Steady) bool { return s.Failures > 0 }) ||
		slices.ContainsFunc(r.Memory, func(m Memory) bool { return m.Failure != "" })
}

func (r Report) cell(system, endpoint string, clients int) (Cell, bool) {
	at := slices.IndexFunc(r.Cells, func(c Cell) bool {
		return c.System == system && c.Endpoint == endpoint && c.Clients == clients
	})
	if at < 0 {
		return Cell{}, false
	}
	return r.Cells[at], true
}

func isParley(system string) bool { return system == ParleySQLite || system == ParleyPostgres }
