package chat

import (
	"context"
	"time"

	"parley/core/answer"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/cachedanswer"
	"parley/ent/scope"
	"parley/store"
)

// CachedAnswers keeps answers for equal questions.
type CachedAnswers struct{ store *store.Store }

// NewCachedAnswers returns the cached answers of a database.
func NewCachedAnswers(db *store.Store) *CachedAnswers { return &CachedAnswers{db} }

// CachedAnswer returns the answer kept under a key, if it was made after since.
func (s *CachedAnswers) CachedAnswer(ctx context.Context, workspaceID, chatbotID, key string, since time.Time) (answer.CachedAnswer, error) {
	row, err := s.store.Client(ctx).CachedAnswer.Query().Where(cachedanswer.ChatbotID(chatbotID), cachedanswer.Key(key),
		cachedanswer.CreatedAtGT(since)).Only(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return answer.CachedAnswer{}, store.MapError(err)
	}
	sources, err := store.CitationsFromColumn(row.Sources)
	return answer.CachedAnswer{Text: row.Text, Citations: sources, At: row.CreatedAt.UTC()}, store.MapError(err)
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
		return s.store.Hits(ctx, cacheAnswer, workspaceID, chatbotID, key, answer.Text, store.CitationsToColumn(answer.Citations), answer.At)
	})
}

// DeleteCachedAnswers deletes answers of any workspace from before a time.
func (s *CachedAnswers) DeleteCachedAnswers(ctx context.Context, access system.Access, before time.Time) error {
	return store.InPortions(scope.System(ctx, access), s.store, func(ctx context.Context, db *ent.Client) ([]int64, error) {
		return db.CachedAnswer.Query().Where(cachedanswer.CreatedAtLT(before)).Limit(store.TrimBatch).IDs(ctx)
	}, func(ctx context.Context, db *ent.Client, ids []int64) (int, error) {
		return db.CachedAnswer.Delete().Where(cachedanswer.IDIn(ids...), cachedanswer.CreatedAtLT(before)).Exec(ctx)
	})
}
