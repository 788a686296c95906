package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"parley/bench/load"
	"parley/bench/upstream"
)

const (
	// heldFiles is how many files a process opens at most, not counting its streams.
	heldFiles = 2000
	// heldMost is how many streams a process of Parley gets at most: it takes 10,000
	// connections from one address.
	heldMost = 9000
)

// HeldSettings say how many streams are open at the same time.
type HeldSettings struct {
	Streams int `json:"streams"`
	// Within is the time in which they end, one after the other.
	Within time.Duration `json:"within_ns"`
	// Files is how many files a process may open, or 0 for what the system says.
	Files int `json:"files"`
	// Settle is how long the servers are left alone before and with the streams.
	Settle time.Duration `json:"settle_ns"`
	// Databases are some of [SQLite] and [Postgres].
	Databases []string `json:"databases"`
	// Parley is the path of a built program. If empty, it is built.
	Parley string `json:"-"`
	// Command is the command line, for the report.
	Command string `json:"command"`
}

// HeldSystem is what very many open streams cost on one database.
type HeldSystem struct {
	Name    string `json:"name"`
	Streams int    `json:"streams"`
	// Processes is how many of Parley share the streams. Each asks a model server of
	// its own.
	Processes int `json:"processes"`
	// Before and Open are the bytes that they held together.
	Before int64 `json:"before_bytes"`
	Open   int64 `json:"open_bytes"`
	// Opening is how long it took until all streams had their first text, First and
	// Slow the median time to it and the time that 99 of 100 did not exceed.
	Opening time.Duration `json:"opening_ns"`
	First   time.Duration `json:"first_ns"`
	Slow    time.Duration `json:"first_p99_ns"`
	// Idle is the CPU time that all open streams used in a second, in seconds.
	Idle float64 `json:"idle_cpu"`
	// FirstBeside is the median time to the first text for one more client while they
	// were open.
	FirstBeside time.Duration `json:"first_beside_ns"`
	// Ending is how long it took until all of them had ended, each with its whole text.
	Ending time.Duration `json:"ending_ns"`
	// Failure says what went wrong, if anything did.
	Failure string `json:"failure,omitempty"`
}

// PerStream is the memory of one stream in bytes.
func (s HeldSystem) PerStream() int64 { return (s.Open - s.Before) / int64(max(s.Streams, 1)) }

// HeldReport is what the part about open streams found.
type HeldReport struct {
	Date     time.Time    `json:"date"`
	Settings HeldSettings `json:"settings"`
	Machine  Machine      `json:"machine"`
	Systems  []HeldSystem `json:"systems"`
}

// unit is a process of Parley with its model server and its load program.
type unit struct {
	parley, model *system
	holder        *process
	said          *bufio.Reader
	streams       int
}

// HeldResult is what a load program that holds streams says, once when all are open
// and once when all have ended.
type HeldResult struct {
	First   []time.Duration `json:"first"`
	Failure string          `json:"failure"`
}

// RunHeld holds very many streams open, on each database in turn, and tells progress
// what it is at.
func RunHeld(ctx context.Context, settings HeldSettings, progress io.Writer) (report HeldReport, err error) {
	if settings.Files == 0 {
		if settings.Files, err = openFiles(); err != nil {
			return HeldReport{}, err
		}
	}
	b, machine, err := open(ctx, Settings{Databases: settings.Databases, Parley: settings.Parley, Settle: settings.Settle}, progress)
	if err != nil {
		return HeldReport{}, err
	}
	defer func() {
		if cleaned := b.clean(); err == nil {
			err = cleaned
		}
	}()
	program, err := b.program(ctx)
	if err != nil {
		return HeldReport{}, err
	}
	report = HeldReport{Settings: settings, Machine: machine, Date: time.Now().UTC().Truncate(time.Second)}
	for _, database := range settings.Databases {
		units, err := b.openUnits(ctx, database, program, share(settings.Streams, settings.Files))
		if err != nil {
			return HeldReport{}, err
		}
		s, err := b.hold(ctx, units, settings.Within)
		if err != nil {
			return HeldReport{}, err
		}
		b.say("%d open streams, %s: %s", s.Streams, s.Name, s)
		report.Systems = append(report.Systems, s)
		if err := b.stop(); err != nil {
			return HeldReport{}, err
		}
	}
	return report, nil
}

