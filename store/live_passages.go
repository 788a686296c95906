package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"

	"parley/core/retrieval"
)

// livePassages begins with the passages, whatever a planner without statistics
// believes of documents: so SQLite takes a CROSS JOIN, and PostgreSQL a
// materialized part. While a document is given its next version, passages of
// both may be found.
const (
	livePassagesSQLite = `SELECT ` + livePassage + `, documents.source_id, documents.url
	FROM passages AS found CROSS JOIN documents
	WHERE (%s) AND found.workspace_id = $1 AND found.chatbot_id = $2 AND documents.id = found.document_id AND documents.live > 0`
	livePassagesPostgres = `WITH found AS MATERIALIZED (
	SELECT ` + livePassage + ` FROM passages AS found WHERE (%s) AND found.workspace_id = $1 AND found.chatbot_id = $2
) SELECT found.*, documents.source_id, documents.url
	FROM found CROSS JOIN documents
	WHERE documents.id = found.document_id AND documents.live > 0`
	livePassage = `found.id, found.document_id, found.version, found.ordinal, found.title, found.heading_path, found.place,
	found."start", found."end", found.content_hash, found.text`
)

// LivePassages returns those of the passages that belong to the chatbot and to
// a document that is answered from.
func (s *Passages) LivePassages(ctx context.Context, workspaceID, chatbotID string, ids []int64) ([]retrieval.Passage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, 0, len(ids)+2)
	args = append(args, workspaceID, chatbotID)
	for _, id := range ids {
		args = append(args, id)
	}
	return s.livePassages(ctx, "found.id IN "+placeholders(3, len(ids)), args)
}

// LivePassagesAt is LivePassages for passages that are named by where they
// stand.
func (s *Passages) LivePassagesAt(ctx context.Context, workspaceID, chatbotID string, at []retrieval.Position) ([]retrieval.Passage, error) {
	if len(at) == 0 {
		return nil, nil
	}
	args := make([]any, 0, 3*len(at)+2)
	args = append(args, workspaceID, chatbotID)
	each := make([]string, len(at))
	for i, p := range at {
		// Not a list of rows: only of single conditions do both databases look
		// up each in the index.
		n := len(args)
		each[i] = fmt.Sprintf("found.document_id = $%d AND found.version = $%d AND found.ordinal = $%d", n+1, n+2, n+3)
		args = append(args, p.DocumentID, p.Version, p.Ordinal)
	}
	return s.livePassages(ctx, strings.Join(each, " OR "), args)
}

func (s *Passages) livePassages(ctx context.Context, which string, args []any) ([]retrieval.Passage, error) {
	statement := livePassagesSQLite
	if s.store.dialect == dialect.Postgres {
		statement = livePassagesPostgres
	}
	rows, err := s.store.raw(ctx).QueryContext(ctx, fmt.Sprintf(statement, which), args...)
	if err != nil {
		return nil, mapError(err)
	}
	defer rows.Close()
	var found []retrieval.Passage
	for rows.Next() {
		p, err := scanPassage(rows)
		if err != nil {
			return nil, mapError(err)
		}
		found = append(found, p)
	}
	return found, mapError(rows.Err())
}

func scanPassage(rows *sql.Rows) (p retrieval.Passage, err error) {
	var headings []byte
	err = rows.Scan(&p.ID, &p.DocumentID, &p.Version, &p.Ordinal, &p.Title, &headings, &p.Place, &p.Start, &p.End, &p.ContentHash,
		&p.Text, &p.SourceID, &p.URL)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(headings, &p.HeadingPath)
}
