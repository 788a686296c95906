package snapshot

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/backup"
	"parley/core/backup/archive"
	"parley/core/fault"
)

// inUsageRecords is where a migration has put what an answer cost.
const inUsageRecords = "the table receipts has it, as another test of migrations checks"

// dropped are the tables and columns that a migration may take away, and why.
var dropped = map[string]string{
	"plans.api_access":   "it is one of the features",
	"passages.expansion": "no release had it, and passages are encoded anew by another model",
	"messages.model":     inUsageRecords, "messages.prompt_tokens": inUsageRecords,
	"messages.completion_tokens": inUsageRecords, "messages.usage_estimated": inUsageRecords,
}

// rewritten are the columns of which a migration may make something else, and why.
var rewritten = map[string]string{}

const passphrase = "correct horse battery staple"

// content is what tables have: by table, by key, by column.
type content map[string]map[string]map[string]any

// content reads the tables that backups have, or all.
func (p *place) content(without func(string) bool) content {
	p.Helper()
	all := content{}
	for _, table := range p.tables() {
		if !without(table.Name) {
			all[table.Name] = p.rows(table)
		}
	}
	return all
}

// backup makes a file of the place.
func (p *place) backup() []byte {
	p.Helper()
	source, err := Open(p.Context(), p.url)
	p.must(err)
	defer source.Close()
	var file bytes.Buffer
	made := backup.Made{Program: "test", At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Passphrase: passphrase, ServerKeys: []string{"key"}}
	_, err = backup.Make(p.Context(), source, &file, made)
	p.must(err)
	return file.Bytes()
}

// restore fills the place with a file.
func (p *place) restore(file []byte) error {
	check := func(keys []string) error {
		if strings.Join(keys, " ") != "key" {
			return fault.New(fault.Invalid, "the keys are %v", keys)
		}
		return nil
	}
	_, err := backup.Restore(p.Context(), bytes.NewReader(file), Into(p.url), backup.Restored{
		Passphrase: passphrase, CheckKeys: check,
		KeepKeys: func(keys []string) (func(), error) { return func() {}, check(keys) },
	})
	return err
}

func other(kind archive.Database) archive.Database {
	if kind == archive.SQLite {
		return archive.PostgreSQL
	}
	return archive.SQLite
}

// TestUpgradesFromEverySchema fills databases of each version that there was, and brings them to
// this program's: themselves, and by a backup in the other kind of database. With -short it takes
// the first version, one in the middle, and the latest two.
func TestUpgradesFromEverySchema(t *testing.T) {
	for _, kind := range []archive.Database{archive.SQLite, archive.PostgreSQL} {
		all := names(filesOf(kind))
		for n, name := range all {
			if latest := len(all) - 2; testing.Short() && n%16 != 0 && n < latest {
				continue
			}
			t.Run(fmt.Sprintf("%s after %s", kind, label(name)), func(t *testing.T) {
				t.Parallel()
				p := empty(t, kind)
				p.migrate(n + 1)
				p.fill()
				before := p.content(isRivers)
				for table, rows := range before {
					if len(rows) < rowsEach {
						t.Errorf("%s has %d rows", table, len(rows))
					}
				}
				file := p.backup()
				inBackup := p.content(func(name string) bool { return isRivers(name) || isLeftOut(name) })
				p.migrate(-1)
				before.isKeptBy(t, p.content(isRivers))

				there := empty(t, other(kind))
				there.must(there.restore(file))
				inBackup.isKeptBy(t, there.content(isRivers))
			})
		}
	}
}

// isKeptBy checks that every row is there later, with what it said.
func (before content) isKeptBy(t *testing.T, after content) {
	t.Helper()
	for name, rows := range before {
		now, there := after[nameNow(name)]
		if !there && dropped[name] == "" {
			t.Errorf("the table %s is gone", name)
			continue
		}
		for key, row := range rows {
			same, kept := now[key]
			if !kept {
				t.Errorf("%s has lost a row: %v", name, row)
				continue
			}
			for column, value := range row {
				is, there := same[column]
				if place := name + "." + column; !there && dropped[place] == "" || there && is != value && rewritten[place] == "" {
					t.Errorf("%s was %v and is %v", place, value, is)
				}
			}
		}
	}
}
