package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/ent/scope"
)

// declare tells PostgreSQL whose rows the next statements are about, until the end of
// their transaction. Outside of one it goes with a statement, in the same round trip and
// the same transaction: so nothing of it stays with the connection, and it does not
// matter whether a pooler gives the next statement another one.
const declare = "SELECT set_config('parley.workspace', $1, true), set_config('role', $2, true)"

// declaration is whose rows statements are about: the workspace, or several separated by
// commas, and the role whose policies compare rows with that.
type declaration struct{ workspaces, role string }

type severalKey struct{}

// withinAll confines the statements of a context to several workspaces.
func withinAll(ctx context.Context, workspaceIDs []string) context.Context {
	return context.WithValue(ctx, severalKey{}, workspaceIDs)
}

// declaration is the one of a context. Without a workspace there is none for the policies
// to compare with, and any statement about rows of workspaces fails.
func (r roles) declaration(ctx context.Context) declaration {
	if several, ok := ctx.Value(severalKey{}).([]string); ok {
		return declaration{strings.Join(slices.Compact(slices.Sorted(slices.Values(several))), ","), r.several}
	}
	allowed, _ := scope.From(ctx)
	if allowed.System || allowed.Unplaced {
		return declaration{"", r.system}
	}
	return declaration{allowed.Workspace, r.one}
}

// walledConnector opens connections whose every statement declares whose rows it is about.
type walledConnector struct {
	driver.Connector
	roles roles
	// declare is the statement that declares.
	declare string
}

// Connect opens a connection.
func (c walledConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	ofPGX, ok := conn.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(errNotPGX, conn.Close())
	}
	return &walledConn{stdConn: ofPGX, roles: c.roles, declare: c.declare}, nil
}

var (
	errNotPGX   = errors.New("the connection is not of pgx")
	errPrepared = errors.New("a statement that database/sql prepares would not declare whose rows it is about; pgx prepares what it is given")
	errOptions  = errors.New("transactions have no options")
)

// stdConn renames the embedded type, whose name would hide its method.
type stdConn = stdlib.Conn

// walledConn is a connection whose every statement declares whose rows it is about.
type walledConn struct {
	*stdConn
	roles   roles
	declare string
	// declared is what the transaction that is under way has declared last.
	declared declaration
}

// PrepareContext is refused.
func (c *walledConn) PrepareContext(context.Context, string) (driver.Stmt, error) {
	return nil, errPrepared
}

// Prepare is refused.
func (c *walledConn) Prepare(string) (driver.Stmt, error) { return nil, errPrepared }

// ExecContext runs a statement.
func (c *walledConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.isDeclared(ctx) {
		return c.stdConn.ExecContext(ctx, query, args)
	}
	results, err := c.send(ctx, query, args)
	if err != nil {
		return nil, err
	}
	tag, err := results.Exec()
	if closed := results.Close(); err == nil {
		err = closed // that of the commit, for one
	}
	if err != nil {
		return nil, mayRetry(err)
	}
	return driver.RowsAffected(tag.RowsAffected()), nil
}

// QueryContext runs a query.
func (c *walledConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.isDeclared(ctx) {
		return c.stdConn.QueryContext(ctx, query, args)
	}
	results, err := c.send(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return readRows(c.Conn().TypeMap(), results)
}

// isDeclared reports whether the transaction under way has declared what ctx says.
func (c *walledConn) isDeclared(ctx context.Context) bool {
	return c.inTransaction() && c.declared == c.roles.declaration(ctx)
}

func (c *walledConn) inTransaction() bool { return c.Conn().PgConn().TxStatus() != 'I' }

// send sends a statement with its declaration, and returns what reads the results of the
// statement.
func (c *walledConn) send(ctx context.Context, query string, args []driver.NamedValue) (pgx.BatchResults, error) {
	if c.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	wanted := c.roles.declaration(ctx)
	values := make([]any, len(args))
	for i := range args {
		values[i] = args[i].Value
	}
	batch := &pgx.Batch{QueuedQueries: make([]*pgx.QueuedQuery, 0, 2)}
	batch.Queue(c.declare, wanted.workspaces, wanted.role)
	batch.Queue(query, values...)
	results := c.Conn().SendBatch(ctx, batch)
	if _, err := results.Exec(); err != nil {
		_ = results.Close()
		return nil, mayRetry(err)
	}
	c.declared = wanted
	return results, nil
}

// mayRetry has database/sql take another connection if this one was lost before anything
// was sent on it.
func mayRetry(err error) error {
	if pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

// BeginTx begins a transaction and declares what ctx says, so that the job queue, which
// joins it, is confined as well.
func (c *walledConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if c.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	if options != (driver.TxOptions{}) {
		return nil, errOptions
	}
	wanted := c.roles.declaration(ctx)
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{})
	batch.Queue(c.declare, wanted.workspaces, wanted.role)
	results := c.Conn().SendBatch(ctx, batch)
	tx := walledTx{ctx, results.Tx()}
	if err := results.Close(); err != nil {
		_ = tx.Rollback()
		return nil, mayRetry(err)
	}
	c.declared = wanted
	return tx, nil
}

// walledTx is a transaction.
type walledTx struct {
	ctx context.Context
	tx  pgx.Tx
}

// Commit commits it.
func (t walledTx) Commit() error { return t.tx.Commit(t.ctx) }

// Rollback undoes it.
func (t walledTx) Rollback() error { return t.tx.Rollback(t.ctx) }
