// Package store opens a database, SQLite or PostgreSQL, migrates it, runs transactions in it
// and maps its errors. It has what queries are made of, and no more queries than opening and
// committing need: those of a subject are in a package below it, such as store/chat, which
// fills the ports of the domain packages and maps rows to their types. Ent ends in these
// packages.
//
// Their methods take the workspace right after the context, and ent's wall confines their
// queries to it; statements by hand name it themselves. One that works across workspaces takes
// a [parley/core/system.Access] instead. One that takes neither reaches no workspace's rows.
package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"

	"parley/core/audit"
	"parley/core/fault"
	ent "parley/ent/generated"
	_ "parley/ent/generated/runtime" // the wall: see ent/schema/wall.go
	"parley/internal/diskspace"
	"parley/internal/intx"
)

// Store is a database: it opens it, runs transactions, and maps errors.
type Store struct {
	dialect string
	reads   *sql.DB
	queries entsql.ExecQuerier
	client  *ent.Client
	begin   beginner
	close   func() error

	// groups is nil on SQLite, whose one writer shares commits: see writer.
	groups *groupPool
	// listening is how [Store.Connect] connects, and nil on SQLite.
	listening *pgx.ConnConfig

	// wall is what keeps workspaces apart behind the queries, on PostgreSQL.
	wall wall

	// holder is the number of this process on PostgreSQL: see Holder.
	holder int64

	// audited is [Options.Audited].
	audited func([]audit.Entry)

	// folder is that of SQLite's file, and full what PostgreSQL says of its disk.
	folder *diskspace.Folders
	full   *postgresRoom

	jobsDSN  string // of SQLite, as is jobsTurn: see JobsDB
	jobsTurn *sync.Mutex
}

// beginner runs a function in a transaction of its database.
type beginner interface {
	inTx(ctx context.Context, fn inTxFunc) error
}

// inTxFunc runs statements on what it is given, which is in the transaction.
type inTxFunc = func(ctx context.Context, on entsql.ExecQuerier, tx *intx.Transaction) error

// Options are how a database is used.
type Options struct {
	// AnswerWithin is how long a request waits for PostgreSQL: [AnswerWithin] when 0.
	AnswerWithin time.Duration
	// Audited is told of the entries of the audit log that a transaction wrote, in the
	// order of each chain, once it is committed. Several goroutines call it. It may be nil.
	Audited func(entries []audit.Entry)
	// OwnerURL is the PostgreSQL URL of the owner of the tables, who migrates them. Empty
	// is the one that the server has, too.
	OwnerURL string
	// MayLackWall lets the server work with a PostgreSQL that does not let it have roles
	// for row-level security.
	MayLackWall bool
}

// Open opens the database of a URL, applies the migrations that are missing,
// and adds the plans that are missing. The URL is postgres://… or
// sqlite:<path>.
func Open(ctx context.Context, url string) (*Store, error) {
	return OpenWith(ctx, url, Options{})
}

