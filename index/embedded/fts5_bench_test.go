package embedded

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/retrieval"
)

// BenchmarkFTS5 is the baseline: plain FTS5 through the same driver, with one table
// for the chatbot, and queries without weights, places or vectors.
func BenchmarkFTS5(b *testing.B) {
	for _, n := range []int{40, 1000, 100_000} {
		b.Run(fmt.Sprint("passages=", n), func(b *testing.B) {
			if n > 1000 {
				needsFull(b)
			}
			db, c := fillFTS5(b, n), newCorpus(1, 0)
			search, err := db.Prepare("SELECT rowid, bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY score, rowid LIMIT 100")
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = search.Close() })
			measure(b, c, func(query retrieval.IndexQuery) {
				var terms []string
				for _, term := range query.Terms {
					terms = append(terms, `"`+term.Text+`"`)
				}
				hits, err := countRows(search.Query(strings.Join(terms, " OR ")))
				if err != nil || hits == 0 {
					b.Fatalf("%d hits, %v", hits, err)
				}
			})
		})
	}
}

func fillFTS5(b *testing.B, n int) *sql.DB {
	b.Helper()
	db, err := sql.Open("sqlite", dsn(filepath.Join(b.TempDir(), "fts.db"), ""))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec("CREATE VIRTUAL TABLE words USING fts5(body, content='', contentless_delete=1)"); err != nil {
		b.Fatal(err)
	}
	c := newCorpus(1, 0)
	for i := 0; i < n; i += 20 {
		tx, err := db.Begin()
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range c.entries("doc", min(20, n-i)) {
			if _, err := tx.Exec("INSERT INTO words (rowid, body) VALUES (?, ?)", e.PassageID, strings.Join(e.Terms, " ")); err != nil {
				b.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	return db
}

// countRows reads all rows of a number and a score, and returns how many.
func countRows(rows *sql.Rows, err error) (n int, _ error) {
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for ; rows.Next(); n++ {
		var id int64
		var score float64
		if err := rows.Scan(&id, &score); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}
