package api

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/isolation"
	"parley/e2e/harness"
	"parley/internal/pgtest"
	"parley/internal/weaviatetest"
	"parley/llm/llmtest"
	"parley/mail/mailtest"
)

// checker is what parley doctor isolation runs, by means of a server at an address.
func checker(w *harness.Instance, address string, progress func(string)) *isolation.Checker {
	w.Helper()
	c, err := w.Server.Program.IsolationChecker(w.Context(), address, progress)
	w.Must(err)
	return c
}

// quietly takes no notice of the steps.
func quietly(string) {}

// passing are the tables that servers change by themselves.
var passing = []string{"chores", "request_minutes", "index_changes", "message_holds", "daily_stats", "daily_counts", "usage_sums"}

// databaseOf opens the database beside the server.
func databaseOf(w *harness.Instance) *sql.DB {
	w.Helper()
	driver, name := "sqlite", "file:"+filepath.Join(w.Server.Config.DataDir, "parley.db")+"?_pragma=busy_timeout(10000)"
	if url := w.Server.Config.DatabaseURL; url != "" {
		driver, name = "pgx", url
	}
	db, err := sql.Open(driver, name)
	w.Must(err)
	return db
}

// rowCounts counts the rows of each table and, under table.workspace_id, the rows of
// throw-away workspaces.
func rowCounts(w *harness.Instance) map[string]int {
	w.Helper()
	list := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if w.Server.Config.DatabaseURL != "" {
		list = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	}
	db := databaseOf(w)
	defer db.Close()
	counts := map[string]int{}
	for _, table := range w.QueryRows(w.T, db, list) {
		var n int
		if !slices.Contains(passing, table) && !strings.HasPrefix(table, "river_") {
			w.Must(db.QueryRowContext(w.Context(), "SELECT count(*) FROM "+table).Scan(&n))
			counts[table] = n
		}
		err := db.QueryRowContext(w.Context(), "SELECT count(*) FROM "+table+" WHERE workspace_id LIKE 'ws_isolation%'").Scan(&n)
		if err == nil && table != "index_changes" { // other tables have no such column
			counts[table+".workspace_id"] = n
		}
	}
	return counts
}

// leftNothing fails the test if a table has other numbers of rows than before. Each run of the
// check leaves an entry in the audit log.
func leftNothing(w *harness.Instance, before map[string]int, runs int) {
	w.Helper()
	after := rowCounts(w)
	for _, table := range slices.Sorted(maps.Keys(after)) {
		want := before[table]
		if table == "audit_entries" {
			want += runs
		}
		if table != "audit_chains" && after[table] != want {
			w.Errorf("%s has %d rows, and had %d", table, after[table], before[table])
		}
	}
}

// nothingCrosses checks the server at an address, and fails the test unless the report
// has found nothing, and has tried what it must.
func nothingCrosses(w *harness.Instance, address string) {
	w.Helper()
	r, err := checker(w, address, quietly).Run(w.Context())
	w.Must(err)
	if !r.OK() {
		w.Errorf("crossings: %+v\nunproven: %v\nleft: %v", r.Crossings, r.Unproven, r.Left)
	}
	if r.AtServer != 2*isolation.SearchesEach || r.AtIndex != 2*isolation.SearchesEach {
		w.Errorf("it searched %d times at the server and %d times in the index", r.AtServer, r.AtIndex)
	}
	if r.Routes+len(r.NotTried) < 200 || r.Total() < 2*r.Routes || r.Seen < r.Planted/3 {
		w.Errorf("it tried too little: %+v", r)
	}
	if hasWall := w.Server.Config.DatabaseURL != ""; hasWall != (len(r.Wall.Tables) > 30) || hasWall != (r.Wall.Off == "") {
		w.Errorf("of the second wall it says %+v", r.Wall)
	}
	for _, p := range r.Wall.Tables {
		if p.Rows == 0 && !slices.Contains([]string{"subscriptions", "reversals", "audit_entries", "message_holds", "request_minutes"}, p.Table) {
			w.Errorf("nothing stands in %s that could have been reached", p.Table)
		}
	}
}