// OpenWith is Open with options.
func OpenWith(ctx context.Context, url string, options Options) (*Store, error) {
	s, err := open(ctx, url, options)
	if err != nil {
		return nil, err
	}
	s.audited = options.Audited
	if err := s.addPlans(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// CheckURL fails if [Open] would not understand the URL. The error does not
// quote it.
func CheckURL(url string) error {
	if path, isFile := strings.CutPrefix(url, sqliteScheme); isFile && path != "" && path[0] != '?' {
		return nil
	}
	if isPostgres(url) {
		_, err := parsePostgres(url)
		return err
	}
	return errURL
}

var errURL = errors.New("give a database URL that starts with postgres:// or with sqlite: and a path")

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

func open(ctx context.Context, url string, options Options) (*Store, error) {
	switch {
	case strings.HasPrefix(url, sqliteScheme):
		return openSQLite(ctx, strings.TrimPrefix(url, sqliteScheme))
	case isPostgres(url):
		return openPostgres(ctx, url, options)
	}
	return nil, errURL
}

func newStore(name string, reads *sql.DB, queries entsql.ExecQuerier, begin beginner, close func() error) *Store {
	return &Store{dialect: name, reads: reads, queries: queries, begin: begin, close: close, client: newClient(name, queries)}
}

// newClient returns ent's client on a pool or within a transaction.
func newClient(name string, on entsql.ExecQuerier) *ent.Client {
	return ent.NewClient(ent.Driver(joined{entsql.NewDriver(name, entsql.Conn{ExecQuerier: on})}))
}

// Close releases the database.
func (s *Store) Close() error { return s.close() }

// CheckStorage fails while the database has no room to store anything.
func (s *Store) CheckStorage(ctx context.Context) error {
	var err error
	switch {
	case s.folder != nil:
		err = s.folder.Check()
	case s.full != nil:
		err = s.full.check(ctx, s.reads)
	}
	if err != nil {
		return fault.OutOfStorage(err)
	}
	return nil
}

// Check reports whether the database answers.
func (s *Store) Check(ctx context.Context) error {
	var one int
	return MapError(ScanOne(ctx, s.queries, []any{&one}, "SELECT 1"))
}

// IsSQLite reports whether the database is a file of this machine.
func (s *Store) IsSQLite() bool { return s.dialect == dialect.SQLite }

// Holder is the number of this process among all that use the database, on PostgreSQL.
func (s *Store) Holder() int64 { return s.holder }

type txKey struct{}

// transaction is what calls inside one run on. It belongs to one goroutine.
type transaction struct {
	raw    entsql.ExecQuerier
	client *ent.Client // made when it is asked for
	// audit is what the transaction does, which is written at its end: see sealAudit.
	audit []audit.Entry
}

// InTx runs fn in one transaction; calls inside it join. On SQLite several
// callers' transactions may share one commit, and a ctx that ends no longer
// interrupts fn once it has begun. The context of fn carries the transaction
// for what is stored by others: see package intx.
func (s *Store) InTx(ctx context.Context, fn func(context.Context) error) error {
	if intx.Inside(ctx) {
		return fn(ctx)
	}
	if full := diskspace.Full(ctx); full != nil {
		return fault.OutOfStorage(full)
	}
	var begun *intx.Transaction
	err := s.begin.inTx(ctx, func(ctx context.Context, on entsql.ExecQuerier, tx *intx.Transaction) error {
		begun = tx
		own := &transaction{raw: on}
		ctx = context.WithValue(intx.With(ctx, tx), txKey{}, own)
		if err := fn(ctx); err != nil || len(own.audit) == 0 {
			return err
		}
		return s.sealAudit(ctx, own)
	})
	if err != nil {
		return s.explain(MapError(err))
	}
	begun.Committed()
	return nil
}

// explain gives a failure to write the reason that the folder of the file is full. SQLite
// says so of missing blocks alone, and not of quotas, inodes and a read-only file system.
func (s *Store) explain(err error) error {
	if s.folder == nil || !fault.Is(err, fault.Unavailable) && !isReadOnly(err) || fault.IsOutOfStorage(err) {
		return err
	}
	if full := s.folder.Check(); full != nil {
		return fault.OutOfStorage(errors.Join(full, err))
	}
	return err
}

// Write is [Store.WriteRaw] for a statement of ent's.
func (s *Store) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	return s.WriteRaw(ctx, func(ctx context.Context) error { return fn(ctx, s.Client(ctx)) })
}

// Client returns the client of the transaction of ctx, or the one for reading.
func (s *Store) Client(ctx context.Context) *ent.Client {
	tx, ok := ctx.Value(txKey{}).(*transaction)
	if !ok {
		return s.client
	}
	if tx.client == nil {
		tx.client = newClient(s.dialect, tx.raw)
	}
	return tx.client
}

// joined is a driver that begins no transactions of its own: [Store.InTx] does.
type joined struct{ *entsql.Driver }

func (j joined) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(j.Driver), nil }

// Mapped is the end of a query: rows to domain types, errors to faults.
func Mapped[Row, Item any](rows []Row, err error, convert func(Row) Item) ([]Item, error) {
	if err != nil {
		return nil, MapError(err)
	}
	out := make([]Item, len(rows))
	for i, row := range rows {
		out[i] = convert(row)
	}
	return out, nil
}

// One is [Mapped] for a single row.
func One[Row, Item any](row Row, err error, convert func(Row) Item) (Item, error) {
	if err != nil {
		var none Item
		return none, MapError(err)
	}
	return convert(row), nil
}

// Affected turns the outcome of an update that must hit a row into an error.
func Affected(n int, err error) error {
	if err == nil && n == 0 {
		return fault.New(fault.NotFound, "Not found.")
	}
	return err
}
