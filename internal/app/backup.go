package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/backup"
	"parley/core/fault"
	"parley/core/seal"
	"parley/store"
	"parley/store/snapshot"
)

// backupMark names the chore that says when the last backup was made.
const backupMark = "backup"

// Backup writes a backup of the database, while servers use it or not. It opens no index,
// and migrates nothing: a newer program backs up the database of an older one as it is.
func Backup(ctx context.Context, config *Config, to io.Writer, made backup.Made) (report backup.Report, err error) {
	if err := refuseUnfinished(config); err != nil {
		return report, err
	}
	source, err := snapshot.Open(ctx, config.Database())
	if err != nil {
		return report, fmt.Errorf("cannot open the database: %w", err)
	}
	defer source.Close()
	keys, err := keysInUse(config)
	if err != nil {
		return report, err
	}
	for _, key := range keys {
		made.ServerKeys = append(made.ServerKeys, key.Text())
	}
	made.At = Now()
	return backup.Make(ctx, source, to, made)
}

// keysInUse returns the keys that a server with this configuration encrypts with. It makes
// none.
func keysInUse(config *Config) ([]seal.ServerKey, error) {
	keys, err := seal.ParseServerKeys(config.SecretKey)
	if err != nil {
		return nil, err
	}
	kept, err := readKeyFile(config.KeyPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusableKeyFile(err)
	}
	for _, key := range kept {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// RecordBackup writes into the database that a backup was made. A database of an older
// version is left as it is.
func RecordBackup(ctx context.Context, config *Config, report backup.Report) error {
	if !snapshot.IsCurrent(report.Header) {
		return nil
	}
	return record(ctx, config, audit.Entry{
		Action: audit.BackupMade, Object: audit.Object{Kind: "backup"},
		Detail: fmt.Sprintf("%d rows of %d tables.", report.Rows, len(report.Header.Tables)),
	}, report.Header.MadeAt)
}

func record(ctx context.Context, config *Config, entry audit.Entry, marked time.Time) error {
	db, err := store.OpenWith(ctx, config.Database(), store.Options{AnswerWithin: config.DatabaseTimeout})
	if err != nil {
		return err
	}
	if !marked.IsZero() {
		_, err = store.NewChores(db).BeginChore(ctx, backupMark, marked, marked)
	}
	return errors.Join(err, audit.Record(ctx, db, "", Now(), entry), db.Close())
}

// Restored is what a restore did.
type Restored struct {
	backup.Report
	// KeyFile is where the server's keys are that SECRET_KEY does not have, or empty.
	KeyFile string
}

// Restore fills an empty database and an empty data folder with a backup.
func Restore(ctx context.Context, config *Config, from io.Reader, passphrase string) (done Restored, err error) {
	unlock, err := Lock(config)
	if err != nil {
		return done, err
	}
	defer unlock()
	if err := checkNoIndex(config); err != nil {
		return done, err
	}
	keys := keyKeeper{config}
	done.Report, err = backup.Restore(ctx, from, snapshot.Into(config.Database()), backup.Restored{
		Passphrase: passphrase, CheckKeys: keys.check, KeepKeys: keys.keep,
	})
	if err != nil {
		return done, err
	}
	if _, err := os.Stat(config.KeyPath()); err == nil {
		done.KeyFile = config.KeyPath()
	}
	err = record(ctx, config, audit.Entry{
		Action: audit.BackupRestored, Object: audit.Object{Kind: "backup"},
		Detail: fmt.Sprintf("The backup of %s: %d rows of %d tables.", done.Header.MadeAt.Format(time.RFC3339), done.Rows, len(done.Header.Tables)),
	}, time.Time{})
	if err != nil {
		return done, fmt.Errorf("the backup is restored, but the audit log could not be told: %w", err)
	}
	return done, nil
}

// checkNoIndex refuses a data folder with an index, which would be another installation's.
func checkNoIndex(config *Config) error {
	found, err := filepath.Glob(config.IndexPath() + "*")
	if err == nil && len(found) > 0 {
		return fault.New(fault.Conflict, "The data folder is not empty: it has %s. Restore into an empty folder: a backup replaces nothing.", found[0])
	}
	return err
}

// keyKeeper stores the server's keys of a backup that SECRET_KEY does not have.
type keyKeeper struct{ config *Config }

// missing returns the keys that neither SECRET_KEY nor the key file has.
func (k keyKeeper) missing(texts []string) (missing []seal.ServerKey, err error) {
	keys, err := seal.ParseServerKeys(strings.Join(texts, ","))
	if err != nil {
		return nil, fault.New(fault.Invalid, "The backup is damaged: its keys cannot be read.")
	}
	set, err := seal.ParseServerKeys(k.config.SecretKey)
	if err != nil {
		return nil, err
	}
	kept, err := readKeyFile(k.config.KeyPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusableKeyFile(err)
	}
	set = append(set, kept...)
	return slices.DeleteFunc(keys, func(key seal.ServerKey) bool { return slices.Contains(set, key) }), nil
}

// check refuses a folder with another installation's key.
func (k keyKeeper) check(texts []string) error {
	missing, err := k.missing(texts)
	if err != nil || len(missing) == 0 {
		return err
	}
	if _, err := os.Stat(k.config.KeyPath()); err == nil {
		return fault.New(fault.Conflict, "The data folder is not empty: %s is the key of another installation. Restore into an empty folder.", k.config.KeyPath())
	}
	return nil
}

func (k keyKeeper) keep(texts []string) (undo func(), err error) {
	undo = func() {}
	missing, err := k.missing(texts)
	if err != nil || len(missing) == 0 {
		return undo, err
	}
	path := k.config.KeyPath()
	return func() { _ = os.Remove(path) }, writeKeyFile(path, missing)
}

// refuseUnfinished refuses a data folder in which a restore was killed: what a server
// would begin there is not what was restored.
func refuseUnfinished(config *Config) error {
	path, isFile := store.FileOf(config.Database())
	if !isFile {
		return nil
	}
	if _, err := os.Stat(path + snapshot.Unfinished); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.New(fault.Conflict, "A restore into this folder was not completed. Run parley restore again, or delete %s to begin with an empty database.", path+snapshot.Unfinished)
}

// RehearseUpgrade restores a backup into a scratch place, brings it to this program's
// schema, and keeps nothing. Without a URL of an empty PostgreSQL database the place is a
// temporary file of SQLite.
func RehearseUpgrade(ctx context.Context, from io.Reader, scratch, passphrase string) (backup.Rehearsal, error) {
	return backup.Rehearse(ctx, from, snapshot.Scratch(scratch), passphrase)
}

// diagnoseBackups says when the last backup was made. Other means than parley backup leave
// no mark, so that there is none is no fault.
func diagnoseBackups(ctx context.Context, p *Program) Diagnosis {
	at, err := store.NewChores(p.Store).Begun(ctx, backupMark)
	detail := "parley backup has not made any; docs/backups.md has other ways, too"
	if !at.IsZero() {
		detail = "parley backup made the last one at " + at.Format(time.RFC3339) + ", " + age(p.now().Sub(at)) + " ago"
	}
	return diagnosed("backups", err, detail, "Check that the database runs and that DATABASE_URL is right.")
}

// age is a duration for people.
func age(d time.Duration) string {
	if days := int(d.Hours()) / 24; days > 1 {
		return fmt.Sprintf("%d days", days)
	}
	return cmp.Or(strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s"), "less than a minute")
}
