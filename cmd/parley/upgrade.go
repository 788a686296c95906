package main

import (
	"context"
	"fmt"
	"io"

	"parley/api/wire"
	"parley/app/backups"
	"parley/core/backup"
	"parley/core/fault"
)

type upgradeCmd struct {
	Check upgradeCheckCmd `cmd:"" help:"Restore a backup into a scratch place, upgrade it to this version, compare the numbers of rows, and keep nothing."`
}

type upgradeCheckCmd struct {
	fileFlags  `embed:""`
	ScratchURL string `name:"scratch-url" env:"SCRATCH_URL" placeholder:"URL" help:"Empty PostgreSQL database to upgrade in, which stays empty. Default: a temporary file of SQLite."`
}

type tableChange struct {
	Table  string `json:"table"`
	Before int64  `json:"rows_before"`
	After  int64  `json:"rows_after"`
}

// Run rehearses, and fails if rows are gone.
func (cmd *upgradeCheckCmd) Run(ctx context.Context, streams streams) error {
	passphrase, err := cmd.Read(streams.in, streams.err, false)
	if err != nil {
		return err
	}
	var done backup.Rehearsal
	if _, err := cmd.reading(streams, func(from io.Reader) (err error) {
		done, err = backups.Rehearse(ctx, from, cmd.ScratchURL, passphrase)
		return err
	}); err != nil {
		return err
	}
	if cmd.ScratchURL == "" && string(done.Header.Database) != "sqlite" {
		fmt.Fprintln(streams.err, "parley: this tries the upgrade on SQLite; the backup is of PostgreSQL. Name an empty PostgreSQL database with --scratch-url.")
	}
	changed, lost := changesOf(done)
	if cmd.JSON {
		err = showJSON(streams.out, wire.MapSlice(done.Changes, func(c backup.Change) tableChange { return tableChange(c) }))
	} else {
		err = cmd.show(streams, done, changed)
	}
	if err == nil && lost > 0 {
		return fault.New(fault.Conflict, "The upgrade leaves fewer rows in %d tables. Read what the release says about them before you upgrade.", lost)
	}
	return err
}

// changesOf returns the changes that are any, and how many of them lose rows.
func changesOf(done backup.Rehearsal) (changed []backup.Change, lost int) {
	for _, c := range done.Changes {
		if c.Before != c.After {
			changed = append(changed, c)
		}
		if c.Lost() {
			lost++
		}
	}
	return changed, lost
}

func (cmd *upgradeCheckCmd) show(streams streams, done backup.Rehearsal, changed []backup.Change) error {
	if len(changed) > 0 {
		err := showTable(streams.out, false, nil, []string{"table", "rows before", "rows after"}, wire.MapSlice(changed, func(c backup.Change) []string {
			return []string{c.Table, rowsOrNone(c.Before), rowsOrNone(c.After)}
		}))
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(streams.out, "The backup of Parley %s, with %d rows, upgrades to this version: %d tables have as many rows as before, and %d do not.\n",
		done.Header.Program, done.Rows, len(done.Changes)-len(changed), len(changed))
	return err
}

func rowsOrNone(n int64) string {
	if n < 0 {
		return "no table"
	}
	return fmt.Sprint(n)
}
