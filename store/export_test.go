package store

import (
	"context"
	"database/sql"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/core/audit"
	"parley/internal/intx"
)

// CountStatements has a test count what is sent to the database of a store from now on,
// reads and writes, in transactions or not.
func CountStatements(s *Store) *atomic.Int64 {
	n := new(atomic.Int64)
	HearStatements(s, func(string, []any) { n.Add(1) })
	return n
}

// HearStatements has a test hear every statement that is sent to the database of a store
// from now on. A transaction is heard as an empty one.
func HearStatements(s *Store, hear func(statement string, args []any)) {
	s.queries = tallied{s.queries, hear}
	s.client = newClient(s.dialect, s.queries)
	s.begin = talliedBeginner{s.begin, hear}
}

type tallied struct {
	entsql.ExecQuerier
	hear func(statement string, args []any)
}

func (c tallied) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	c.hear(query, args)
	return c.ExecQuerier.QueryContext(ctx, query, args...)
}

func (c tallied) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	c.hear(query, args)
	return c.ExecQuerier.ExecContext(ctx, query, args...)
}

type talliedBeginner struct {
	beginner
	hear func(statement string, args []any)
}

func (b talliedBeginner) inTx(ctx context.Context, fn inTxFunc) error {
	b.hear("", nil) // the transaction itself
	return b.beginner.inTx(ctx, func(ctx context.Context, on entsql.ExecQuerier, tx *intx.Transaction) error {
		return fn(ctx, tallied{on, b.hear}, tx)
	})
}

// What tests see of how a database is opened and migrated.
const (
	SQLiteScheme  = sqliteScheme
	SQLiteWrites  = sqliteWrites
	MigrationLock = migrationLock
)

// ErrSavepoints is asked for before any test opens a file: the first of them would keep it
// from being set.
var ErrSavepoints = keepSavepoints()

// MigratePostgres migrates a database of PostgreSQL.
func MigratePostgres(ctx context.Context, config *pgx.ConnConfig, files fs.FS) error {
	return (&postgres{server: config, owner: config}).migrate(ctx, files)
}

// OnReads is a store that only reads, from a pool.
func OnReads(db *sql.DB) *Store { return &Store{reads: db} }

// Unconnected is a store on a PostgreSQL that need not be there.
func Unconnected(url string) (*Store, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config)
	return newStore(dialect.Postgres, db, db, pool{boundedPool{db, limits{time.Minute}}}, db.Close), nil
}

// Reads is the pool for reading.
func (s *Store) Reads() *sql.DB { return s.reads }

// SetAudited is [Options.Audited] of an open store.
func SetAudited(s *Store, audited func([]audit.Entry)) { s.audited = audited }

// AddPlans is what opening does with the plans.
func AddPlans(ctx context.Context, s *Store) error { return s.addPlans(ctx) }

// NewAuditEntry is an entry without a chain.
var NewAuditEntry = newAuditEntry

// Limits and statements that tests go by.
const (
	MaxWaiting  = maxWaiting
	SecondFrom  = secondFrom
	FreshPeriod = freshPeriod
	Declare     = declare
	Lower       = lower
)

// ErrNoWall is the error of a wall that does not stand.
var ErrNoWall = errNoWall

// Privileges are what the server's roles may do with a table.
func Privileges(table string) string { return privileges(table) }

// Roles are the names of the server's roles.
type Roles struct{ One, Several, System string }

// RolesOf returns the roles that a store works as.
func RolesOf(s *Store) Roles {
	r := s.wall.roles
	return Roles{One: r.one, Several: r.several, System: r.system}
}

// All are the names of all.
func (r Roles) All() []string { return []string{r.One, r.Several, r.System} }

// GroupsDB is the pool of the groups.
func GroupsDB(s *Store) *sql.DB { return s.groups.db }

// HoldGroup has a row under way in the nth group of a store, which stores nothing, until so
// many others wait for a statement.
func HoldGroup(s *Store, nth, waiting int, rows func()) {
	s.groups.groups[nth].(interface{ hold(int, func()) }).hold(waiting, rows)
}

func (g *Group[Row, Result]) hold(waiting int, rows func()) {
	alone, release, entered := g.Alone, make(chan struct{}), make(chan struct{})
	var first sync.Once
	g.Alone = func(ctx context.Context, row Row) (result Result, err error) {
		isFirst := false
		first.Do(func() {
			isFirst = true
			close(entered)
			<-release
		})
		if isFirst {
			return result, nil
		}
		return alone(ctx, row)
	}
	var all sync.WaitGroup
	var none Row
	all.Go(func() { _, _ = g.Do(context.Background(), none) })
	<-entered
	all.Go(rows)
	all.Go(func() {
		for g.Waiting() < waiting {
			runtime.Gosched()
		}
		close(release)
	})
	all.Wait()
	g.Alone = alone
}

// Writer is the one writer of a SQLite file.
type Writer struct{ writer *writer }

// WriterOf returns the writer of a store.
func WriterOf(s *Store) *Writer { return &Writer{s.begin.(*writer)} }

// Run runs a job.
func (w *Writer) Run(ctx context.Context, fn func() error) error {
	return w.writer.inTx(ctx, func(context.Context, entsql.ExecQuerier, *intx.Transaction) error { return fn() })
}

// Queued is how many jobs wait.
func (w *Writer) Queued() int { return len(w.writer.queue) }

// Stopped reports whether it takes no more jobs.
func (w *Writer) Stopped() bool {
	w.writer.mu.RLock()
	defer w.writer.mu.RUnlock()
	return w.writer.stopped
}

// Conn is its connection.
func (w *Writer) Conn() *sql.Conn { return w.writer.conn }

// FullLongAgo makes it long ago that PostgreSQL said that its disk is full.
func FullLongAgo(s *Store) {
	s.full.mu.Lock()
	defer s.full.mu.Unlock()
	s.full.said = s.full.said.Add(-fullFor)
}