// openFiles returns how many files a process may open. The runtime of Go raises each
// program's own limit to that.
func openFiles() (int, error) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return int(min(limit.Max, 1<<20)), err
}

// share divides streams evenly among as few processes as may open the files: each
// stream is two connections of Parley's.
func share(streams, files int) (shares []int) {
	most := max(1, min(heldMost, (files-heldFiles)/2))
	processes := (streams + most - 1) / most
	for i := range processes {
		shares = append(shares, (streams+i)/processes)
	}
	return shares
}

// openUnits starts a process of Parley and a model server for each share. On
// PostgreSQL they share a database; on SQLite each has its own.
func (b *bench) openUnits(ctx context.Context, database, program string, shares []int) (units []*unit, err error) {
	url, token := "", ""
	if database == Postgres {
		if url, err = b.cluster.create(ctx); err != nil {
			return nil, err
		}
		b.systems = append(b.systems, &system{clean: func() error { return b.cluster.drop(url) }})
	}
	for i, streams := range shares {
		u := &unit{model: upstreamSystem(b.dir), streams: streams}
		if err := u.model.start(ctx); err != nil {
			return nil, err
		}
		b.systems = append(b.systems, u.model)
		data, err := os.MkdirTemp(b.dir, "parley")
		if err != nil {
			return nil, err
		}
		name := ParleySQLite
		if url != "" {
			name = ParleyPostgres
		}
		c := command{name: fmt.Sprintf("%s %d", name, i+1), dir: data, path: program, environment: append(parleyEnvironment(data, u.model.running.address, url), "MAX_ANSWERS=10000", "LLM_TIMEOUT=15m")}
		if url == "" || i == 0 {
			b.say("preparing %s", c.name)
			if token, err = prepareParley(ctx, c); err != nil {
				return nil, err
			}
		}
		u.parley = &system{name: name, token: token, launch: func(ctx context.Context) (*process, error) { return startParley(ctx, c) }}
		b.systems = append([]*system{u.parley}, b.systems...) // It stops before its model.
		if err := u.parley.start(ctx); err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// hold measures one database.
func (b *bench) hold(ctx context.Context, units []*unit, within time.Duration) (s HeldSystem, err error) {
	s = HeldSystem{Name: units[0].parley.name, Processes: len(units)}
	for _, u := range units {
		s.Streams += u.streams
		if _, err := beside(ctx, u.parley, u.parley.exchange(Stream), wakeFor); err != nil {
			return s, err
		}
	}
	if s.Before, err = b.residents(ctx, units); err != nil {
		return s, err
	}
	defer func() {
		for _, u := range units {
			if u.holder != nil {
				err = errors.Join(err, u.holder.stop())
			}
		}
	}()
	if err := b.openAll(ctx, units, &s); err != nil || s.Failure != "" {
		return s, err
	}
	before, err := spent(units)
	if err != nil {
		return s, err
	}
	if s.Open, err = b.residents(ctx, units); err != nil {
		return s, err
	}
	after, err := spent(units)
	if err != nil {
		return s, err
	}
	s.Idle = (after - before).Seconds() / b.Settle.Seconds()
	if err := steerAll(ctx, units, upstream.FlowPath); err != nil {
		return s, err
	}
	if s.FirstBeside, err = beside(ctx, units[0].parley, units[0].parley.exchange(Stream), besideFor); err != nil {
		return s, err
	}
	return s, endAll(ctx, units, within, &s)
}

// openAll opens all streams, up to their first text.
func (b *bench) openAll(ctx context.Context, units []*unit, s *HeldSystem) error {
	if err := steerAll(ctx, units, upstream.StallPath); err != nil {
		return err
	}
	began := time.Now()
	for _, u := range units {
		if err := u.startHolder(ctx, b.dir); err != nil {
			return err
		}
	}
	var first []time.Duration
	for _, u := range units {
		result, err := u.hear()
		if err != nil {
			return err
		}
		s.note(result)
		first = append(first, result.First...)
	}
	slices.Sort(first)
	s.Opening, s.First, s.Slow = time.Since(began), load.Quantile(first, 0.5), load.Quantile(first, 0.99)
	return nil
}

// endAll lets all streams end within a time, and waits until they have.
func endAll(ctx context.Context, units []*unit, within time.Duration, s *HeldSystem) error {
	began := time.Now()
	for _, u := range units {
		if _, err := io.WriteString(u.holder.stdin, "end\n"); err != nil {
			return err
		}
	}
	if err := steerAll(ctx, units, upstream.SpreadPath+within.String()); err != nil {
		return err
	}
	for _, u := range units {
		result, err := u.hear()
		if err != nil {
			return err
		}
		s.note(result)
	}
	s.Ending = time.Since(began)
	return nil
}

func (s *HeldSystem) note(result HeldResult) {
	if s.Failure == "" {
		s.Failure = result.Failure
	}
}

// startHolder starts the load program.
func (u *unit) startHolder(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	arguments := []string{"hold", "--address=" + u.parley.running.address, "--token=" + u.parley.token, "--streams=" + strconv.Itoa(u.streams)}
	holder, stdout, err := command{name: "hold", dir: dir, path: self, arguments: arguments, environment: os.Environ()}.start(ctx)
	if err != nil {
		return err
	}
	u.holder, u.said = holder, bufio.NewReader(stdout)
	return nil
}

// hear waits for what the load program says next.
func (u *unit) hear() (result HeldResult, err error) {
	line, err := u.said.ReadBytes('\n')
	if err != nil {
		return result, fmt.Errorf("the load program ended: %w. It said:\n%s", err, u.holder.said())
	}
	return result, json.Unmarshal(line, &result)
}

// Hold opens streams of a server, says so, and reads them to their end after the next
// line of input.
func Hold(address, token string, streams int, in io.Reader, out io.Writer) error {
	s := &system{name: "held", token: token, running: &process{address: address}}
	said := json.NewEncoder(out)
	held, err := load.Hold(s.exchange(Stream), streams)
	if err != nil {
		return said.Encode(HeldResult{Failure: err.Error()})
	}
	defer held.Close()
	if err := said.Encode(HeldResult{First: held.First}); err != nil {
		return err
	}
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return err
	}
	var ended HeldResult
	if err := held.Finish(); err != nil {
		ended.Failure = err.Error()
	}
	return said.Encode(ended)
}

// residents returns the memory of all processes of Parley, left alone for a while.
func (b *bench) residents(ctx context.Context, units []*unit) (total int64, err error) {
	if err := load.Wait(ctx, b.Settle); err != nil {
		return 0, err
	}
	for _, u := range units {
		resident, err := u.parley.running.resident()
		if err != nil {
			return 0, err
		}
		total += resident
	}
	return total, nil
}

// spent returns the CPU time that all processes of Parley have used.
func spent(units []*unit) (total time.Duration, err error) {
	for _, u := range units {
		used, err := u.parley.running.cpu()
		if err != nil {
			return 0, err
		}
		total += used
	}
	return total, nil
}

func steerAll(ctx context.Context, units []*unit, path string) error {
	for _, u := range units {
		if err := get(ctx, "http://"+u.model.running.address+path); err != nil {
			return err
		}
	}
	return nil
}

func (s HeldSystem) String() string {
	if s.Failure != "" {
		return "FAILED: " + s.Failure
	}
	return fmt.Sprintf("%.1f KiB each, open after %.1f s, ended after %.1f s, %.2f of a core while they wait",
		kib(s.PerStream()), s.Opening.Seconds(), s.Ending.Seconds(), s.Idle)
}

// Failed reports whether anything failed.
func (r HeldReport) Failed() bool {
	return slices.ContainsFunc(r.Systems, func(s HeldSystem) bool { return s.Failure != "" })
}
