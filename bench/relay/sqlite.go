package relay

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	_ "modernc.org/sqlite" // The driver's name is sqlite.
)

const (
	sqliteOptions = "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)&_txlock=immediate"
	sqliteReaders = 4
)

// sqlite has one connection that writes and a few that read.
type sqlite struct {
	writer, reader *sql.DB
	insert, find   *sql.Stmt
}

// SQLite returns a ledger in a SQLite file in dir, each message a commit that
// is synced to disk.
func SQLite(ctx context.Context, dir string) (Ledger, error) {
	s, err := openSQLite(ctx, dir)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func openSQLite(ctx context.Context, dir string) (*sqlite, error) {
	address := "file:" + filepath.Join(dir, "relay.db") + sqliteOptions
	writer, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	reader, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	reader.SetMaxOpenConns(sqliteReaders)
	reader.SetMaxIdleConns(sqliteReaders)
	s := &sqlite{writer: writer, reader: reader}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *sqlite) prepare(ctx context.Context) (err error) {
	_, err = s.writer.ExecContext(ctx, `
		CREATE TABLE tokens (token TEXT PRIMARY KEY, chatbot TEXT NOT NULL);
		CREATE TABLE messages (
			id INTEGER PRIMARY KEY,
			chatbot TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,
			created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
		INSERT INTO tokens VALUES ('`+Token+`', 'cb_bench')`)
	if err != nil {
		return err
	}
	if s.insert, err = s.writer.PrepareContext(ctx, "INSERT INTO messages (chatbot, role, content) VALUES (?, ?, ?)"); err != nil {
		return err
	}
	s.find, err = s.reader.PrepareContext(ctx, "SELECT chatbot FROM tokens WHERE token = ?")
	return err
}

func (s *sqlite) Chatbot(ctx context.Context, token string) (chatbot string, err error) {
	err = s.find.QueryRowContext(ctx, token).Scan(&chatbot)
	return chatbot, err
}

func (s *sqlite) Append(ctx context.Context, chatbot, role, text string) error {
	_, err := s.insert.ExecContext(ctx, chatbot, role, text)
	return err
}

func (s *sqlite) Close() error {
	return errors.Join(s.reader.Close(), s.writer.Close())
}
