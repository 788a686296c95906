package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/bench/pages"
)

// PagesSettings say what of the dashboard is measured.
type PagesSettings struct {
	pages.Sizes
	// Requests is how often each page is asked for on each database.
	Requests int `json:"requests"`
	// Databases are some of [SQLite] and [Postgres].
	Databases []string `json:"databases"`
	// Parley is the path of a built program. If empty, it is built.
	Parley string `json:"-"`
	// Command is the command line, for the report.
	Command string `json:"command"`
}

// PagesReport is what the part about the dashboard found.
type PagesReport struct {
	Date     time.Time     `json:"date"`
	Settings PagesSettings `json:"settings"`
	Machine  Machine       `json:"machine"`
	Cells    []pages.Cell  `json:"cells"`
}

// RunPages measures the pages of the dashboard, and tells progress what it is at.
func RunPages(ctx context.Context, settings PagesSettings, progress io.Writer) (report PagesReport, err error) {
	b, machine, err := open(ctx, Settings{Databases: settings.Databases, Parley: settings.Parley}, progress)
	if err != nil {
		return PagesReport{}, err
	}
	defer func() {
		if cleaned := b.clean(); err == nil {
			err = cleaned
		}
	}()
	program, err := b.program(ctx)
	if err != nil {
		return PagesReport{}, err
	}
	var systems []*pages.System
	for _, database := range settings.Databases {
		s, err := b.openWorkspace(ctx, database, program, settings.Sizes)
		if err != nil {
			return PagesReport{}, err
		}
		systems = append(systems, s)
	}
	b.say("asking for every page %d times", settings.Requests)
	report = PagesReport{Settings: settings, Machine: machine, Date: time.Now().UTC().Truncate(time.Second)}
	report.Cells, err = pages.Measure(ctx, systems, settings.Requests)
	return report, err
}

// openWorkspace fills a workspace on a database of its own, and starts Parley over it.
func (b *bench) openWorkspace(ctx context.Context, database, program string, sizes pages.Sizes) (*pages.System, error) {
	name, url := ParleySQLite, ""
	if database == Postgres {
		var err error
		if url, err = b.cluster.create(ctx); err != nil {
			return nil, err
		}
		name = ParleyPostgres
	}
	data, err := os.MkdirTemp(b.dir, "parley")
	if err != nil {
		return nil, err
	}
	var w pages.Workspace
	c := command{name: name, dir: data, path: program, environment: parleyEnvironment(data, b.model.running.address, url)}
	if err := c.ask(ctx, &w, "demo"); err != nil {
		return nil, err
	}
	b.say("filling %s", name)
	if url == "" {
		err = pages.Fill(ctx, filepath.Join(data, "parley.db"), w, sizes)
	} else {
		err = pages.Fill(ctx, url, w, sizes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &system{name: name, launch: func(ctx context.Context) (*process, error) { return startParley(ctx, c) }}
	if url != "" {
		s.clean = func() error { return b.cluster.drop(url) }
	}
	b.systems = append(b.systems, s)
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	return &pages.System{Name: name, Address: s.running.address, Workspace: w}, nil
}
