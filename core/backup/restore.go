package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"parley/core/backup/archive"
)

// Restored is how a backup is restored.
type Restored struct {
	Passphrase string
	// CheckKeys refuses the server's keys before anything is done.
	CheckKeys func(serverKeys []string) error
	// KeepKeys stores them when all else is ready to be kept, and returns what undoes that.
	KeepKeys func(serverKeys []string) (undo func(), err error)
}

// Restore fills an empty place with a backup and brings it to this program's schema. If it
// fails, nothing stays.
func Restore(ctx context.Context, from io.Reader, into Target, how Restored) (report Report, err error) {
	r, err := archive.NewReader(from, how.Passphrase)
	if err != nil {
		return report, err
	}
	defer r.Close()
	defer func() { err = errors.Join(err, into.Abandon()) }() // after Commit this does nothing
	if err := how.CheckKeys(r.ServerKeys()); err != nil {
		return report, err
	}
	if err := fill(ctx, r, into); err != nil {
		return report, err
	}
	if err := into.Migrate(ctx); err != nil {
		return report, fmt.Errorf("bringing the backup to this version's schema: %w", err)
	}
	undo, err := how.KeepKeys(r.ServerKeys())
	if err != nil {
		return report, err
	}
	if err := into.Commit(ctx); err != nil {
		undo()
		return report, err
	}
	return Report{r.Header, rowsOf(r.Header)}, nil
}

// fill fills a place with all rows of a file, whose end it has seen when it returns.
func fill(ctx context.Context, r *archive.Reader, into Target) error {
	if err := into.Prepare(ctx, r.Header); err != nil {
		return err
	}
	for _, table := range r.Header.Tables {
		next, err := r.Table(table)
		if err != nil {
			return err
		}
		if err := into.Fill(ctx, table, next); err != nil {
			return fmt.Errorf("filling the table %s: %w", table.Name, err)
		}
	}
	return r.End()
}

// Verify reads a backup to its end. Without a passphrase it cannot tell whether the keys open.
func Verify(ctx context.Context, from io.Reader, passphrase string) (Report, error) {
	r, err := archive.NewReader(from, passphrase)
	if err != nil {
		return Report{}, err
	}
	defer r.Close()
	for _, table := range r.Header.Tables {
		if table.Sealed && passphrase == "" {
			continue
		}
		next, err := r.Table(table)
		if err != nil {
			return Report{}, err
		}
		for err == nil {
			if _, err = next(); err == nil {
				err = context.Cause(ctx)
			}
		}
		if err != io.EOF {
			return Report{}, err
		}
	}
	return Report{r.Header, rowsOf(r.Header)}, r.End()
}

// Change is what an upgrade does to the rows of a table.
type Change struct {
	Table string
	// Before is -1 for a table that the upgrade adds, and After for one that it takes away.
	Before, After int64
}

// Lost reports whether rows are gone.
func (c Change) Lost() bool { return c.Before > max(c.After, 0) }

// Rehearsal is what an upgrade did.
type Rehearsal struct {
	Report
	// Changes are of all tables, by name.
	Changes []Change
}

// Rehearse fills a scratch place with a backup, brings it to this program's schema, and compares
// the numbers of rows. It keeps nothing.
func Rehearse(ctx context.Context, from io.Reader, scratch Target, passphrase string) (rehearsal Rehearsal, err error) {
	r, err := archive.NewReader(from, passphrase)
	if err != nil {
		return rehearsal, err
	}
	defer r.Close()
	defer func() { err = errors.Join(err, scratch.Abandon()) }()
	if err := fill(ctx, r, scratch); err != nil {
		return rehearsal, err
	}
	before, err := scratch.Count(ctx)
	if err != nil {
		return rehearsal, err
	}
	if err := scratch.Migrate(ctx); err != nil {
		return rehearsal, fmt.Errorf("bringing the backup to this version's schema: %w", err)
	}
	after, err := scratch.Count(ctx)
	if err != nil {
		return rehearsal, err
	}
	return Rehearsal{Report{r.Header, rowsOf(r.Header)}, changes(before, after)}, nil
}

func changes(before, after map[string]int64) (all []Change) {
	of := func(counts map[string]int64, table string) int64 {
		if n, known := counts[table]; known {
			return n
		}
		return -1
	}
	for table := range before {
		all = append(all, Change{table, of(before, table), of(after, table)})
	}
	for table := range after {
		if _, known := before[table]; !known {
			all = append(all, Change{table, -1, of(after, table)})
		}
	}
	slices.SortFunc(all, func(a, b Change) int {
		if a.Table < b.Table {
			return -1
		}
		return 1
	})
	return all
}
