// Package backup owns how an installation is backed up, restored, verified and rehearsed: in
// which order, what is compared, and what is refused.
//
// It does not own the form of the file (package archive), nor how rows are read and written
// (package store/snapshot declares nothing of its own: it implements [Source] and [Target]).
// Retrieval indexes are no part of a backup, because a server makes them again from the database;
// neither is what [LeftOut] names.
package backup

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"parley/core/backup/archive"
)

// Source is the port to a database as it is at one moment, while others change it.
type Source interface {
	// Describe returns the kind of the database, its migrations, and its tables except the tables
	// in [LeftOut], in an order in which they can be filled.
	Describe(ctx context.Context) (archive.Header, error)
	// Rows gives each row of a table to a function, in the order of the key. A row is only valid
	// within the function.
	Rows(ctx context.Context, table archive.Table, each func(values []any) error) error
}

// Target is the port to an empty place that a backup goes into. Until Commit nobody else sees
// any of it, and without Commit nothing of it stays, whatever ends the process.
type Target interface {
	// Prepare makes the tables that a database had when its backup was made. It is Invalid for one
	// that this program does not know, and Conflict for a place that is not empty.
	Prepare(ctx context.Context, header archive.Header) error
	// Fill fills a table with rows until next returns io.EOF.
	Fill(ctx context.Context, table archive.Table, next func() ([]any, error)) error
	// Migrate brings the tables to this program's schema.
	Migrate(ctx context.Context) error
	// Count counts the rows of all tables that a backup has.
	Count(ctx context.Context) (map[string]int64, error)
	// Commit keeps what was filled in.
	Commit(ctx context.Context) error
	// Abandon leaves nothing behind, unless Commit has succeeded.
	Abandon() error
}

// LeftOut are the tables that a backup does not have, and why.
var LeftOut = map[string]string{
	"schema_migrations":  "a restore applies the migrations itself",
	"busy_hosts":         "it says which process reads a site, for minutes",
	"request_minutes":    "it counts the requests of a minute",
	"index_changes":      "its numbers are those of one database's transactions, and an index is made again as a whole",
	"rebuilds":           "it marks rebuilds of an index that run",
	"river_job":          "a server queues again what is due",
	"river_leader":       "it says which process leads, for seconds",
	"river_migration":    "a migration of Parley fills it",
	"river_notification": "it wakes processes, for seconds",
	"river_queue":        "the queue makes it again",
}

// Sealed are the tables whose rows are secrets, and stand in a backup with the keys.
var Sealed = []string{"installation_keys"}

// Made is how a backup is made.
type Made struct {
	// Program is the version of the program.
	Program    string
	At         time.Time
	Passphrase string
	// ServerKeys are those that the server encrypts with, the current one first.
	ServerKeys []string
	// Progress is told how many rows of how many are written. It may be nil.
	Progress func(rows, of int64)
}

// Report says what a file holds.
type Report struct {
	Header archive.Header
	Rows   int64
}

// Make writes a backup.
func Make(ctx context.Context, from Source, to io.Writer, made Made) (Report, error) {
	key, err := archive.NewKey(made.Passphrase)
	if err != nil {
		return Report{}, err
	}
	header, err := from.Describe(ctx)
	if err != nil {
		return Report{}, err
	}
	header.Program, header.MadeAt = made.Program, made.At
	secrets := archive.Secrets{ServerKeys: made.ServerKeys, Rows: map[string][]string{}}
	for i, table := range header.Tables {
		if !slices.Contains(Sealed, table.Name) {
			continue
		}
		header.Tables[i].Sealed = true
		if secrets.Rows[table.Name], err = sealedRows(ctx, from, table); err != nil {
			return Report{}, err
		}
	}
	w, err := archive.NewWriter(to, header, key, secrets)
	if err != nil {
		return Report{}, err
	}
	report := Report{Header: header, Rows: rowsOf(header)}
	progress := counter(made.Progress, report.Rows)
	for _, table := range header.Tables {
		if table.Sealed {
			continue
		}
		err := from.Rows(ctx, table, func(values []any) error {
			progress()
			return w.Row(values)
		})
		if err != nil {
			return Report{}, fmt.Errorf("reading the table %s: %w", table.Name, err)
		}
		if err := w.EndTable(); err != nil {
			return Report{}, err
		}
	}
	return report, w.Close()
}

func sealedRows(ctx context.Context, from Source, table archive.Table) (lines []string, err error) {
	err = from.Rows(ctx, table, func(values []any) error {
		line, err := archive.AppendRow(nil, table.Columns, values)
		lines = append(lines, string(line))
		return err
	})
	return lines, err
}

func rowsOf(header archive.Header) (n int64) {
	for _, table := range header.Tables {
		n += table.Rows
	}
	return n
}

// counter returns a function that counts rows, and tells of some of them.
func counter(tell func(rows, of int64), of int64) func() {
	var n int64
	return func() {
		if n++; tell != nil && n%1000 == 0 {
			tell(n, of)
		}
	}
}
