// Package bench is the benchmark behind `make bench`: it measures Parley
// against a fake model server, and beside it relays that do less.
//
// It starts each of them as a process of its own, puts load on them alternately,
// and reports the figures, their ratios and whether the aims are met. The load
// program is package load, the model server package upstream, the relays
// package relay.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"parley/bench/load"
)

// The databases that can be measured.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Settings say what to measure, and for how long.
type Settings struct {
	// WarmUp and Duration are the time of each cell, uncounted and counted.
	WarmUp   time.Duration `json:"warm_up_ns"`
	Duration time.Duration `json:"duration_ns"`
	// Rounds is how often each cell is measured. The report has the medians.
	Rounds int `json:"rounds"`
	// Clients are the numbers of clients.
	Clients []int `json:"clients"`
	// Streams is how many streams are open for the measure of memory; 0
	// leaves it out.
	Streams int `json:"streams"`
	// Steady is how many streams start at a pace of 100 a second; 0 leaves that
	// out.
	Steady int `json:"steady"`
	// Settle is how long a server is left alone before its memory is read.
	Settle time.Duration `json:"settle_ns"`
	// Databases are some of [SQLite] and [Postgres].
	Databases []string `json:"databases"`
	// Parley is the path of a built program. If empty, it is built.
	Parley string `json:"-"`
	// OnlyRelays leaves Parley out.
	OnlyRelays bool `json:"only_relays"`
	// StreamChat lets the relays ask the model server for a stream for /chat.
	StreamChat bool `json:"stream_chat"`
	// Command is the command line, for the report.
	Command string `json:"command"`
}

// bench is one run of the benchmark.
type bench struct {
	Settings
	progress io.Writer
	dir      string
	cluster  cluster
	model    *system
	systems  []*system
}

// Run measures, and tells progress what it is at.
func Run(ctx context.Context, settings Settings, progress io.Writer) (report Report, err error) {
	b, machine, err := open(ctx, settings, progress)
	if err != nil {
		return Report{}, err
	}
	defer func() {
		if cleaned := b.clean(); err == nil {
			err = cleaned
		}
	}()
	if err := b.makeSystems(ctx); err != nil {
		return Report{}, err
	}
	report = Report{Settings: settings, Machine: machine, Date: time.Now().UTC().Truncate(time.Second)}
	if report.Cells, err = b.cells(ctx); err != nil {
		return Report{}, err
	}
	if settings.Steady > 0 {
		if report.Steady, err = b.steadies(ctx); err != nil {
			return Report{}, err
		}
	}
	if settings.Streams > 0 {
		report.Memory, err = b.memory(ctx)
	}
	return report, err
}

// open makes the directory, inspects the machine and starts the model server.
// The caller cleans up what it returns.
func open(ctx context.Context, settings Settings, progress io.Writer) (b *bench, m Machine, err error) {
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return nil, Machine{}, err
	}
	b = &bench{Settings: settings, progress: progress, dir: dir}
	if m, err = readMachine(dir); err == nil {
		err = b.prepare(ctx)
	}
	if err != nil {
		return nil, Machine{}, errors.Join(err, b.clean())
	}
	m.Postgres = b.cluster.version
	return b, m, nil
}

// prepare starts the model server.
func (b *bench) prepare(ctx context.Context) (err error) {
	if slices.Contains(b.Databases, Postgres) {
		if b.cluster, err = openCluster(ctx); err != nil {
			return err
		}
		if !b.cluster.durable {
			b.say("PostgreSQL does not sync what it commits; set PARLEY_PG_DURABLE=1 for figures that mean something")
		}
	}
	b.model = upstreamSystem(b.dir)
	return b.model.start(ctx)
}

func (b *bench) makeSystems(ctx context.Context) error {
	b.makeRelays()
	if b.OnlyRelays {
		return nil
	}
	return b.makeParley(ctx)
}

