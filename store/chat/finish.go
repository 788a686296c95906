package chat

import (
	"context"
	"slices"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/ent/scope"
	"parley/store"
	"parley/store/citation"
)

// endAnswer ends an attempt at an answer. A lease that lapsed while the process
// was alive must not lose the answer, so an interrupted one may be ended too;
// an attempt that has been followed by another may not.
const endAnswer = `UPDATE messages SET content = $4, status = $5, query = $6, sources = $7, document_ids = $8, outcome = $9, finish_reason = $10,
	lease_until = NULL, stopping = FALSE
	WHERE id = $1 AND workspace_id = $2 AND attempt = $3 AND status IN ('generating', 'interrupted')`

// An attempt has one usage record. When a lapsed attempt ends after all, its
// record is replaced.
const (
	insertUsageRecord = `INSERT INTO usage_records (message_id, workspace_id, attempt, status, chatbot_id, model, prompt_tokens,
	completion_tokens, estimated, first_token_ms, total_ms, passages, refuted, created_at,
	conversation_id, opens, origin, outcome, finish_reason, rerank_tokens) `
	usageRecordValues  = `$3, $5, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $9, $10, $24`
	replaceUsageRecord = ` ON CONFLICT (message_id, attempt) DO UPDATE SET status = excluded.status, chatbot_id = excluded.chatbot_id,
	model = excluded.model, prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens,
	estimated = excluded.estimated, first_token_ms = excluded.first_token_ms, total_ms = excluded.total_ms,
	passages = excluded.passages, refuted = excluded.refuted, created_at = excluded.created_at, outcome = excluded.outcome,
	finish_reason = excluded.finish_reason, rerank_tokens = excluded.rerank_tokens`
	addUsageRecord = insertUsageRecord + `VALUES ($1, $2, ` + usageRecordValues + `)` + replaceUsageRecord
)

// FinishTurn stores an answer with its final status, and its usage record. A
// question whose answer failed is no longer counted. It is given back only once,
// because an attempt that failed cannot be finished again.
func (s *Turns) FinishTurn(ctx context.Context, workspaceID string, answer turn.Answer) error {
	ctx = scope.Workspace(ctx, workspaceID)
	if !s.store.IsSQLite() {
		return store.MapError(s.finishOnPostgres(ctx, endOf{workspaceID, answer}))
	}
	args := finishArgs(workspaceID, answer)
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.Hits(ctx, endAnswer, args[:10]...); err != nil {
			return store.MapError(err)
		}
		if answer.Status == chat.Failed { // before the usage record: see giveBack
			if _, err := s.store.Raw(ctx).ExecContext(ctx, giveBackSQLite, answer.MessageID, answer.Attempt, answer.Record.At, string(answer.Origin)); err != nil {
				return store.MapError(err)
			}
		}
		return store.MapError(s.store.Hits(ctx, addUsageRecord, args...))
	})
}

// finishArgs returns the numbered parameters: ten for the answer, and then the
// parameters that only its usage record needs.
func finishArgs(workspaceID string, a turn.Answer) []any {
	r := a.Record
	return []any{
		a.MessageID, workspaceID, a.Attempt, a.Text, string(a.Status), a.Query, citation.ToColumn(a.Citations), store.JoinWords(documentsOf(a.Citations)),
		string(a.Outcome), string(a.Finish),
		r.ChatbotID, r.Model, r.Usage.PromptTokens, r.Usage.CompletionTokens, r.Usage.Estimated,
		r.FirstToken.Milliseconds(), r.Total.Milliseconds(), r.Passages, r.Refuted, r.At,
		a.ConversationID, a.Opens, string(a.Origin), r.RerankTokens,
	}
}

// documentsOf are the documents of sources, each once.
func documentsOf(sources []answer.Citation) []string {
	ids := make([]string, 0, len(sources))
	for _, source := range sources {
		if !slices.Contains(ids, source.DocumentID) {
			ids = append(ids, source.DocumentID)
		}
	}
	return ids
}
