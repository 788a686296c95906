// Package backups connects the backing up, restoring and rehearsing of an installation with its
// database, its data folder and its keys. The program need not be open: a backup migrates
// nothing, and a restore makes what the program opens.
package backups

import (
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

	"parley/app/config"
	"parley/app/keyfile"
	"parley/core/audit"
	"parley/core/backup"
	"parley/core/fault"
	"parley/core/seal"
	"parley/store"
	"parley/store/servers"
	"parley/store/snapshot"
)

// now is the time in the precision that both databases store.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

func unusable(cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "The keys of the server cannot be read. Check secret.key in the data folder")
}

// Mark names the chore that says when the last backup was made.
const Mark = "backup"

// Make writes a backup of the database, while servers use it or not. It opens no index,
// and migrates nothing: a newer program backs up the database of an older one as it is.
func Make(ctx context.Context, config *config.Config, to io.Writer, made backup.Made) (report backup.Report, err error) {
	if err := RefuseUnfinished(config); err != nil {
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
	made.At = now()
	return backup.Make(ctx, source, to, made)
}

// keysInUse returns the keys that a server with this configuration encrypts with. It makes
// none.
func keysInUse(config *config.Config) ([]seal.ServerKey, error) {
	keys, err := seal.ParseServerKeys(config.SecretKey)
	if err != nil {
		return nil, err
	}
	kept, err := keyfile.Read(config.KeyPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(err)
	}
	for _, key := range kept {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Record writes into the database that a backup was made. A database of an older
// version is left as it is.
func Record(ctx context.Context, config *config.Config, report backup.Report) error {
	if !snapshot.IsCurrent(report.Header) {
		return nil
	}
	return record(ctx, config, audit.Entry{
		Action: audit.BackupMade, Object: audit.Object{Kind: "backup"},
		Detail: fmt.Sprintf("%d rows of %d tables.", report.Rows, len(report.Header.Tables)),
	}, report.Header.MadeAt)
}

func record(ctx context.Context, config *config.Config, entry audit.Entry, marked time.Time) error {
	db, err := store.OpenWith(ctx, config.Database(), config.Serving.Store())
	if err != nil {
		return err
	}
	if !marked.IsZero() {
		_, err = servers.NewChores(db).BeginChore(ctx, Mark, marked, marked)
	}
	return errors.Join(err, audit.Record(ctx, db, "", now(), entry), db.Close())
}

// Restored is what a restore did.
type Restored struct {
	backup.Report
	// KeyFile is where the server's keys are that SECRET_KEY does not have, or empty.
	KeyFile string
}

// Restore fills an empty database and an empty data folder with a backup. The caller has locked
// the folder.
func Restore(ctx context.Context, config *config.Config, from io.Reader, passphrase string) (done Restored, err error) {
	if err := checkNoIndex(config); err != nil {
		return done, err
	}
	keys := keyRestorer{config}
	done.Report, err = backup.Restore(ctx, from, snapshot.Into(config.OwnersDatabase()), backup.Restored{
		Passphrase: passphrase, CheckKeys: keys.check, KeepKeys: keys.restore,
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
func checkNoIndex(config *config.Config) error {
	found, err := filepath.Glob(config.IndexPath() + "*")
	if err == nil && len(found) > 0 {
		return fault.New(fault.Conflict, "The data folder is not empty: it has %s. Restore into an empty folder: a backup replaces nothing.", found[0])
	}
	return err
}

// keyRestorer writes those server keys of a backup that SECRET_KEY lacks.
type keyRestorer struct{ config *config.Config }

// missing returns the keys that neither SECRET_KEY nor the key file has.
func (k keyRestorer) missing(texts []string) (missing []seal.ServerKey, err error) {
	keys, err := seal.ParseServerKeys(strings.Join(texts, ","))
	if err != nil {
		return nil, fault.New(fault.Invalid, "The backup is damaged: its keys cannot be read.")
	}
	set, err := seal.ParseServerKeys(k.config.SecretKey)
	if err != nil {
		return nil, err
	}
	kept, err := keyfile.Read(k.config.KeyPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(err)
	}
	set = append(set, kept...)
	return slices.DeleteFunc(keys, func(key seal.ServerKey) bool { return slices.Contains(set, key) }), nil
}

// check refuses a folder with another installation's key.
func (k keyRestorer) check(texts []string) error {
	missing, err := k.missing(texts)
	if err != nil || len(missing) == 0 {
		return err
	}
	if _, err := os.Stat(k.config.KeyPath()); err == nil {
		return fault.New(fault.Conflict, "The data folder is not empty: %s is the key of another installation. Restore into an empty folder.", k.config.KeyPath())
	}
	return nil
}

func (k keyRestorer) restore(texts []string) (undo func(), err error) {
	undo = func() {}
	missing, err := k.missing(texts)
	if err != nil || len(missing) == 0 {
		return undo, err
	}
	path := k.config.KeyPath()
	return func() { _ = os.Remove(path) }, keyfile.Write(path, missing)
}

// RefuseUnfinished refuses a data folder in which a restore was killed: what a server
// would begin there is not what was restored.
func RefuseUnfinished(config *config.Config) error {
	path, isFile := store.FileOf(config.Database())
	if !isFile {
		return nil
	}
	if _, err := os.Stat(path + snapshot.Unfinished); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.New(fault.Conflict, "A restore into this folder was not completed. Run parley restore again, or delete %s to begin with an empty database.", path+snapshot.Unfinished)
}

// Rehearse restores a backup into a scratch place, brings it to this program's
// schema, and keeps nothing. Without a URL of an empty PostgreSQL database the place is a
// temporary file of SQLite.
func Rehearse(ctx context.Context, from io.Reader, scratch, passphrase string) (backup.Rehearsal, error) {
	return backup.Rehearse(ctx, from, snapshot.Scratch(scratch), passphrase)
}
