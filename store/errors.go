package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"entgo.io/ent/dialect/sql/sqlgraph"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"parley/core/fault"
	ent "parley/ent/generated"
	"parley/internal/diskspace"
)

const (
	notAvailable = "The database is not available right now, and the operator of this server has been told. Try again in a few seconds."
	tooBusy      = "The database is busy right now. Try again in a few seconds."
)

// MapError gives an error of the database its kind:
//
//   - a fault and the end of a context pass unchanged,
//   - a missing row is NotFound, and a broken constraint is a Conflict,
//   - a full disk is [fault.OutOfStorage],
//   - a lost connection and a lock time-out are Unavailable, and the caller may try
//     again; of the first the operator must know,
//   - everything else is Internal: bad SQL does not get better by trying again.
func MapError(err error) error {
	var known *fault.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case ent.IsNotFound(err):
		return fault.Wrap(fault.NotFound, err, "Not found.")
	case isUndeclared(err):
		return fault.Wrap(fault.Internal, err, "internal error")
	case ent.IsConstraintError(err), sqlgraph.IsConstraintError(err): // by ent, and by hand
		return fault.Wrap(fault.Conflict, err, "This exists already.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !isUnconnected(err):
		return err
	case saysFull(err):
		return fault.OutOfStorage(err)
	case isContended(err):
		return fault.Wrap(fault.Unavailable, err, tooBusy)
	case mayWorkLater(err):
		return fault.Wrap(fault.Unavailable, err, notAvailable).ForOperator()
	}
	return fault.Wrap(fault.Internal, err, "internal error")
}

// isUndeclared reports whether a statement about rows of workspaces has declared none:
// see declare. To PostgreSQL that is a broken constraint.
func isUndeclared(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.DataTypeName == "declared_workspace"
}

const (
	// postgresFull is the SQLSTATE of a full disk.
	postgresFull = "53100"
	// postgresInternal is the SQLSTATE of what PostgreSQL has none for, such as a quota.
	postgresInternal = "XX000"
)

// saysFull reports whether the database, or the system, says that its disk is full.
func saysFull(err error) bool {
	var ofSQLite *sqlite.Error
	var ofPostgres *pgconn.PgError
	return diskspace.Says(err) ||
		errors.As(err, &ofSQLite) && ofSQLite.Code()&0xff == sqlite3.SQLITE_FULL ||
		errors.As(err, &ofPostgres) && (ofPostgres.Code == postgresFull || ofPostgres.Code == postgresInternal && strings.HasSuffix(ofPostgres.Message, "quota exceeded"))
}

// isUnconnected reports whether no connection could be opened, for which there is a
// limit of time, too.
func isUnconnected(err error) bool {
	var connecting *pgconn.ConnectError
	return errors.As(err, &connecting)
}

// mayWorkLater reports whether the same statement may succeed in a moment.
func mayWorkLater(err error) bool {
	var ofSQLite *sqlite.Error
	var ofPostgres *pgconn.PgError
	switch {
	case errors.As(err, &ofSQLite):
		return busySQLite(ofSQLite.Code())
	case isUnconnected(err): // whatever the server said: there is no connection
		return true
	case errors.As(err, &ofPostgres):
		return busyPostgres(ofPostgres.Code)
	}
	return isConnectionLost(err)
}

// isContended reports whether others were in the way of a statement: a lock, or a transaction that
// won. That passes by itself.
func isContended(err error) bool {
	var ofSQLite *sqlite.Error
	var ofPostgres *pgconn.PgError
	switch {
	case errors.As(err, &ofSQLite):
		code := ofSQLite.Code() & 0xff
		return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
	case isUnconnected(err):
		return false
	case errors.As(err, &ofPostgres):
		return ofPostgres.Code == "55P03" || ofPostgres.Code == "57014" || strings.HasPrefix(ofPostgres.Code, "40")
	}
	return false
}

// busySQLite reports whether a result code says that the file is locked, or that the
// disk cannot be reached.
func busySQLite(code int) bool {
	switch code & 0xff { // the primary code, which extended ones refine
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		// A volume that is gone, no file descriptors left.
		return true
	}
	return false
}

// busyPostgres reports whether an SQLSTATE says that the connection is lost, or
// that a lock was not had in time.
func busyPostgres(state string) bool {
	switch state {
	case "55P03", "57014": // lock_timeout; statement_timeout, which may have waited for a lock
		return true
	case "25006": // read-only: a standby after a failover, or a hosted database whose disk is full
		return true
	case "53300", "57P01", "57P02", "57P03", "57P05", "25P03": // too many connections; the server ended this one
		return true
	}
	// Class 08 is about connections, and class 40 about transactions that lost
	// to another one: 40P01 is a deadlock.
	return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "40")
}

// isConnectionLost reports whether the statement or its answer did not get
// through, or this process has closed the database.
func isConnectionLost(err error) bool {
	for _, lost := range []error{
		errSilent, driver.ErrBadConn, sql.ErrConnDone, pgconn.ErrConnClosed, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, lost) {
			return true
		}
	}
	var network net.Error
	return errors.As(err, &network) || saysClosed(err)
}

// saysClosed recognizes what database/sql answers once it is closed, which it
// does not export.
func saysClosed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "sql: database is closed") || strings.Contains(text, "sql: statement is closed")
}

// isReadOnly reports whether SQLite may not write to its file.
func isReadOnly(err error) bool {
	var ofSQLite *sqlite.Error
	return errors.As(err, &ofSQLite) && ofSQLite.Code()&0xff == sqlite3.SQLITE_READONLY
}
