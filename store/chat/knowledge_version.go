package chat

import (
	"context"
	"fmt"

	"parley/ent/scope"
	"parley/store"
)

// knowledgeVersion goes by no clock: triggers count what changes.
const knowledgeVersion = `SELECT knowledge_version FROM chatbots WHERE workspace_id = $1 AND id = $2`

// KnowledgeVersion is a text that changes with every document that a chatbot
// begins, or ceases, to answer from, and with every new version of one, and never comes
// back. A search that begins after it was read finds nothing older; it may
// find something newer, which the index has some moments before.
func (s *CachedAnswers) KnowledgeVersion(ctx context.Context, workspaceID, chatbotID string) (string, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	var version int64
	err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&version}, knowledgeVersion, workspaceID, chatbotID)
	return fmt.Sprint("v", version), store.MapError(err)
}
