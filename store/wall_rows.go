package store

import (
	"database/sql/driver"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// walledRows are the rows of a statement that was sent with its declaration.
type walledRows struct {
	types   *pgtype.Map
	results pgx.BatchResults
	rows    pgx.Rows
	fields  []pgconn.FieldDescription
	columns []string
	// hasFirst is set until the first row is given: it is read early, because only then
	// the columns are known, and most errors.
	hasFirst bool
}

func readRows(types *pgtype.Map, results pgx.BatchResults) (driver.Rows, error) {
	rows, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, mayRetry(err)
	}
	r := &walledRows{types: types, results: results, rows: rows}
	r.hasFirst = rows.Next()
	if err := rows.Err(); err != nil {
		_ = results.Close()
		return nil, err
	}
	r.fields = rows.FieldDescriptions()
	r.columns = make([]string, len(r.fields))
	for i := range r.fields {
		r.columns[i] = r.fields[i].Name
	}
	return r, nil
}

// Columns are the names of the columns.
func (r *walledRows) Columns() []string { return r.columns }

// Close reads what is left, to the end of the transaction, whose error it returns.
func (r *walledRows) Close() error {
	r.rows.Close()
	err := r.rows.Err()
	if closed := r.results.Close(); err == nil {
		err = closed
	}
	return err
}

// Next reads a row. After the last one it has seen the commit.
func (r *walledRows) Next(into []driver.Value) error {
	more := r.hasFirst
	if !more {
		more = r.rows.Next()
	}
	r.hasFirst = false
	if !more {
		if err := r.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, raw := range r.rows.RawValues() {
		var err error
		if into[i], err = r.value(&r.fields[i], raw); err != nil {
			return err
		}
	}
	return nil
}

// value is a value as database/sql wants it.
func (r *walledRows) value(field *pgconn.FieldDescription, raw []byte) (driver.Value, error) {
	if raw == nil {
		return nil, nil
	}
	switch field.DataTypeOID {
	case pgtype.TextOID, pgtype.VarcharOID:
		return string(raw), nil
	case pgtype.JSONOID, pgtype.JSONBOID:
		if field.Format == pgtype.TextFormatCode {
			return append([]byte{}, raw...), nil
		}
	}
	kind, known := r.types.TypeForOID(field.DataTypeOID)
	if !known {
		return string(raw), nil
	}
	return kind.Codec.DecodeDatabaseSQLValue(r.types, field.DataTypeOID, field.Format, raw)
}
