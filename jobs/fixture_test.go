package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/intx"
	"parley/store"
	"parley/store/people"
	"parley/store/storetest"
)

// someWork is the kind of work for tests that need only one kind.
const someWork = "some"

// patience bounds every wait of these tests.
const patience = time.Minute

func TestMain(m *testing.M) {
	if url := childOf(); url != "" {
		dieInASlice(url)
	}
	goleak.VerifyTestMain(m)
}

// fixture is a store with a table of work like a domain package's: how many units
// are due in each workspace.
type fixture struct {
	*testing.T
	url   string
	store *store.Store
}

// onBothDatabases runs a test on an empty SQLite file and on an empty
// PostgreSQL database.
func onBothDatabases(t *testing.T, test func(h *fixture)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(newFixture(t, sqliteURL(t))) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); test(newFixture(t, storetest.Postgres(t))) })
}

func sqliteURL(t *testing.T) string {
	t.Helper()
	return storetest.SQLite(t)
}

func newFixture(t *testing.T, url string) *fixture {
	t.Helper()
	h := openFixture(t, url)
	const table = "CREATE TABLE due (workspace text PRIMARY KEY, units bigint NOT NULL)"
	if h.store.IsSQLite() {
		h.must(h.store.InTx(h.Context(), func(ctx context.Context) error { return execute(ctx, table) }))
		return h
	}
	for _, statement := range []string{table, "GRANT ALL ON due TO PUBLIC"} { // the server may not create tables
		_, err := openURL(t, url).ExecContext(t.Context(), statement)
		h.must(err)
	}
	return h
}

func openFixture(t *testing.T, url string) *fixture {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return &fixture{T: t, url: url, store: s}
}

func (h *fixture) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// workspaces creates workspaces without work.
func (h *fixture) workspaces(ids ...string) {
	h.Helper()
	for _, id := range ids {
		h.must(people.NewWorkspaces(h.store).CreateWorkspace(h.Context(), tenant.Workspace{ID: id, Name: id, Plan: plan.Starter, CreatedAt: time.Now()}))
		h.must(h.store.InTx(h.Context(), func(ctx context.Context) error {
			return execute(ctx, "INSERT INTO due VALUES ('"+id+"', 0)")
		}))
	}
}

// queue opens a queue on the store's database, and closes it when the test ends.
func (h *fixture) queue(config Config) *Queue {
	h.Helper()
	q, err := openQueue(h.Context(), h.store, h.url, config)
	h.must(err)
	h.Cleanup(func() {
		if err := q.Close(); err != nil {
			h.Errorf("closing the queue: %v", err)
		}
	})
	return q
}

func openQueue(ctx context.Context, s *store.Store, url string, config Config) (q *Queue, err error) {
	if config.Workers == nil {
		config.Workers = map[string]int{someWork: 2}
	}
	if s.IsSQLite() {
		config.SQLite, err = s.JobsDB()
	} else {
		config.Postgres, config.Role = url, store.NewWall(s).JobsRole()
	}
	if err != nil {
		return nil, err
	}
	return Open(ctx, config)
}

// run runs the queue until the returned function is called, or until the test
// ends.
func (h *fixture) run(q *Queue, w Worker) (stop func()) {
	h.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- q.Run(ctx, w) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := receive(h.T, "the queue stops", ended); err != nil {
			h.Errorf("running the queue: %v", err)
		}
	})
	h.Cleanup(stop)
	return stop
}

// add adds work and its job in one transaction, as a domain package does.
func (h *fixture) add(q *Queue, workspaceID string, units int) {
	h.Helper()
	h.must(h.adding(q, workspaceID, units, nil))
}

func (h *fixture) adding(q *Queue, workspaceID string, units int, then error) error {
	return h.store.InTx(h.Context(), func(ctx context.Context) error {
		if err := addUnits(ctx, h.store, workspaceID, units); err != nil {
			return err
		}
		if err := q.Enqueue(ctx, workspaceID, someWork); err != nil {
			return err
		}
		return then
	})
}

func addUnits(ctx context.Context, s *store.Store, workspaceID string, units int) error {
	if _, err := s.LockWorkspace(ctx, workspaceID); err != nil {
		return err
	}
	return execute(ctx, fmt.Sprintf("UPDATE due SET units = units + %d WHERE workspace = '%s'", units, workspaceID))
}

// due returns how many units are left in a workspace.
func (h *fixture) due(workspaceID string) (units int) {
	h.Helper()
	h.must(h.store.InTx(context.WithoutCancel(h.Context()), func(ctx context.Context) (err error) {
		units, err = unitsOf(ctx, workspaceID)
		return err
	}))
	return units
}

// jobs counts the jobs that are in a state.
func (h *fixture) jobs(state string) (n int) {
	h.Helper()
	h.must(h.store.InTx(context.WithoutCancel(h.Context()), func(ctx context.Context) error {
		return scan(ctx, &n, "SELECT count(*) FROM river_job WHERE state = '"+state+"'")
	}))
	return n
}

func execute(ctx context.Context, statement string) error {
	tx, _ := intx.Tx(ctx)
	_, err := tx.SQL.ExecContext(ctx, statement)
	return err
}

func scan(ctx context.Context, into any, query string) error {
	tx, _ := intx.Tx(ctx)
	return tx.SQL.QueryRowContext(ctx, query).Scan(into)
}

func unitsOf(ctx context.Context, workspaceID string) (units int, err error) {
	err = scan(ctx, &units, "SELECT units FROM due WHERE workspace = '"+workspaceID+"'")
	return units, err
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}

// receive waits for a value from a channel.
func receive[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatalf("timed out waiting until %s", what)
		panic("unreachable")
	}
}

// lines collects log lines.
type lines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, line...)
	return len(line), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

func logTo(l *lines) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
