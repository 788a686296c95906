package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"parley/core/knowledge"
)

// livePassages begins with the passages, whatever a planner without statistics
// believes of documents. While a document is given its next version, passages
// of both may be found.
const livePassages = `WITH found AS MATERIALIZED (
	SELECT id, document_id, version, ordinal, title, heading_path, place, "start", "end", content_hash, text FROM passages
	WHERE (%s) AND workspace_id = ? AND chatbot_id = ?
) SELECT found.*, documents.source_id, documents.url
	FROM found CROSS JOIN documents
	WHERE documents.id = found.document_id AND documents.live > 0`

// LivePassages returns those of the passages that belong to the chatbot and to
// a document that is answered from.
func (s *Store) LivePassages(ctx context.Context, workspaceID, chatbotID string, ids []int64) ([]knowledge.Passage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, 0, len(ids)+2)
	for _, id := range ids {
		args = append(args, id)
	}
	return s.livePassages(ctx, "id IN "+placeholders(len(ids)), append(args, workspaceID, chatbotID))
}

// LivePassagesAt is LivePassages for passages that are named by where they
// stand.
func (s *Store) LivePassagesAt(ctx context.Context, workspaceID, chatbotID string, at []knowledge.PassageAt) ([]knowledge.Passage, error) {
	if len(at) == 0 {
		return nil, nil
	}
	args := make([]any, 0, 3*len(at)+2)
	for _, p := range at {
		args = append(args, p.DocumentID, p.Version, p.Ordinal)
	}
	// Not a list of rows: only of single conditions do both databases look up
	// each in the index.
	each := strings.Repeat(" OR document_id = ? AND version = ? AND ordinal = ?", len(at))
	return s.livePassages(ctx, strings.TrimPrefix(each, " OR "), append(args, workspaceID, chatbotID))
}

func (s *Store) livePassages(ctx context.Context, which string, args []any) ([]knowledge.Passage, error) {
	rows, err := s.raw(ctx).QueryContext(ctx, s.bind(fmt.Sprintf(livePassages, which)), args...)
	if err != nil {
		return nil, mapError(err)
	}
	defer rows.Close()
	var found []knowledge.Passage
	for rows.Next() {
		p, err := scanPassage(rows)
		if err != nil {
			return nil, mapError(err)
		}
		found = append(found, p)
	}
	return found, mapError(rows.Err())
}

func scanPassage(rows *sql.Rows) (p knowledge.Passage, err error) {
	var headings []byte
	err = rows.Scan(&p.ID, &p.DocumentID, &p.Version, &p.Ordinal, &p.Title, &headings, &p.Place, &p.Start, &p.End, &p.ContentHash,
		&p.Text, &p.SourceID, &p.URL)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(headings, &p.HeadingPath)
}