func TestDoctorIsolation(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start(harness.Measured)
		w.HasNoRates()
		w.NewFullWorkspace("quillon")
		before := rowCounts(w)

		t.Run("a server that keeps workspaces apart is found to, and nothing stays", func(t *testing.T) {
			w := w.Within(t)
			nothingCrosses(w, w.Base)
			leftNothing(w, before, 1)
			for _, one := range w.Scrape() {
				for label, value := range one.Labels {
					if strings.Contains(value, "isolation") {
						t.Errorf("%s has the label %s=%q", one.Name, label, value)
					}
				}
			}
		})
		t.Run("a check that is interrupted takes everything away", func(t *testing.T) {
			w := w.Within(t)
			for runs, step := range []string{"Planting", "Reading", "Trying every route", "Searching", "Trying statements"} {
				ctx, cancel := context.WithCancel(t.Context())
				_, err := checker(w, w.Base, func(begins string) {
					if strings.HasPrefix(begins, step) {
						cancel()
					}
				}).Run(ctx)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("interrupted at %q it says %v", step, err)
				}
				leftNothing(w, before, runs+2)
			}
		})
		t.Run("a check that was killed is cleaned up by the next, and not confused with a customer", func(t *testing.T) {
			w := w.Within(t)
			killed := killChecks(w)
			out, complaint, code := parleyBeside(w, "doctor", "isolation", "--url="+w.Base)
			if code != 1 || !strings.Contains(complaint, "--clean") {
				t.Errorf("beside a check that may run it ends with %d and says %s%s", code, out, complaint)
			}
			out, complaint, code = parleyBeside(w, "doctor", "isolation", "--clean")
			if code != 0 || strings.Count(out, "ws_isolation") != 2 {
				t.Errorf("--clean ends with %d and says %s%s", code, out, complaint)
			}
			leftNothing(w, before, 6+killed)
		})
	})
}

// parleyBeside runs a command beside the server, as an operator does.
func parleyBeside(w *harness.Instance, args ...string) (out, complaint string, code int) {
	w.Helper()
	var printed, complaints strings.Builder
	command := w.Beside(args...)
	command.Stdout, command.Stderr = &printed, &complaints
	_ = command.Run() // the exit code says it
	return printed.String(), complaints.String(), command.ProcessState.ExitCode()
}

// killChecks kills a check in a process of its own while it tries routes, and returns how many
// it began.
func killChecks(w *harness.Instance) int {
	w.Helper()
	command := w.Beside("doctor", "isolation", "--url="+w.Base)
	says, err := command.StderrPipe()
	w.Must(err)
	w.Must(command.Start())
	lines := bufio.NewScanner(says)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "Trying every route") {
			w.Must(command.Process.Signal(syscall.SIGKILL))
		}
	}
	_ = command.Wait() // it was killed
	if !command.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		w.Fatal("the check ended before it was killed")
	}
	return 1
}

func TestDoctorIsolationWithWeaviate(t *testing.T) {
	t.Parallel()
	server := weaviatetest.New(t)
	w := harness.Start(t, harness.WithWeaviate(server, server.Prefix(t)), func(c *app.Config) { c.DatabaseURL = pgtest.New(t) })
	w.Prepared()
	w.HasNoRates()
	before := rowCounts(w)
	nothingCrosses(w, w.Base)
	leftNothing(w, before, 1)
}

func TestDoctorIsolationOfSeveralServers(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	database := func(c *app.Config) { c.DatabaseURL = url }
	beside, w := harness.Start(t, database), harness.Start(t, database)
	w.Prepared()
	w.HasNoRates()
	before := rowCounts(beside)
	// The check uses the index of one server, and the other has to follow it.
	nothingCrosses(beside, w.Base)
	leftNothing(beside, before, 1)
}

