package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/core/backup"
	"parley/core/backup/archive"
	"parley/core/fault"
	"parley/store"
)

// filled is a place of this program's schema with rows in every table.
func filled(t *testing.T, kind archive.Database) *place {
	t.Helper()
	p := empty(t, kind)
	p.migrate(-1)
	p.fill()
	return p
}

// sums reads what a file says of the rows of its tables.
func sums(t *testing.T, file []byte) map[string][]any {
	t.Helper()
	r, err := archive.NewReader(bytes.NewReader(file), passphrase)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[string][]any{}
	for _, table := range r.Header.Tables {
		next, err := r.Table(table)
		if err != nil {
			t.Fatal(err)
		}
		for {
			row, err := next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			all[table.Name] = append(all[table.Name], fmt.Sprintf("%q", row))
		}
	}
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestThereAndBackByTheSameFile(t *testing.T) {
	t.Parallel()
	for _, kind := range []archive.Database{archive.SQLite, archive.PostgreSQL} {
		t.Run("from "+string(kind)+" to the other and back every row is the same", func(t *testing.T) {
			t.Parallel()
			here, there, back := filled(t, kind), empty(t, other(kind)), empty(t, kind)
			file := here.backup()
			there.must(there.restore(file))
			elsewhere := there.backup()
			back.must(back.restore(elsewhere))
			want := sums(t, file)
			for name, file := range map[string][]byte{"there": elsewhere, "back": back.backup()} {
				got := sums(t, file)
				for table, rows := range want {
					if len(rows) != rowsEach || !slices.Equal(rows, got[table]) {
						t.Errorf("%s, %s has\n%v\nwant\n%v", name, table, got[table], rows)
					}
				}
				if len(got) != len(want) {
					t.Errorf("%s are the tables %v", name, slices.Sorted(maps.Keys(got)))
				}
			}
		})
	}
}

func TestBothDatabasesAreDescribedAlike(t *testing.T) {
	t.Parallel()
	describe := func(kind archive.Database) archive.Header {
		p := empty(t, kind)
		p.migrate(-1)
		source, err := Open(t.Context(), p.url)
		p.must(err)
		defer source.Close()
		header, err := source.Describe(t.Context())
		p.must(err)
		return header
	}
	a, b := describe(archive.SQLite), describe(archive.PostgreSQL)
	if fmt.Sprint(a.Tables) != fmt.Sprint(b.Tables) {
		t.Errorf("SQLite has\n%v\nPostgreSQL has\n%v\nA table that one of them lacks belongs into backup.LeftOut, with the reason", a.Tables, b.Tables)
	}
	for _, name := range backup.Sealed {
		if !slices.ContainsFunc(a.Tables, func(t archive.Table) bool { return t.Name == name }) {
			t.Errorf("there is no table %s to seal", name)
		}
	}
}

func TestMigrationsOfBothDatabasesAreKnownByTheirLabels(t *testing.T) {
	inOne, inOther := labels(names(filesOf(archive.SQLite))), labels(names(filesOf(archive.PostgreSQL)))
	for _, all := range [][]string{inOne, inOther} {
		if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(all) {
			t.Errorf("two migrations have one name: %v. A backup of one database finds the schema of the other by these names", all)
		}
	}
	both := func(all, others []string) (shared []string) {
		for _, name := range all {
			if slices.Contains(others, name) {
				shared = append(shared, name)
			}
		}
		return shared
	}
	if a, b := both(inOne, inOther), both(inOther, inOne); !slices.Equal(a, b) {
		t.Errorf("SQLite has the order %v, PostgreSQL %v", a, b)
	}
}

func TestNumbersAreNotGivenTwice(t *testing.T) {
	t.Parallel()
	for _, kind := range []archive.Database{archive.SQLite, archive.PostgreSQL} {
		t.Run("the last conversation was deleted before the backup of "+string(kind), func(t *testing.T) {
			t.Parallel()
			p := empty(t, kind)
			p.migrate(-1)
			db := p.db()
			for _, statement := range []string{
				"INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws', 'w', 'starter', '2026-03-01 12:00:00+00:00')",
				"INSERT INTO chatbots (id, name, image_hosts, created_at, workspace_id) VALUES ('cb', 'c', '[]', '2026-03-01 12:00:00+00:00', 'ws')",
				aConversation, aConversation, aConversation, "DELETE FROM conversations WHERE id > 1",
			} {
				_, err := db.ExecContext(t.Context(), statement)
				p.must(err)
			}
			p.must(db.Close())
			file := p.backup()
			for _, kind := range []archive.Database{archive.SQLite, archive.PostgreSQL} {
				to := empty(t, kind)
				to.must(to.restore(file))
				db := to.db()
				var id int64
				to.must(db.QueryRowContext(t.Context(), aConversation+" RETURNING id").Scan(&id))
				to.must(db.Close())
				if id != 4 {
					t.Errorf("on %s the next conversation is number %d, and was 4", kind, id)
				}
			}
		})
	}
}

const aConversation = "INSERT INTO conversations (chatbot_id, external_user_id, status, created_at, workspace_id) VALUES ('cb', '', 'active', '2026-03-01 12:00:00+00:00', 'ws')"

func TestOnlyIntoAnEmptyPlace(t *testing.T) {
	t.Parallel()
	file := filled(t, archive.SQLite).backup()
	onBoth(t, func(p *place) {
		p.migrate(-1)
		var refusal *fault.Error
		if err := p.restore(file); !errors.As(err, &refusal) || refusal.Kind != fault.Conflict || !strings.Contains(refusal.Message, "empty") {
			p.Errorf("it says %v", err)
		}
		if n := len(p.content(isRivers)["users"]); n != 0 {
			p.Errorf("it has %d users", n)
		}
	})
}

// failing are rows that end with an error.
type failing struct {
	backup.Target
	at string
}

var errTest = errors.New("refused by the test")

func (f failing) Fill(ctx context.Context, table archive.Table, next func() ([]any, error)) error {
	if table.Name == f.at {
		return errTest
	}
	return f.Target.Fill(ctx, table, next)
}

func (f failing) Migrate(ctx context.Context) error {
	if f.at == "migrate" {
		return errTest
	}
	return f.Target.Migrate(ctx)
}

func TestNothingStaysOfAFailure(t *testing.T) {
	t.Parallel()
	file := filled(t, archive.PostgreSQL).backup()
	onBoth(t, func(p *place) {
		for _, at := range []string{"workspaces", "messages", "migrate", "keys"} {
			undone := false
			_, err := backup.Restore(p.Context(), bytes.NewReader(file), failing{Into(p.url), at}, backup.Restored{
				Passphrase: passphrase, CheckKeys: func([]string) error { return nil },
				KeepKeys: func([]string) (func(), error) { return func() { undone = true }, errTest },
			})
			if !errors.Is(err, errTest) || undone {
				p.Errorf("failing at %s it ends with %v", at, err)
			}
			p.isEmpty()
		}
		for n := 0; n < len(file); n += len(file)/20 + 1 {
			if err := p.restore(file[:n]); err == nil {
				p.Errorf("the first %d of %d bytes are restored", n, len(file))
			}
		}
		p.isEmpty()
		p.must(p.restore(file))
	})
}

// isEmpty checks that nothing is left in the place.
func (p *place) isEmpty() {
	p.Helper()
	path, isFile := store.FileOf(p.url)
	if isFile {
		left, err := os.ReadDir(strings.TrimSuffix(path, "/parley.db"))
		if err != nil || len(left) > 0 {
			p.Errorf("left are %v, %v", left, err)
		}
		return
	}
	if left := p.tables(); len(left) > 0 {
		p.Errorf("left are %d tables", len(left))
	}
}

func TestUpgradesAreRehearsed(t *testing.T) {
	t.Parallel()
	for _, kind := range []archive.Database{archive.SQLite, archive.PostgreSQL} {
		t.Run("an old backup of "+string(kind)+" is upgraded, compared and forgotten", func(t *testing.T) {
			t.Parallel()
			old := empty(t, kind)
			old.migrate(5)
			old.fill()
			file := old.backup()
			scratch := empty(t, archive.PostgreSQL)
			for _, url := range []string{"", scratch.url} {
				done, err := backup.Rehearse(t.Context(), bytes.NewReader(file), Scratch(url), passphrase)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range done.Changes {
					if c.Lost() || c.Before >= 0 && c.Table != "trials" && c.Before != rowsEach || c.Before < 0 && c.Table == "users" {
						t.Errorf("%+v", c)
					}
				}
				if len(done.Changes) < 40 {
					t.Errorf("%d tables are compared", len(done.Changes))
				}
			}
			scratch.isEmpty()
		})
	}
}

func TestBackupsOfOtherVersions(t *testing.T) {
	t.Parallel()
	header := archive.Header{Program: "9.9", Database: archive.SQLite, Migrations: []string{"20990101000000_later.sql"}}
	onBoth(t, func(p *place) {
		err := Into(p.url).Prepare(p.Context(), header)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "another version of Parley, 9.9") {
			p.Errorf("a newer backup is refused with %v", err)
		}
		known := header
		known.Migrations = names(filesOf(archive.SQLite))
		known.Tables = []archive.Table{{Name: "users", Columns: []archive.Column{{Name: "id", Type: archive.Text}}}}
		target := Into(p.url)
		err = target.Prepare(p.Context(), known)
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "table users is not that of the version") {
			p.Errorf("other columns are refused with %v", err)
		}
		p.must(target.Abandon())
		p.isEmpty()
	})
}
