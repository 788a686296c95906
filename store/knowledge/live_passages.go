package knowledge

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/core/retrieval"
	"parley/ent/scope"
	"parley/store"
)

// livePassages begins with the passages, whatever a planner without statistics
// believes of documents: so SQLite takes a CROSS JOIN, and PostgreSQL a
// materialized part. While a document is given its next version, passages of
// both may be found.
const (
	livePassagesSQLite = `SELECT ` + livePassage + `, documents.source_id, documents.url, documents.live
	FROM passages AS found CROSS JOIN documents
	WHERE (%s) AND found.workspace_id = $1 AND found.chatbot_id = $2 AND documents.id = found.document_id AND documents.live > 0`
	livePassagesPostgres = `WITH found AS MATERIALIZED (
	SELECT ` + livePassage + ` FROM passages AS found WHERE (%s) AND found.workspace_id = $1 AND found.chatbot_id = $2
) SELECT found.*, documents.source_id, documents.url, documents.live
	FROM found CROSS JOIN documents
	WHERE documents.id = found.document_id AND documents.live > 0`
	livePassage = `found.id, found.document_id, found.version, found.ordinal, found.title, found.heading_path, found.place,
	found."start", found."end", found.content_hash, found.text`
)

// LivePassages returns the passages with these ids that belong to the chatbot and to a
// document that is answered from. For passages that it remembers, it asks only about their
// documents: which are answered from, and from which version.
func (s *Passages) LivePassages(ctx context.Context, workspaceID, chatbotID string, ids []int64) ([]retrieval.Passage, error) {
	var known []*knownPassage
	var unknown []int64
	for _, id := range ids {
		if p, ok := s.known.get(workspaceID, chatbotID, passageKey{id: id}); ok {
			known = append(known, p)
		} else {
			unknown = append(unknown, id)
		}
	}
	found, gone, err := s.stillLive(ctx, workspaceID, chatbotID, known)
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, gone...)
	if len(unknown) == 0 {
		return found, nil
	}
	args := make([]any, 0, len(unknown)+2)
	args = append(args, workspaceID, chatbotID)
	for _, id := range unknown {
		args = append(args, id)
	}
	read, err := s.livePassages(scope.Workspace(ctx, workspaceID), "found.id IN "+store.Placeholders(3, len(unknown)), args)
	return append(found, read...), err
}

// stillLive returns the passages whose version is answered from, and the ids of those that
// are to be read again: while a document is given its next version, both may be found.
func (s *Passages) stillLive(ctx context.Context, workspaceID, chatbotID string, known []*knownPassage) (found []retrieval.Passage, again []int64, err error) {
	if len(known) == 0 {
		return nil, nil, nil
	}
	var ids []string
	for _, p := range known {
		if !slices.Contains(ids, p.DocumentID) {
			ids = append(ids, p.DocumentID)
		}
	}
	live, err := s.liveDocuments(ctx, workspaceID, chatbotID, ids)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range known {
		switch d, ok := live[p.DocumentID]; {
		case !ok:
		case d.version != p.Version:
			again = append(again, p.ID)
		default:
			passage := p.Passage
			passage.SourceID, passage.URL = d.sourceID, d.url
			found = append(found, passage)
		}
	}
	return found, again, nil
}

// LivePassagesAt is LivePassages for the neighbors of passages that it has just
// returned: those that are remembered are not checked again.
func (s *Passages) LivePassagesAt(ctx context.Context, workspaceID, chatbotID string, at []retrieval.Position) ([]retrieval.Passage, error) {
	var found []retrieval.Passage
	var unknown []retrieval.Position
	for _, place := range at {
		p, ok := s.known.get(workspaceID, chatbotID, passageKey{at: place})
		switch {
		case !ok:
			unknown = append(unknown, place)
		case p.ID != 0:
			found = append(found, p.Passage)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	read, err := s.readAt(ctx, workspaceID, chatbotID, unknown)
	return append(found, read...), err
}

func (s *Passages) readAt(ctx context.Context, workspaceID, chatbotID string, at []retrieval.Position) ([]retrieval.Passage, error) {
	args := make([]any, 0, 3*len(at)+2)
	args = append(args, workspaceID, chatbotID)
	each := make([]string, len(at))
	var documents []string
	for i, p := range at {
		// Not a list of rows: only of single conditions do both databases look
		// up each in the index.
		n := len(args)
		each[i] = fmt.Sprintf("found.document_id = $%d AND found.version = $%d AND found.ordinal = $%d", n+1, n+2, n+3)
		args = append(args, p.DocumentID, p.Version, p.Ordinal)
		documents = append(documents, p.DocumentID)
	}
	read, err := s.livePassages(scope.Workspace(ctx, workspaceID), strings.Join(each, " OR "), args)
	if err != nil || len(read) == len(at) {
		return read, err
	}
	slices.Sort(documents)
	live, err := s.liveDocuments(ctx, workspaceID, chatbotID, slices.Compact(documents))
	if err != nil {
		return nil, err
	}
	for _, place := range at {
		isHere := func(p retrieval.Passage) bool { return placeOf(p) == place }
		if live[place.DocumentID].version == place.Version && !slices.ContainsFunc(read, isHere) {
			s.known.putNone(workspaceID, chatbotID, place)
		}
	}
	return read, nil
}

// livePassages reads passages, and remembers a passage if its version is live.
func (s *Passages) livePassages(ctx context.Context, which string, args []any) ([]retrieval.Passage, error) {
	statement := livePassagesSQLite
	if !s.store.IsSQLite() {
		statement = livePassagesPostgres
	}
	var found []retrieval.Passage
	err := store.EachRow(ctx, s.store.Raw(ctx), fmt.Sprintf(statement, which), args, func(rows *sql.Rows) error {
		p, live, err := scanPassage(rows)
		if err != nil {
			return err
		}
		if p.Version == live {
			s.known.put(args[0].(string), args[1].(string), p)
		}
		found = append(found, p)
		return nil
	})
	return found, store.MapError(err)
}

// scanPassage also returns the version that its document is answered from.
func scanPassage(rows *sql.Rows) (p retrieval.Passage, live int, err error) {
	var headings []byte
	err = rows.Scan(&p.ID, &p.DocumentID, &p.Version, &p.Ordinal, &p.Title, &headings, &p.Place, &p.Start, &p.End, &p.ContentHash,
		&p.Text, &p.SourceID, &p.URL, &live)
	if err != nil {
		return p, 0, err
	}
	return p, live, json.Unmarshal(headings, &p.HeadingPath)
}
