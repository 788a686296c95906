package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// JobsDB opens one more connection to the store's SQLite file, for the queue of
// jobs, which closes it. On PostgreSQL there is no such connection.
//
// It writes when the store's writer does not. SQLite would let it look for a gap
// between the writer's transactions, and a busy writer leaves none for seconds.
func (s *Store) JobsDB() (*sql.DB, error) {
	if !s.IsSQLite() {
		return nil, errors.New("the queue of jobs opens a PostgreSQL database by its URL")
	}
	db := sql.OpenDB(jobsConnector{driver: s.reads.Driver(), name: s.jobsDSN, turn: s.jobsTurn})
	db.SetMaxOpenConns(1)
	return db, nil
}

// jobsConnector opens connections that take turns with the writer.
type jobsConnector struct {
	driver driver.Driver
	name   string
	turn   *sync.Mutex
}

// Driver returns SQLite's.
func (c jobsConnector) Driver() driver.Driver { return c.driver }

// Connect opens a connection.
func (c jobsConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.name)
	if err != nil {
		return nil, err
	}
	known, ok := conn.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a %T is no connection to SQLite as the store knows it", conn), conn.Close())
	}
	return &jobsConn{sqliteConn: known, turn: c.turn}, nil
}

// sqliteConn is what SQLite's connections can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// jobsConn waits for its turn until SQLite has given it the lock. A transaction
// has the lock from its beginning, and must not wait again.
type jobsConn struct {
	sqliteConn
	turn *sync.Mutex
	inTx bool
}

func (c *jobsConn) wait() (done func()) {
	if c.inTx {
		return func() {}
	}
	c.turn.Lock()
	return c.turn.Unlock
}

// BeginTx begins a transaction.
func (c *jobsConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	defer c.wait()()
	tx, err := c.sqliteConn.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	c.inTx = true
	return jobsTx{tx, c}, nil
}

// ExecContext runs a statement.
func (c *jobsConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	defer c.wait()()
	return c.sqliteConn.ExecContext(ctx, query, args)
}

// QueryContext runs a query, which may write.
func (c *jobsConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	defer c.wait()()
	return c.sqliteConn.QueryContext(ctx, query, args)
}

// jobsTx is a transaction of a [jobsConn].
type jobsTx struct {
	driver.Tx
	on *jobsConn
}

// Commit ends the transaction.
func (t jobsTx) Commit() error {
	t.on.inTx = false
	return t.Tx.Commit()
}

// Rollback ends the transaction.
func (t jobsTx) Rollback() error {
	t.on.inTx = false
	return t.Tx.Rollback()
}
