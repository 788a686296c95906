package bench

import (
	"slices"
	"time"
)

// The aims.
const (
	aimRatio  = 0.6
	aimAdded  = 2 * time.Millisecond
	aimStream = 64 << 10
)

// aimClients is the number of clients at which the ratios are judged.
const aimClients = 64

// Report is what a run found.
type Report struct {
	Date     time.Time `json:"date"`
	Settings Settings  `json:"settings"`
	Machine  Machine   `json:"machine"`
	Cells    []Cell    `json:"cells"`
	Memory   []Memory  `json:"memory"`
}

// Ratio compares Parley's requests a second with a relay's.
type Ratio struct {
	Parley, Relay string
	Endpoint      string
	Clients       int
	Value         float64
}

// pairs are what the report compares. The aim is about the first relay of each
// database.
var pairs = [][2]string{
	{ParleySQLite, DurableSQLite},
	{ParleySQLite, GroupedSQLite},
	{ParleyPostgres, DurablePostgres},
	{ParleySQLite, BareRelay},
	{ParleyPostgres, BareRelay},
}

// judged says whether the aim is about the relay.
func (r Ratio) judged() bool { return r.Relay == DurableSQLite || r.Relay == DurablePostgres }

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

// Aim is one aim, and what was measured for it.
type Aim struct {
	Text  string
	Read  string
	IsMet bool
}

// Aims judges the measurements. What was not measured has no aim.
func (r Report) Aims() []Aim {
	var aims []Aim
	for _, ratio := range r.Ratios() {
		if ratio.judged() && ratio.Clients == aimClients {
			aims = append(aims, ratio.aim())
		}
	}
	for _, system := range []string{ParleySQLite, ParleyPostgres} {
		if cell, ok := r.cell(system, Stream, 1); ok {
			aims = append(aims, cell.aim())
		}
	}
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
