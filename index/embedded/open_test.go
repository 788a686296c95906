package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/retrieval"
	"parley/index/indextest"
)

func TestOpen(t *testing.T) {
	t.Run("a damaged file is refused, with instructions to rebuild", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), "parley reindex") {
			t.Errorf("error %v does not say how to rebuild", err)
		}
	})
	t.Run("a missing directory is an error", func(t *testing.T) {
		if _, err := Open(filepath.Join(t.TempDir(), "no", "index.db")); err == nil {
			t.Error("opened")
		}
	})
	t.Run("only its owner can read the file, and content survives reopening", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		first, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, first, 1, "doc", 1, "apples")
		if err := first.Rebuild(t.Context(), "two", func(ctx context.Context, into retrieval.Filler) error {
			return into.Replace(ctx, scope(1), "doc", indextest.Entries("doc", 2, "apples"))
		}); err != nil {
			t.Fatal(err)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		second := open(t, path)
		if hits := found(t, second, 1, "apples"); len(hits) != 1 || hits[0].PassageID != 2 {
			t.Errorf("found %v", hits)
		}
		if version, err := second.Version(t.Context()); version != "two" || err != nil {
			t.Errorf("version %q, %v", version, err)
		}
	})
	t.Run("a closed index fails its calls", func(t *testing.T) {
		index, err := Open(filepath.Join(t.TempDir(), "index.db"))
		if err != nil {
			t.Fatal(err)
		}
		put(t, index, 1, "doc", 1, "apples")
		found(t, index, 1, "apples")
		if err := index.Close(); err != nil {
			t.Fatal(err)
		}
		if err := index.Replace(t.Context(), scope(1), "doc", nil); err == nil {
			t.Error("it was written to")
		}
		if _, err := index.Search(t.Context(), scope(1), retrieval.IndexQuery{Limit: 1}); err == nil {
			t.Error("it was searched")
		}
	})
}

// oldFile makes a database from statements.
func oldFile(t *testing.T, statements string) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "index.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return path, db
}

func TestOtherVersions(t *testing.T) {
	for sentence, statements := range map[string]string{
		"the first version's file is emptied": `PRAGMA user_version = 1; PRAGMA journal_mode = WAL;
			CREATE TABLE scope (id INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT); INSERT INTO scope (workspace) VALUES ('a');
			CREATE TABLE passage (scope INTEGER, id INTEGER, document TEXT, PRIMARY KEY (scope, id)) WITHOUT ROWID;
			CREATE INDEX passage_document ON passage (scope, document);
			CREATE VIRTUAL TABLE fts_1 USING fts5(title, heading, body, content='', contentless_delete=1);
			CREATE VIRTUAL TABLE fts_22 USING fts5(title, heading, body, content='', contentless_delete=1);
			INSERT INTO fts_1 (rowid, title, heading, body) VALUES (1, 'a', 'b', 'c')`,
		"a file of a later version is emptied": fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = 99;
			CREATE TABLE scope (id INTEGER); CREATE TABLE "a ""name" (x); CREATE VIEW v AS SELECT 1; INSERT INTO scope VALUES (7)`, applicationID),
		"an empty database becomes an index": "PRAGMA user_version = 0",
	} {
		t.Run(sentence, func(t *testing.T) {
			path, _ := oldFile(t, statements)
			index := open(t, path)
			if version, err := index.Version(t.Context()); version != "" || err != nil {
				t.Errorf("version %q, %v", version, err)
			}
			put(t, index, 1, "doc", 1, "apples")
			if len(found(t, index, 1, "apples")) != 1 {
				t.Error("nothing found")
			}
			if len(found(t, open(t, path), 1, "apples")) != 1 {
				t.Error("reopening empties it again")
			}
		})
	}
	t.Run("a database that is not an index is refused and left unchanged", func(t *testing.T) {
		path, db := oldFile(t, "PRAGMA user_version = 1; CREATE TABLE scope (id INTEGER); CREATE TABLE workspaces (id); INSERT INTO workspaces VALUES (1)")
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "choose another path") {
			t.Errorf("got %v", err)
		}
		var n int
		if err := db.QueryRow("SELECT count(*) FROM workspaces").Scan(&n); err != nil || n != 1 {
			t.Errorf("%d rows are left, %v", n, err)
		}
	})
}