func TestDoctorIsolationCommand(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	w.HasNoRates()
	t.Run("the report says what was tried, and the exit code that nothing crossed", func(t *testing.T) {
		out, complaint, code := parleyBeside(w.Within(t), "doctor", "isolation", "--url="+w.Base)
		if code != 0 {
			t.Fatalf("it ends with %d and says %s%s", code, out, complaint)
		}
		for _, says := range []string{"crossings", "none", "left behind", "nothing", "1000 at the server, 1000 in the index", "off: SQLite", "with an API token", "with a member's session"} {
			if !strings.Contains(out, says) {
				t.Errorf("it does not say %q:\n%s", says, out)
			}
		}
	})
	t.Run("it prints JSON", func(t *testing.T) {
		out, complaint, code := parleyBeside(w.Within(t), "doctor", "isolation", "--json", "--url="+w.Base)
		var report struct {
			Crossings []any          `json:"crossings"`
			Left      []any          `json:"left_behind"`
			Requests  map[string]int `json:"requests"`
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || report.Crossings == nil || report.Left == nil || len(report.Requests) != 5 {
			t.Errorf("it ends with %d, %v and says %s%s", code, err, out, complaint)
		}
	})
	t.Run("without a server it says how to name one, and plants nothing", func(t *testing.T) {
		w := w.Within(t)
		before := rowCounts(w)
		out, complaint, code := parleyBeside(w, "doctor", "isolation", "--url=http://127.0.0.1:9")
		if code != 1 || !strings.Contains(complaint, "No server answers at http://127.0.0.1:9") {
			t.Errorf("it ends with %d and says %s%s", code, out, complaint)
		}
		leftNothing(w, before, 0)
	})
	t.Run("a server on another database is told apart", func(t *testing.T) {
		w := w.Within(t)
		before := rowCounts(w)
		other := harness.Start(t)
		_, complaint, code := parleyBeside(w, "doctor", "isolation", "--url="+other.Base)
		if code != 1 || !strings.Contains(complaint, "server on this database with --url") {
			t.Errorf("it ends with %d and says %s", code, complaint)
		}
		leftNothing(w, before, 1)
	})
	t.Run("an address that is none is refused", func(t *testing.T) {
		_, complaint, code := parleyBeside(w.Within(t), "doctor", "isolation", "--url=parley")
		if code != 1 || !strings.Contains(complaint, "--url, such as") {
			t.Errorf("it ends with %d and says %s", code, complaint)
		}
	})
}

// crossed are the crossings of a report at a route.
func crossed(r *isolation.Report, route string) (all []string) {
	for _, c := range r.Crossings {
		if c.Route == route {
			all = append(all, fmt.Sprintf("%s for %s: %s", c.Credential, c.Object, c.Reached))
		}
	}
	return all
}

func TestDoctorIsolationReachesNobodyElse(t *testing.T) {
	t.Parallel()
	vectors, upstream, post := llmtest.NewEmbeddings(t, harness.VectorSize), llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Well."}}), mailtest.New(t, mailtest.Options{})
	w := harness.Start(t, harness.WithEmbeddings(vectors), harness.WithModel(upstream), func(c *app.Config) {
		c.SMTPURL, c.MailFrom, c.BaseURL = "smtp://"+post.Address, "Parley <parley@example.com>", "http://parley.example"
	})
	w.Searching()
	w.HasNoRates()
	answers, embedded := upstream.Arrived(), len(vectors.Requests())
	before := rowCounts(w)
	nothingCrosses(w, w.Base)
	leftNothing(w, before, 1)
	if n := upstream.Arrived() - answers; n > 0 {
		t.Errorf("a language model was asked %d times", n)
	}
	if n := len(vectors.Requests()) - embedded; n > 0 {
		t.Errorf("an embedding model was asked %d times", n)
	}
	if mails := post.Mails(); len(mails) > 0 {
		t.Errorf("mails went to %v", mails)
	}
}
