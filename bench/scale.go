package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"parley/bench/load"
	"parley/bench/pages"
	"parley/bench/scale"
)

// ScaleSettings say how large the installation is that is measured beside one that is
// almost empty.
type ScaleSettings struct {
	scale.Sizes
	// Rounds is how often /chat is measured on each system, for Duration each.
	Rounds   int           `json:"rounds"`
	Duration time.Duration `json:"duration_ns"`
	// Requests is how often each page is asked for.
	Requests int `json:"requests"`
	// Chores is how long the chores get that run by themselves after the start.
	Chores time.Duration `json:"chores_ns"`
	// Databases are some of [SQLite] and [Postgres].
	Databases []string `json:"databases"`
	// Parley is the path of a built program. If empty, it is built.
	Parley string `json:"-"`
	// Command is the command line, for the report.
	Command string `json:"command"`
}

// ScaleSystem is what was measured of one program on one database.
type ScaleSystem struct {
	Name     string `json:"name"`
	Database string `json:"database"`
	Filled   bool   `json:"filled"`
	// Reindex is how long the index took to be built, Start how long the program then
	// took until it was ready, and Resident its memory in bytes right after.
	Reindex  time.Duration `json:"reindex_ns"`
	Start    time.Duration `json:"start_ns"`
	Resident int64         `json:"resident_bytes"`
	// P50 and P99 are the times of /chat at [ScaleClients] clients.
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	// Failures is how many questions failed.
	Failures int `json:"failures"`
	// Peak is the memory in bytes after the chores.
	Peak   int64        `json:"peak_bytes"`
	Chores []ScaleChore `json:"chores"`
}

// ScaleChore is how long a chore took.
type ScaleChore struct {
	Name string        `json:"name"`
	Took time.Duration `json:"took_ns"`
}

// ScaleReport is what the part about large installations found.
type ScaleReport struct {
	Date     time.Time     `json:"date"`
	Settings ScaleSettings `json:"settings"`
	Machine  Machine       `json:"machine"`
	Systems  []ScaleSystem `json:"systems"`
	Pages    []pages.Cell  `json:"pages"`
}

// ScaleClients is how many clients ask at the same time.
const ScaleClients = 8

// scaled is a system with what is measured of it.
type scaled struct {
	ScaleSystem
	*system
	workspace pages.Workspace
	times     []time.Duration
}

// RunScale measures a large installation beside one that is almost empty, on each
// database, and tells progress what it is at.
func RunScale(ctx context.Context, settings ScaleSettings, progress io.Writer) (report ScaleReport, err error) {
	b, machine, err := open(ctx, Settings{Databases: settings.Databases, Parley: settings.Parley}, progress)
	if err != nil {
		return ScaleReport{}, err
	}
	defer func() {
		if cleaned := b.clean(); err == nil {
			err = cleaned
		}
	}()
	program, err := b.program(ctx)
	if err != nil {
		return ScaleReport{}, err
	}
	var all []*scaled
	for _, database := range settings.Databases {
		for _, filled := range []bool{false, true} {
			s, err := b.openScaled(ctx, database, program, settings.Sizes, filled)
			if err != nil {
				return ScaleReport{}, err
			}
			all = append(all, s)
		}
	}
	report = ScaleReport{Settings: settings, Machine: machine, Date: time.Now().UTC().Truncate(time.Second)}
	if err := b.askScaled(ctx, all, settings); err != nil {
		return ScaleReport{}, err
	}
	var shown []*pages.System
	for _, s := range all {
		shown = append(shown, &pages.System{Name: s.Name, Address: s.running.address, Workspace: s.workspace})
	}
	b.say("asking for every page %d times", settings.Requests)
	if report.Pages, err = pages.Measure(ctx, shown, settings.Requests); err != nil {
		return ScaleReport{}, err
	}
	b.say("waiting %v for chores", settings.Chores)
	if err := load.Wait(ctx, settings.Chores); err != nil {
		return ScaleReport{}, err
	}
	for _, s := range all {
		if s.Chores, err = choresIn(s.running.log); err != nil {
			return ScaleReport{}, err
		}
		if s.Peak, err = s.running.resident(); err != nil {
			return ScaleReport{}, err
		}
		report.Systems = append(report.Systems, s.ScaleSystem)
	}
	return report, nil
}

