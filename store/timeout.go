package store

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/core/fault"
	"parley/internal/socket"
)

// A PostgreSQL server that hangs accepts connections and statements, and answers
// nothing: its disk or its machine has stopped, or a firewall drops its packets. Without
// what stands in this file everybody would wait for as long as it hangs.

// AnswerWithin is how long a request waits for a connection, and for each answer of
// PostgreSQL.
const AnswerWithin = 10 * time.Second

// backgroundWithin is how long work in the background waits, such as the deletion of a
// large workspace.
const backgroundWithin = 15 * time.Minute

// stalePeriod is how long a connection may be idle before it must answer a ping to be
// used: something on the way may have forgotten it. freshPeriod is how long it may be
// idle before it is at least looked at.
const (
	stalePeriod = 30 * time.Second
	freshPeriod = 20 * time.Millisecond
)

var (
	errSilent  = errors.New("PostgreSQL has not answered in time")
	errTooLate = fault.Wrap(fault.Unavailable, errors.New("no connection to PostgreSQL, or no answer, in time"), notAvailable).ForOperator()
)

type backgroundKey struct{}

// Background returns a context for work that no request waits for. Its statements may
// take up to 15 minutes.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// limits are how long a store waits for PostgreSQL.
type limits struct{ request time.Duration }

func (l limits) of(ctx context.Context) time.Duration {
	if ctx.Value(backgroundKey{}) != nil {
		return backgroundWithin
	}
	return l.request
}

// watch makes the connections of a pool give up a server that is silent for too long.
func (l limits) watch(config *pgx.ConnConfig) {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = l.request
	}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		w := &watchedConn{Conn: conn}
		w.within.Store(int64(l.request))
		return w, nil
	}
	config.Tracer = l
}

// TraceQueryStart tells the connection how long the statement that follows may take.
func (l limits) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if w := watchedOf(conn); w != nil {
		w.within.Store(int64(l.of(ctx)))
	}
	return ctx
}

// TraceBatchStart is TraceQueryStart for a statement with its declaration.
func (l limits) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return l.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{})
}

// TraceBatchQuery does nothing.
func (limits) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (limits) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceQueryEnd does nothing.
func (limits) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// watchedOf returns the connection below TLS.
func watchedOf(conn *pgx.Conn) *watchedConn {
	below := conn.PgConn().Conn()
	if secured, ok := below.(interface{ NetConn() net.Conn }); ok {
		below = secured.NetConn()
	}
	w, _ := below.(*watchedConn)
	return w
}

// openPool opens a pool of connections that are watched. None that is idle and has been
// closed by the server is used. With roles its statements declare, by a statement, whose rows they are about.
func (l limits) openPool(config *pgx.ConnConfig, as *roles, declare string, connections int, more ...stdlib.OptionOpenDB) *sql.DB {
	connector := stdlib.GetConnector(*config, append(more, stdlib.OptionShouldPing(func(_ context.Context, p stdlib.ShouldPingParams) bool {
		if w := watchedOf(p.Conn); w != nil {
			w.within.Store(int64(l.request)) // the ping's, whatever the last statement had
		}
		return p.IdleDuration > stalePeriod || p.IdleDuration > freshPeriod && !isQuiet(p.Conn)
	}))...)
	if as != nil {
		connector = walledConnector{connector, *as, declare}
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db
}

// isQuiet reports whether an idle connection is open and has nothing to read. A server
// that ends a connection says so, and closes it.
func isQuiet(conn *pgx.Conn) bool {
	w := watchedOf(conn)
	return w != nil && socket.IsQuiet(w.Conn)
}

// watchedConn is a connection whose reads and writes fail when the other end is silent for
// too long. Only a statement that is under way reads: an idle connection may be silent.
type watchedConn struct {
	net.Conn
	within atomic.Int64

	mu sync.Mutex
	// given is set while the driver has set a deadline of its own, for a context
	// that has ended.
	given bool
}

// Read waits for bytes for a limited time.
func (c *watchedConn) Read(p []byte) (int, error) {
	c.limit(c.Conn.SetReadDeadline)
	n, err := c.Conn.Read(p)
	return n, c.told(err)
}

// Write waits for a limited time until the other end takes some of p.
func (c *watchedConn) Write(p []byte) (written int, err error) {
	const piece = 256 << 10
	for err == nil && len(p) > 0 {
		c.limit(c.Conn.SetWriteDeadline)
		var n int
		n, err = c.Conn.Write(p[:min(piece, len(p))])
		written, p = written+n, p[n:]
	}
	return written, c.told(err)
}

func (c *watchedConn) limit(set func(time.Time) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.given {
		_ = set(time.Now().Add(time.Duration(c.within.Load())))
	}
}

// told is the error of a read or a write. The driver takes a time-out for the end of a
// context and anything else for the end of the connection.
func (c *watchedConn) told(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && !c.given && errors.Is(err, os.ErrDeadlineExceeded) {
		return errSilent
	}
	return err
}

// SetDeadline sets a deadline for the driver, or gives it back.
func (c *watchedConn) SetDeadline(at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.given = !at.IsZero()
	return c.Conn.SetDeadline(at)
}

// boundedPool runs statements on a pool, each in a transaction of its own. It bounds the
// wait for a connection, and runs a statement once more that lost to another one.
type boundedPool struct {
	db     *sql.DB
	limits limits
}

var _ entsql.ExecQuerier = boundedPool{}

// QueryContext runs a query.
func (p boundedPool) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = p.twice(ctx, func(ctx context.Context) error {
		rows, err = p.db.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // the caller does
		return err
	})
	return rows, err
}

// ExecContext runs a statement.
func (p boundedPool) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	err = p.twice(ctx, func(ctx context.Context) error {
		result, err = p.db.ExecContext(ctx, query, args...)
		return err
	})
	return result, err
}

// conn takes a connection from the pool.
func (p boundedPool) conn(ctx context.Context) (conn *sql.Conn, err error) {
	err = p.bounded(ctx, func(ctx context.Context) error {
		conn, err = p.db.Conn(ctx)
		return err
	})
	return conn, err
}

func (p boundedPool) twice(ctx context.Context, run func(context.Context) error) error {
	err := p.bounded(ctx, run)
	if isLost(err) {
		err = p.bounded(ctx, run)
	}
	return err
}

// isLost reports whether PostgreSQL undid a transaction for the sake of another one.
func isLost(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && (refusal.Code == "40P01" || refusal.Code == "40001")
}

// bounded gives run a context that ends when it waits for too long. What run returns,
// such as rows, must outlive the call, so then the context goes on.
func (p boundedPool) bounded(ctx context.Context, run func(context.Context) error) error {
	if ctx.Err() != nil { // what ends waiting below may come late
		return ctx.Err()
	}
	within := p.limits.of(ctx)
	if deadline, has := ctx.Deadline(); has && time.Until(deadline) <= within {
		return run(ctx)
	}
	waiting, end := context.WithCancelCause(context.WithoutCancel(ctx))
	leave := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	defer leave()
	timer := time.AfterFunc(within, func() { end(errTooLate) })
	defer timer.Stop()
	err := run(waiting)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(waiting), errTooLate):
		return errTooLate
	}
	return err
}
