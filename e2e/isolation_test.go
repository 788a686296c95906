package e2e

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/isolation"
	"parley/internal/pgtest"
	"parley/internal/weaviatetest"
	"parley/llm/llmtest"
	"parley/mail/mailtest"
)

// checker is what parley doctor isolation runs, by means of a server at an address.
func (w *instance) checker(address string, progress func(string)) *isolation.Checker {
	w.Helper()
	c, err := w.server.Program.IsolationChecker(w.Context(), address, progress)
	w.must(err)
	return c
}

// quietly takes no notice of the steps.
func quietly(string) {}

// passing are the tables that servers change by themselves.
var passing = []string{"chores", "request_minutes", "index_changes", "message_holds", "daily_stats", "daily_counts", "usage_sums"}

// rowCounts counts the rows of each table, and under the names of columns those of throw-away
// workspaces.
func (w *instance) rowCounts() map[string]int {
	w.Helper()
	driver, name := "sqlite", "file:"+filepath.Join(w.server.Config.DataDir, "parley.db")+"?mode=ro&_pragma=busy_timeout(10000)"
	list := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if url := w.server.Config.DatabaseURL; url != "" {
		driver, name = "pgx", url
		list = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	}
	db, err := sql.Open(driver, name)
	w.must(err)
	defer db.Close()
	counts := map[string]int{}
	for _, table := range w.query(w.T, db, list) {
		var n int
		if !slices.Contains(passing, table) && !strings.HasPrefix(table, "river_") {
			w.must(db.QueryRowContext(w.Context(), "SELECT count(*) FROM "+table).Scan(&n))
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
func (w *instance) leftNothing(before map[string]int, runs int) {
	w.Helper()
	after := w.rowCounts()
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

// inOrder fails the test unless a report has found nothing, and has tried what it must.
func (w *instance) inOrder(r *isolation.Report, err error) {
	w.Helper()
	w.must(err)
	if !r.OK() {
		w.Errorf("crossings: %+v\nunproven: %v\nleft: %v", r.Crossings, r.Unproven, r.Left)
	}
	if r.AtServer != 2*isolation.SearchesEach || r.AtIndex != 2*isolation.SearchesEach {
		w.Errorf("it searched %d times at the server and %d times in the index", r.AtServer, r.AtIndex)
	}
	if r.Routes+len(r.NotTried) < 200 || r.Total() < 2*r.Routes || r.Seen < r.Planted/3 {
		w.Errorf("it tried too little: %+v", r)
	}
	if hasWall := w.server.Config.DatabaseURL != ""; hasWall != (len(r.Wall.Tables) > 30) || hasWall != (r.Wall.Off == "") {
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
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		w.hasNoRates()
		w.newFullWorkspace("quillon")
		before := w.rowCounts()

		t.Run("a server that keeps workspaces apart is found to, and nothing stays", func(t *testing.T) {
			w := w.within(t)
			w.inOrder(w.checker(w.base, quietly).Run(t.Context()))
			w.leftNothing(before, 1)
		})
		t.Run("a check that is interrupted takes everything away", func(t *testing.T) {
			w := w.within(t)
			for runs, step := range []string{"Planting", "Reading", "Trying every route", "Searching", "Trying statements"} {
				ctx, cancel := context.WithCancel(t.Context())
				_, err := w.checker(w.base, func(begins string) {
					if strings.HasPrefix(begins, step) {
						cancel()
					}
				}).Run(ctx)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("interrupted at %q it says %v", step, err)
				}
				w.leftNothing(before, runs+2)
			}
		})
		t.Run("a check that was killed is cleaned up by the next, and not confused with a customer", func(t *testing.T) {
			w := w.within(t)
			killed := w.killChecks()
			out, complaint, code := w.parley("doctor", "isolation", "--url="+w.base)
			if code != 1 || !strings.Contains(complaint, "--clean") {
				t.Errorf("beside a check that may run it ends with %d and says %s%s", code, out, complaint)
			}
			out, complaint, code = w.parley("doctor", "isolation", "--clean")
			if code != 0 || strings.Count(out, "ws_isolation") != 2 {
				t.Errorf("--clean ends with %d and says %s%s", code, out, complaint)
			}
			w.leftNothing(before, 6+killed)
		})
	})
}

// parley runs a command beside the server, as an operator does.
func (w *instance) parley(args ...string) (out, complaint string, code int) {
	w.Helper()
	var printed, complaints strings.Builder
	command := w.command(w.Context(), args...)
	command.Stdout, command.Stderr = &printed, &complaints
	_ = command.Run() // the exit code says it
	return printed.String(), complaints.String(), command.ProcessState.ExitCode()
}

func (w *instance) command(ctx context.Context, args ...string) *exec.Cmd {
	w.Helper()
	path, err := executable()
	w.must(err)
	c := w.server.Config
	args = append(args, "--data-dir="+c.DataDir, "--log-level=error")
	if c.DatabaseURL != "" {
		args = append(args, "--database-url="+c.DatabaseURL)
	}
	return exec.CommandContext(ctx, path, args...)
}

// killChecks kills a check in a process of its own while it tries routes, and returns how many
// it began.
func (w *instance) killChecks() int {
	w.Helper()
	command := w.command(w.Context(), "doctor", "isolation", "--url="+w.base)
	says, err := command.StderrPipe()
	w.must(err)
	w.must(command.Start())
	lines := bufio.NewScanner(says)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "Trying every route") {
			w.must(command.Process.Signal(syscall.SIGKILL))
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
	w := start(t, withWeaviate(server, server.Prefix(t)), func(c *app.Config) { c.DatabaseURL = pgtest.New(t) })
	w.prepared()
	w.hasNoRates()
	before := w.rowCounts()
	w.inOrder(w.checker(w.base, quietly).Run(t.Context()))
	w.leftNothing(before, 1)
}

func TestDoctorIsolationOfSeveralServers(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	database := func(c *app.Config) { c.DatabaseURL = url }
	beside, w := start(t, database), start(t, database)
	w.prepared()
	w.hasNoRates()
	before := beside.rowCounts()
	// The index of the check is that of one server, and the other has to follow it.
	beside.inOrder(beside.checker(w.base, quietly).Run(t.Context()))
	beside.leftNothing(before, 1)
}

func TestDoctorIsolationCommand(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.hasNoRates()
	t.Run("the report says what was tried, and the exit code that nothing crossed", func(t *testing.T) {
		out, complaint, code := w.within(t).parley("doctor", "isolation", "--url="+w.base)
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
		out, complaint, code := w.within(t).parley("doctor", "isolation", "--json", "--url="+w.base)
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
		w := w.within(t)
		before := w.rowCounts()
		out, complaint, code := w.parley("doctor", "isolation", "--url=http://127.0.0.1:9")
		if code != 1 || !strings.Contains(complaint, "No server answers at http://127.0.0.1:9") {
			t.Errorf("it ends with %d and says %s%s", code, out, complaint)
		}
		w.leftNothing(before, 0)
	})
	t.Run("a server on another database is told apart", func(t *testing.T) {
		w := w.within(t)
		before := w.rowCounts()
		other := start(t)
		_, complaint, code := w.parley("doctor", "isolation", "--url="+other.base)
		if code != 1 || !strings.Contains(complaint, "server on this database with --url") {
			t.Errorf("it ends with %d and says %s", code, complaint)
		}
		w.leftNothing(before, 1)
	})
	t.Run("an address that is none is refused", func(t *testing.T) {
		_, complaint, code := w.within(t).parley("doctor", "isolation", "--url=parley")
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
	vectors, upstream, post := llmtest.NewEmbeddings(t, vectorSize), llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Well."}}), mailtest.New(t, mailtest.Options{})
	w := start(t, withEmbeddings(vectors), withModel(upstream), func(c *app.Config) {
		c.SMTPURL, c.MailFrom, c.BaseURL = "smtp://"+post.Address, "Parley <parley@example.com>", "http://parley.example"
	})
	w.searching()
	w.hasNoRates()
	answers, embedded := upstream.Arrived(), len(vectors.Requests())
	before := w.rowCounts()
	w.inOrder(w.checker(w.base, quietly).Run(t.Context()))
	w.leftNothing(before, 1)
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
