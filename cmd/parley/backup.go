package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/app"
	"parley/app/backups"
	"parley/cmd/parley/terminal"
	"parley/core/backup"
	"parley/core/fault"
)

type backupCmd struct {
	terminal.Passphrase `embed:""`
	File                string `arg:"" help:"File to write, or - for standard output. It must not exist."`
	Progress            bool   `help:"Show the progress on standard error, even if that is no terminal."`
	JSON                bool   `name:"json" help:"Print JSON."`
}

// Run writes a backup under another name, which it replaces by its own once all is
// written: a file with its name is complete.
func (cmd *backupCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if err := cmd.check(io); err != nil {
		return err
	}
	passphrase, err := cmd.Read(io.in, io.err, true)
	if err != nil {
		return err
	}
	if cmd.File == "-" {
		return cmd.write(ctx, config, io, io.out, passphrase, func() error { return nil })
	}
	file, err := os.CreateTemp(filepath.Dir(cmd.File), filepath.Base(cmd.File)+".*.part") // with mode 0600
	if err != nil {
		return fmt.Errorf("cannot write the backup: %w", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	return cmd.write(ctx, config, io, file, passphrase, func() error {
		if err := errors.Join(file.Sync(), file.Close()); err != nil {
			return err
		}
		return os.Link(file.Name(), cmd.File) // fails if the name is taken by now
	})
}

// check refuses a place that no backup goes to, before anybody types a passphrase.
func (cmd *backupCmd) check(streams streams) error {
	if cmd.File == "-" {
		if terminal.Is(streams.out) {
			return fault.New(fault.Invalid, "A backup is no text for a terminal. Redirect standard output, or name a file.")
		}
		return nil
	}
	if _, err := os.Lstat(cmd.File); err == nil {
		return fault.New(fault.Conflict, "The file %s exists. A backup replaces nothing: choose another name.", cmd.File)
	}
	return nil
}

func (cmd *backupCmd) write(ctx context.Context, config *app.Config, streams streams, to io.Writer, passphrase string, keep func() error) error {
	written := &terminal.CountedWriter{To: to}
	meter := terminal.NewMeter(streams.err, cmd.Progress)
	report, err := backups.Make(ctx, config, written, backup.Made{
		Program: version, Passphrase: passphrase,
		Progress: func(rows, of int64) {
			meter.Show(rows, of, fmt.Sprintf("%d of %d rows, %s written", rows, of, terminal.Size(written.N)))
		},
	})
	meter.End()
	if err != nil {
		return err
	}
	if err := keep(); err != nil {
		return fmt.Errorf("cannot keep the backup: %w", err)
	}
	if err := backups.Record(ctx, config, report); err != nil {
		fmt.Fprintln(streams.err, "parley: the backup is complete, but the audit log could not be told:", app.Sentence(err))
	}
	say := streams.out
	if cmd.File == "-" {
		say = streams.err
	}
	return show1(say, cmd.JSON, reportView(cmd.File, report, written.N),
		fmt.Sprintf("Backed up %d rows of %d tables: %s. Without its passphrase the backup cannot be restored.", report.Rows, len(report.Header.Tables), terminal.Size(written.N)))
}

// backupView is a backup for programs.
type backupView struct {
	File     string    `json:"file"`
	MadeAt   time.Time `json:"made_at"`
	Program  string    `json:"program"`
	Database string    `json:"database"`
	Schema   string    `json:"schema"`
	Rows     int64     `json:"rows"`
	Tables   int       `json:"tables"`
	Bytes    int64     `json:"bytes"`
	KeyFile  string    `json:"key_file,omitzero"`
}

func reportView(file string, report backup.Report, bytes int64) backupView {
	h := report.Header
	return backupView{
		File: file, MadeAt: h.MadeAt, Program: h.Program, Database: string(h.Database), Schema: h.Migrations[len(h.Migrations)-1],
		Rows: report.Rows, Tables: len(h.Tables), Bytes: bytes,
	}
}

// fileFlags are what the commands have that read a backup.
type fileFlags struct {
	terminal.Passphrase `embed:""`
	File                string `arg:"" help:"File of the backup, or - for standard input."`
	Progress            bool   `help:"Show the progress on standard error, even if that is no terminal."`
	JSON                bool   `name:"json" help:"Print JSON."`
}

// reading gives the file to a function, and shows how far it is.
func (f *fileFlags) reading(streams streams, do func(from io.Reader) error) (bytes int64, err error) {
	from, length := streams.in, int64(0)
	if f.File != "-" {
		file, err := os.Open(f.File)
		if err != nil {
			return 0, fmt.Errorf("cannot read the backup: %w", err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return 0, err
		}
		if !info.Mode().IsRegular() {
			return 0, fault.New(fault.Invalid, "%s is no file.", f.File)
		}
		from, length = file, info.Size()
	}
	meter := terminal.NewMeter(streams.err, f.Progress)
	counted := &terminal.CountedReader{From: from}
	counted.Tell = func() {
		of := ""
		if length > 0 {
			of = " of " + terminal.Size(length)
		}
		meter.Show(counted.N, length, terminal.Size(counted.N)+of+" read")
	}
	err = do(counted)
	meter.End()
	return counted.N, err
}

type restoreCmd struct {
	fileFlags `embed:""`
}

// Run restores into the database and the data folder of the configuration.
func (cmd *restoreCmd) Run(ctx context.Context, config *app.Config, streams streams) error {
	passphrase, err := cmd.Read(streams.in, streams.err, false)
	if err != nil {
		return err
	}
	unlock, err := app.Lock(config)
	if err != nil {
		return err
	}
	defer unlock()
	var done backups.Restored
	bytes, err := cmd.reading(streams, func(from io.Reader) (err error) {
		done, err = backups.Restore(ctx, config, from, passphrase)
		return err
	})
	if err != nil {
		return err
	}
	view := reportView(cmd.File, done.Report, bytes)
	view.KeyFile = done.KeyFile
	text := fmt.Sprintf("Restored the backup of %s: %d rows of %d tables. The server builds its index when it starts.",
		done.Header.MadeAt.Format(time.RFC3339), done.Rows, len(done.Header.Tables))
	if done.KeyFile != "" && config.DatabaseURL != "" {
		text += fmt.Sprintf("\nSet SECRET_KEY on every server to what %s holds: without it the keys of providers do not open.", done.KeyFile)
	}
	if config.WeaviateURL != "" {
		text += "\nRun parley reindex: Weaviate holds what it held before."
	}
	return show1(streams.out, cmd.JSON, view, text)
}

type verifyCmd struct {
	fileFlags `embed:""`
}

// Run reads a backup to its end. Without a passphrase it leaves the keys closed.
func (cmd *verifyCmd) Run(ctx context.Context, streams streams) error {
	passphrase, err := cmd.Configured()
	if err != nil {
		return err
	}
	var report backup.Report
	bytes, err := cmd.reading(streams, func(from io.Reader) (err error) {
		report, err = backup.Verify(ctx, from, passphrase)
		return err
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("The backup of %s is complete: %d rows of %d tables, %s, made by Parley %s on %s.",
		report.Header.MadeAt.Format(time.RFC3339), report.Rows, len(report.Header.Tables), terminal.Size(bytes), report.Header.Program, report.Header.Database)
	if passphrase == "" {
		text += "\nNo passphrase was given: whether its keys open was not tried."
	} else {
		text += "\nThe passphrase opens its keys, and nobody has changed it."
	}
	return show1(streams.out, cmd.JSON, reportView(cmd.File, report, bytes), text)
}
