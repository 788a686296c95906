package chat

import (
	"context"
	"fmt"

	"parley/ent/scope"
	"parley/store"
)

// knowledgeVersion goes by no clock. A document that is removed for good leaves a
// receipt for as long as its chatbot is there, and the versions of those that
// stay only grow, whether they are answered from or, while their removal can be
// undone, kept below zero. So for the same names of documents that can come back,
// the number of receipts and the sum of the versions never come back together.
const knowledgeVersion = `SELECT
	(SELECT count(*) FROM removals WHERE removals.chatbot_id = chatbots.id),
	(SELECT coalesce(sum(abs(live)), 0) FROM documents WHERE documents.chatbot_id = chatbots.id),
	(SELECT coalesce(string_agg(id, ' ' ORDER BY id), '') FROM documents WHERE documents.chatbot_id = chatbots.id AND live < 0)
	FROM chatbots WHERE workspace_id = $1 AND id = $2`

// KnowledgeVersion is a text that changes with every document that a chatbot
// begins, or ceases, to answer from, and with every new version of one. A text
// comes back only with the same knowledge, when removals are undone. A search that begins after it was read finds nothing older; it may
// find something newer, which the index has some moments before.
func (s *CachedAnswers) KnowledgeVersion(ctx context.Context, workspaceID, chatbotID string) (string, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	var removed, live int
	var withdrawn string
	err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&removed, &live, &withdrawn}, knowledgeVersion, workspaceID, chatbotID)
	if err != nil {
		return "", store.MapError(err)
	}
	if withdrawn != "" {
		withdrawn = " " + withdrawn
	}
	return fmt.Sprintf("%d.%d%s", removed, live, withdrawn), nil
}
