package store

import (
	"context"
	"fmt"
)

// knowledgeVersion goes by no clock. A document that is removed leaves a
// receipt for as long as its chatbot is there, and the live versions of those
// that stay only grow: so the pair of both numbers never comes back.
const knowledgeVersion = `SELECT
	(SELECT count(*) FROM removals WHERE removals.chatbot_id = chatbots.id),
	(SELECT coalesce(sum(live), 0) FROM documents WHERE documents.chatbot_id = chatbots.id)
	FROM chatbots WHERE workspace_id = $1 AND id = $2`

// KnowledgeVersion is a text that changes with every document that a chatbot
// begins, or ceases, to answer from, and with every new version of one. No text
// comes back. A search that begins after it was read finds nothing older; it may
// find something newer, which the index has some moments before.
func (s *CachedAnswers) KnowledgeVersion(ctx context.Context, workspaceID, chatbotID string) (string, error) {
	var removed, live int
	err := scanOne(ctx, s.store.raw(ctx), []any{&removed, &live}, knowledgeVersion, workspaceID, chatbotID)
	if err != nil {
		return "", mapError(err)
	}
	return fmt.Sprintf("%d.%d", removed, live), nil
}