func (b *bench) makeRelays() {
	var options []string
	if b.StreamChat {
		options = append(options, "--stream-chat")
	}
	model := b.model.running.address
	b.systems = append(b.systems, relaySystem(b.dir, BareRelay, model, append([]string{"bare-relay"}, options...)...))
	durable := append([]string{"durable-relay"}, options...)
	if slices.Contains(b.Databases, SQLite) {
		b.systems = append(b.systems,
			sqliteRelay(b.dir, DurableSQLite, model, durable...),
			sqliteRelay(b.dir, GroupedSQLite, model, append(slices.Clone(durable), "--group")...))
	}
	if slices.Contains(b.Databases, Postgres) {
		b.systems = append(b.systems, postgresRelay(b.dir, DurablePostgres, model, b.cluster, durable...))
	}
}

// makeParley puts Parley on each database right after the relays on it.
func (b *bench) makeParley(ctx context.Context) error {
	program, err := b.program(ctx)
	if err != nil {
		return err
	}
	for _, database := range b.Databases {
		s, err := b.newParley(ctx, database, program)
		if err != nil {
			return err
		}
		after := GroupedSQLite
		if database == Postgres {
			after = DurablePostgres
		}
		at := slices.IndexFunc(b.systems, func(s *system) bool { return s.name == after })
		b.systems = slices.Insert(b.systems, at+1, s)
	}
	return nil
}

// program returns the path of the program that is measured.
func (b *bench) program(ctx context.Context) (string, error) {
	if b.Parley != "" {
		return b.Parley, nil
	}
	b.say("building Parley")
	return buildParley(ctx, b.dir)
}

// newParley prepares Parley on a database of its own.
func (b *bench) newParley(ctx context.Context, database, program string) (s *system, err error) {
	name, address := ParleySQLite, ""
	if database == Postgres {
		name = ParleyPostgres
		if address, err = b.cluster.create(ctx); err != nil {
			return nil, err
		}
	}
	b.say("preparing %s", name)
	if s, err = parleySystem(ctx, b.dir, name, program, b.model.running.address, address); err != nil {
		return nil, err
	}
	if address != "" {
		s.clean = func() error { return b.cluster.drop(address) }
	}
	return s, nil
}

// cells measures every system with every number of clients, alternately.
func (b *bench) cells(ctx context.Context) ([]Cell, error) {
	for _, s := range b.systems {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
	}
	var cells []Cell
	for round := range b.Rounds {
		for _, endpoint := range []string{Chat, Stream} {
			for _, clients := range b.Clients {
				measured, err := b.turn(ctx, round, endpoint, clients)
				if err != nil {
					return nil, err
				}
				cells = append(cells, measured...)
			}
		}
	}
	return medians(cells), b.stop()
}

// turn measures one cell of every system, in the other direction in every
// other round, so that what slows the machine for a while slows them alike.
func (b *bench) turn(ctx context.Context, round int, endpoint string, clients int) ([]Cell, error) {
	order := append([]*system{b.model}, b.systems...)
	if round%2 == 1 {
		slices.Reverse(order)
	}
	var cells []Cell
	for _, s := range order {
		plan := load.Plan{Clients: clients, WarmUp: b.WarmUp, For: b.Duration, CPU: s.running.cpu}
		result, err := load.Run(ctx, s.exchange(endpoint), plan)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		cell := newCell(s.name, endpoint, clients, result)
		b.say("round %d: %s, %d clients, %s: %s", round+1, endpoint, clients, s.name, cell)
		cells = append(cells, cell)
	}
	addUpstream(cells)
	return cells, nil
}

func (b *bench) stop() error {
	for _, s := range b.systems {
		if err := s.stop(); err != nil {
			return fmt.Errorf("stop %s: %w", s.name, err)
		}
	}
	return nil
}

// clean stops the processes and removes the files, whatever happened before.
func (b *bench) clean() (first error) {
	defer func() { _ = os.RemoveAll(b.dir) }()
	for _, s := range append(b.systems, b.model) {
		if s == nil {
			continue
		}
		if err := s.stop(); err != nil && first == nil {
			first = fmt.Errorf("stop %s: %w", s.name, err)
		}
		if s.clean == nil {
			continue
		}
		if err := s.clean(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (b *bench) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", args...)
}
