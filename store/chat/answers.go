package chat

import (
	"context"
	"time"

	"parley/core/answer"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
	"parley/store/citation"
)

// CachedAnswers keeps answers for equal questions.
type CachedAnswers struct{ store *store.Store }

// NewCachedAnswers returns the cached answers of a database.
func NewCachedAnswers(db *store.Store) *CachedAnswers { return &CachedAnswers{db} }

const cachedAnswer = `SELECT text, sources, created_at FROM cached_answers
	WHERE workspace_id = $1 AND chatbot_id = $2 AND key = $3 AND created_at > $4`

// CachedAnswer returns the answer kept under a key, if it was made after since.
func (s *CachedAnswers) CachedAnswer(ctx context.Context, workspaceID, chatbotID, key string, since time.Time) (kept answer.CachedAnswer, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&kept.Text, citation.In(&kept.Citations), store.InUTC(&kept.At)}, cachedAnswer, workspaceID, chatbotID, key, since)
	return kept, store.MapError(err)
}

// cacheAnswer adds nothing to a chatbot of another workspace.
const cacheAnswer = `INSERT INTO cached_answers (workspace_id, chatbot_id, key, text, sources, created_at)
	SELECT workspace_id, id, $3, $4, $5, $6 FROM chatbots WHERE id = $2 AND workspace_id = $1
	ON CONFLICT (chatbot_id, key) DO UPDATE SET text = excluded.text, sources = excluded.sources,
		created_at = excluded.created_at`

// CacheAnswer keeps an answer, and replaces one under the same key.
func (s *CachedAnswers) CacheAnswer(ctx context.Context, workspaceID, chatbotID, key string, answer answer.CachedAnswer) error {
	ctx = scope.Workspace(ctx, workspaceID)
	return s.store.WriteRaw(ctx, func(ctx context.Context) error {
		return s.store.Hits(ctx, cacheAnswer, workspaceID, chatbotID, key, answer.Text, citation.ToColumn(answer.Citations), answer.At)
	})
}

// DeleteCachedAnswers deletes answers of any workspace from before a time.
func (s *CachedAnswers) DeleteCachedAnswers(ctx context.Context, access system.Access, before time.Time) error {
	return s.store.Expire(scope.System(ctx, access), "cached_answers", "created_at < $1", before)
}
