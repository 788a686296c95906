package retrieval

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // The driver that the embedded index uses.

	"parley/core/knowledge/trial"
	"parley/text/split"
)

// fts5 is the yardstick of the embedded index: a full-text table for each
// chatbot, with the same words, through the same driver. It has no weights, no
// places of words and no vectors.
type fts5 struct {
	db    *sql.DB
	ports trial.Ports
	// writing has one change at a time, as SQLite does.
	writing sync.Mutex
	// rows has the rows of the documents that were added, to replace them.
	rows map[string][]int64
	// next is the row that comes next.
	next int64
	// tables has the prepared search of each chatbot.
	mutex  sync.Mutex
	tables map[int]*sql.Stmt
}

func (b *bench) openFTS5(_ context.Context, dir string) (*system, error) {
	dir, err := os.MkdirTemp(dir, "fts5")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "fts5.db")+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"+
		"&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(4000)&_pragma=journal_size_limit(67108864)")
	if err != nil {
		return nil, err
	}
	f := &fts5{db: db, rows: map[string][]int64{}, tables: map[int]*sql.Stmt{}}
	f.ports = trial.Ports{Tokens: b.ports.Tokens} // without vectors
	return &system{
		name: FTS5, add: f.add, put: f.put, ask: f.ask,
		size:  func() (int64, error) { return bytesIn(dir) },
		close: func() error { return errors.Join(f.close(), os.RemoveAll(dir)) },
	}, nil
}

func (f *fts5) close() (err error) {
	for _, search := range f.tables {
		err = errors.Join(err, search.Close())
	}
	return errors.Join(err, f.db.Close())
}

func tableOf(chatbot int) string { return "words_" + chatbotID(chatbot) }

// search returns the search of a chatbot, and makes its table if there is none.
func (f *fts5) search(ctx context.Context, chatbot int) (*sql.Stmt, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if found := f.tables[chatbot]; found != nil {
		return found, nil
	}
	table := tableOf(chatbot)
	_, err := f.db.ExecContext(ctx, "CREATE VIRTUAL TABLE IF NOT EXISTS "+table+" USING fts5(body, content='', contentless_delete=1)")
	if err != nil {
		return nil, err
	}
	search, err := f.db.PrepareContext(ctx, "SELECT rowid, bm25("+table+") AS score FROM "+table+
		" WHERE "+table+" MATCH ? ORDER BY score, rowid LIMIT 100")
	if err == nil {
		f.tables[chatbot] = search
	}
	return search, err
}

func (f *fts5) add(ctx context.Context, chatbot int, d split.Document) (int, error) {
	made, err := prepare(ctx, f.ports, []split.Document{d})
	if err != nil {
		return 0, err
	}
	return len(made[0].entries), f.put(ctx, chatbot, made[0])
}

func (f *fts5) put(ctx context.Context, chatbot int, d prepared) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if _, err := f.search(ctx, chatbot); err != nil {
		return err
	}
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // Does nothing after a commit.
	table, key := tableOf(chatbot), chatbotID(chatbot)+" "+d.id
	for _, row := range f.rows[key] {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE rowid = ?", row); err != nil {
			return err
		}
	}
	rows := make([]int64, len(d.entries))
	for i, e := range d.entries {
		f.next++
		rows[i] = f.next
		if _, err := tx.ExecContext(ctx, "INSERT INTO "+table+" (rowid, body) VALUES (?, ?)", f.next, strings.Join(e.Terms, " ")); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	f.rows[key] = rows
	return nil
}

func (f *fts5) ask(ctx context.Context, chatbot int, q question) (hits int, err error) {
	search, err := f.search(ctx, chatbot)
	if err != nil {
		return 0, err
	}
	rows, err := search.QueryContext(ctx, q.anyOf())
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for ; rows.Next(); hits++ {
		var row int64
		var score float64
		if err := rows.Scan(&row, &score); err != nil {
			return 0, err
		}
	}
	return hits, rows.Err()
}
