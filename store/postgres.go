package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strconv"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"parley/internal/intx"
	"parley/migrations"
)

// postgres is a database of PostgreSQL that is being opened.
type postgres struct {
	// server is how the server connects, and owner how whoever owns the tables does.
	server, owner *pgx.ConnConfig
	// mayLackWall lets the server work where roles cannot be made; noWall is then why.
	mayLackWall bool
	noWall      error
	// roles are those that the server works as, or nil without a wall.
	roles *roles
}

func openPostgres(ctx context.Context, url string, options Options) (*Store, error) {
	p := &postgres{mayLackWall: options.MayLackWall}
	var err error
	if p.server, err = parsePostgres(url); err != nil {
		return nil, err
	}
	p.owner = p.server
	if options.OwnerURL != "" {
		if p.owner, err = pgx.ParseConfig(options.OwnerURL); err != nil {
			return nil, errOwnerURL
		}
	}
	if err := p.migrate(ctx, migrations.Postgres()); err != nil {
		var failed *pgconn.ConnectError
		if errors.As(err, &failed) {
			return nil, &connectFailure{failed}
		}
		return nil, fmt.Errorf("migrating the database: %w", err)
	}
	limits := limits{request: cmp.Or(options.AnswerWithin, AnswerWithin)}
	listening := p.server.Copy()
	limits.watch(p.server)
	room := &postgresRoom{}
	room.watch(p.server)
	db := limits.openPool(p.server, p.roles, declare, 16*runtime.GOMAXPROCS(0))
	bounded := boundedPool{db, limits}
	s := newStore(dialect.Postgres, db, bounded, pool{bounded}, nil)
	s.wall = wall{p.roles, p.noWall}
	s.groups = openGroupPool(p.server, p.roles, limits)
	s.close = func() error { return errors.Join(s.groups.close(), db.Close()) }
	s.listening, s.full = listening, room
	s.holder = 1 + rand.Int64N(1<<40)
	return s, nil
}

var errOwnerURL = errors.New("DATABASE_OWNER_URL is not a PostgreSQL URL such as postgres://owner:password@host:5432/parley")

func parsePostgres(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("DATABASE_URL is not a PostgreSQL URL such as postgres://user:password@host:5432/parley")
	}
	return config, nil
}

// connectFailure says in one sentence why there is no connection. The driver
// says it in several lines, one for each way that it tried.
type connectFailure struct{ cause *pgconn.ConnectError }

// Error is the sentence, which holds no password.
func (f *connectFailure) Error() string {
	at := net.JoinHostPort(f.cause.Config.Host, strconv.Itoa(int(f.cause.Config.Port)))
	var refusal *pgconn.PgError
	switch {
	case errors.As(f.cause, &refusal) && busyPostgres(refusal.Code):
		return fmt.Sprintf("PostgreSQL at %s cannot be used just now (%s); try again in a moment", at, refusal.Message)
	case errors.As(f.cause, &refusal):
		return fmt.Sprintf("PostgreSQL at %s refuses the connection (%s); correct DATABASE_URL", at, refusal.Message)
	}
	return fmt.Sprintf("PostgreSQL does not answer at %s (%v); start it there, or correct DATABASE_URL", at, innermost(f.cause))
}

// Unwrap is the driver's error.
func (f *connectFailure) Unwrap() error { return f.cause }

// innermost is the first cause of the first cause of an error, and so on.
func innermost(err error) error {
	for {
		cause := errors.Unwrap(err)
		if joined, many := err.(interface{ Unwrap() []error }); many && len(joined.Unwrap()) > 0 {
			cause = joined.Unwrap()[0]
		}
		if cause == nil {
			return err
		}
		err = cause
	}
}

// pool runs transactions on connections of their own.
type pool struct{ boundedPool }

func (p pool) inTx(ctx context.Context, fn inTxFunc) error {
	conn, tx, err := p.begin(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	err = fn(ctx, tx, &intx.Transaction{SQL: tx, Conn: conn})
	if err == nil {
		err = tx.Commit()
	}
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // database/sql rolled the transaction back because ctx ended
	}
	return err
}

// begin takes a connection, because only a connection shows its driver, and
// tries another when the one it got was broken, as [sql.DB.BeginTx] does.
func (p pool) begin(ctx context.Context) (*sql.Conn, *sql.Tx, error) {
	for tries := 0; ; tries++ {
		conn, err := p.conn(ctx)
		if err != nil {
			return nil, nil, err
		}
		tx, err := conn.BeginTx(ctx, nil)
		if err == nil {
			return conn, tx, nil
		}
		_ = conn.Close()
		if tries == 2 || !errors.Is(err, driver.ErrBadConn) {
			return nil, nil, err
		}
	}
}

// AccessChannel is the channel on which the trigger note_access_change tells of changes.
// What it sends is a workspace, or nothing for all.
const AccessChannel = "parley_access"

// Connect opens a connection beside the pool. SQLite has none.
func (s *Store) Connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.ConnectConfig(ctx, s.listening)
}
