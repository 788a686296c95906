package knowledge

import (
	"context"
	"database/sql"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"parley/ent/scope"
	"parley/internal/intx"
	"parley/store"
)

const (
	liveDocumentsSQLite = `SELECT id, live, source_id, url FROM documents WHERE workspace_id = $1 AND chatbot_id = $2 AND live > 0 AND id IN %s`
	// liveDocumentsPostgres is about the documents of many questions.
	liveDocumentsPostgres = `SELECT a.place, d.id, d.live, d.source_id, d.url
	FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS a (place, workspace_id, chatbot_id, id)
	JOIN documents d ON d.id = a.id AND d.workspace_id = a.workspace_id AND d.chatbot_id = a.chatbot_id WHERE d.live > 0`
)

// liveDocument is a document that is answered from.
type liveDocument struct {
	version       int
	sourceID, url string
}

// foundDocuments are the documents in which a question of a chatbot found something.
type foundDocuments struct {
	workspaceID, chatbotID string
	ids                    []string
}

// liveDocuments returns the documents with these ids that a chatbot answers from, by id. On
// PostgreSQL, questions that ask at the same time share a statement.
func (s *Passages) liveDocuments(ctx context.Context, workspaceID, chatbotID string, ids []string) (map[string]liveDocument, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	asked := foundDocuments{workspaceID, chatbotID, ids}
	if s.documents != nil {
		ask := s.documents.Do
		if intx.Inside(ctx) {
			ask = s.liveDocumentsAlone
		}
		live, err := ask(ctx, asked)
		return live, store.MapError(err)
	}
	live := make(map[string]liveDocument, len(ids))
	args := []any{workspaceID, chatbotID}
	for _, id := range ids {
		args = append(args, id)
	}
	err := store.EachRow(ctx, s.store.Raw(ctx), fmt.Sprintf(liveDocumentsSQLite, store.Placeholders(3, len(ids))), args, func(row *sql.Rows) error {
		var id string
		var d liveDocument
		err := row.Scan(&id, &d.version, &d.sourceID, &d.url)
		live[id] = d
		return err
	})
	return live, store.MapError(err)
}

func (s *Passages) liveDocumentsAlone(ctx context.Context, asked foundDocuments) (live map[string]liveDocument, err error) {
	err = liveDocumentsTogether(ctx, s.store.Raw(ctx), []foundDocuments{asked}, func(_ int, found map[string]liveDocument) { live = found })
	return live, err
}

func liveDocumentsTogether(ctx context.Context, on entsql.ExecQuerier, asked []foundDocuments, tell func(int, map[string]liveDocument)) error {
	var places []int
	var workspaces, chatbots, ids []string
	found := make([]map[string]liveDocument, len(asked))
	for i, a := range asked {
		found[i] = make(map[string]liveDocument, len(a.ids))
		for _, id := range a.ids {
			places, workspaces, chatbots, ids = append(places, i), append(workspaces, a.workspaceID), append(chatbots, a.chatbotID), append(ids, id)
		}
	}
	err := store.EachRow(ctx, on, liveDocumentsPostgres, []any{places, workspaces, chatbots, ids}, func(row *sql.Rows) error {
		var place int
		var id string
		var d liveDocument
		err := row.Scan(&place, &id, &d.version, &d.sourceID, &d.url)
		if err == nil {
			found[place][id] = d
		}
		return err
	})
	if err != nil {
		return err
	}
	for place, live := range found {
		tell(place, live)
	}
	return nil
}
