package knowledge

import (
	"context"

	"parley/ent/scope"
	"parley/store"
)

// Cached text of a removed document is deleted with it: all cached answers of
// its chatbot go, since none would be given again.
const (
	forgetByDocument = `DELETE FROM cached_answers WHERE workspace_id = $1
	AND chatbot_id = (SELECT chatbot_id FROM documents WHERE id = $2)`
	forgetBySource = `DELETE FROM cached_answers WHERE workspace_id = $1
	AND chatbot_id = (SELECT chatbot_id FROM sources WHERE id = $2)`
	forgetByChatbot = `DELETE FROM cached_answers WHERE workspace_id = $1 AND chatbot_id = $2`
)

// forgetAnswers runs one of the statements above.
func forgetAnswers(ctx context.Context, s *store.Store, statement, workspaceID, id string) error {
	ctx = scope.Workspace(ctx, workspaceID)
	_, err := s.Raw(ctx).ExecContext(ctx, statement, workspaceID, id)
	return err
}
