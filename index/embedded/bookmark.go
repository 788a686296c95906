package embedded

import (
	"context"
	"database/sql"
	"errors"
)

// The bookmark's table came later than the schema's version, and is made when a
// bookmark is first written: a file without it has none.
const bookmarkTable = `CREATE TABLE IF NOT EXISTS bookmark (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL) STRICT`

// Bookmark is a place in a feed of changes, kept with the index that follows it.
type Bookmark struct{ index *Index }

// NewBookmark returns the bookmark of an indeb.index.
func NewBookmark(x *Index) *Bookmark { return &Bookmark{x} }

// Bookmark returns what SetBookmark last kept, or nothing. It is as durable as the rest
// of the file: never ahead of the changes that came before it.
func (b *Bookmark) Bookmark(ctx context.Context) (text string, err error) {
	var known int
	if err := b.index.read.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'bookmark'").Scan(&known); err != nil || known == 0 {
		return "", b.index.explain(ctx, err)
	}
	err = b.index.read.QueryRowContext(ctx, "SELECT text FROM bookmark").Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return text, b.index.explain(ctx, err)
}

// SetBookmark keeps a text with the index: how far it has followed a feed of changes.
func (b *Bookmark) SetBookmark(ctx context.Context, text string) error {
	return b.index.write.change(ctx, func() error {
		if err := b.index.write.run(bookmarkTable); err != nil {
			return err
		}
		return b.index.write.exec("INSERT INTO bookmark (one, text) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET text = excluded.text", text)
	})
}