// openScaled prepares a workspace, fills the database around it if it is to be filled,
// builds the index, and starts Parley.
func (b *bench) openScaled(ctx context.Context, database, program string, sizes scale.Sizes, filled bool) (*scaled, error) {
	s := &scaled{ScaleSystem: ScaleSystem{Name: ParleySQLite, Database: database, Filled: filled}, system: &system{}}
	url := ""
	if database == Postgres {
		var err error
		if url, err = b.cluster.create(ctx); err != nil {
			return nil, err
		}
		s.Name = ParleyPostgres
		s.clean = func() error { return b.cluster.drop(url) }
	}
	s.Name += map[bool]string{false: ", almost empty", true: ", filled"}[filled]
	s.name = s.Name
	b.systems = append(b.systems, s.system)
	data, err := os.MkdirTemp(b.dir, "parley")
	if err != nil {
		return nil, err
	}
	c := command{name: s.Name, dir: data, path: program, environment: append(parleyEnvironment(data, b.model.running.address, url), "LOG_LEVEL=debug")}
	if err := s.prepare(ctx, c); err != nil {
		return nil, err
	}
	if filled {
		b.say("filling %s", s.Name)
		into := url
		if into == "" {
			into = filepath.Join(data, "parley.db")
		}
		if err := scale.Fill(ctx, into, sizes); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	began := time.Now()
	if err := c.ask(ctx, nil, "reindex"); err != nil {
		return nil, err
	}
	s.Reindex = time.Since(began)
	s.launch = func(ctx context.Context) (*process, error) { return startParley(ctx, c) }
	began = time.Now()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	s.Start = time.Since(began)
	s.Resident, err = s.running.resident()
	return s, err
}

// prepare makes the demo's workspace, whose chatbot then knows the handbook, too.
func (s *scaled) prepare(ctx context.Context, c command) error {
	documents, err := writeHandbook(c.dir)
	if err != nil {
		return err
	}
	var made struct {
		pages.Workspace
		Token string `json:"token"`
	}
	if err := c.ask(ctx, &made, "demo"); err != nil {
		return err
	}
	s.workspace, s.token = made.Workspace, made.Token
	return c.ask(ctx, nil, append([]string{"knowledge", "add", made.Chatbot}, documents...)...)
}

// askScaled measures /chat on every system, alternately, so that what slows the machine
// for a while slows all alike.
func (b *bench) askScaled(ctx context.Context, all []*scaled, settings ScaleSettings) error {
	for round := range settings.Rounds {
		b.say("asking questions, round %d", round+1)
		for _, s := range all {
			plan := load.Plan{Clients: ScaleClients, WarmUp: settings.Duration / 4, For: settings.Duration, CPU: s.running.cpu}
			result, err := load.Run(ctx, s.exchange(Chat), plan)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			if result.Failures > 0 && s.Failures == 0 {
				b.say("%s: %s", s.Name, result.Failure)
			}
			s.Failures += result.Failures
			s.times = append(s.times, result.Whole...)
		}
	}
	for _, s := range all {
		if len(s.times) == 0 {
			return fmt.Errorf("%s answered no question", s.Name)
		}
		slices.Sort(s.times)
		s.P50, s.P99 = load.Quantile(s.times, 0.5), load.Quantile(s.times, 0.99)
	}
	return nil
}

// choreEnded is what the program logs when a chore has ended.
var choreEnded = regexp.MustCompile(`chore=(\S+) duration_ms=(\S+)`)

// choresIn finds in a log how long chores took; of one that ran several times, the
// longest counts.
func choresIn(log string) (chores []ScaleChore, err error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	for _, match := range choreEnded.FindAllSubmatch(text, -1) {
		took, err := time.ParseDuration(string(match[2]) + "ms")
		if err != nil {
			return nil, fmt.Errorf("the duration of chore %s: %w", match[1], err)
		}
		at := slices.IndexFunc(chores, func(c ScaleChore) bool { return c.Name == string(match[1]) })
		if at < 0 {
			chores = append(chores, ScaleChore{string(match[1]), took})
		} else {
			chores[at].Took = max(chores[at].Took, took)
		}
	}
	return chores, nil
}
