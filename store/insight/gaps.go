package insight

import (
	"context"
	"slices"
	"time"

	"parley/core/insight"
	ent "parley/ent/generated"
	"parley/ent/generated/gap"
	"parley/ent/scope"
	"parley/store"
)

// Gaps keeps questions that were not answered well.
type Gaps struct{ store *store.Store }

// NewGaps returns the gaps of a database.
func NewGaps(db *store.Store) *Gaps { return &Gaps{db} }

var _ insight.GapStore = (*Gaps)(nil)

const listGaps = `SELECT id, chatbot_id, conversation_id, message_id, substr(question, 1, $4), reason, state, document_id, created_at
	FROM gaps WHERE workspace_id = $1 AND chatbot_id = $2 AND state = $3 ORDER BY id DESC LIMIT $5`

// Gaps returns a chatbot's gaps in a state, newest first, with the beginnings of their
// questions.
func (s *Gaps) Gaps(ctx context.Context, workspaceID, chatbotID string, state insight.State, limit int) ([]insight.Gap, error) {
	return store.Rows(scope.Workspace(ctx, workspaceID), s.store, func(g *insight.Gap) []any {
		return []any{&g.ID, &g.ChatbotID, &g.ConversationID, &g.MessageID, &g.Question, &g.Reason, &g.State, &g.DocumentID, store.InUTC(&g.CreatedAt)}
	}, listGaps, workspaceID, chatbotID, string(state), insight.ListedChars, limit)
}

// Gap returns the gap of an answer.
func (s *Gaps) Gap(ctx context.Context, workspaceID, chatbotID string, messageID int64) (insight.Gap, error) {
	row, err := s.store.Client(ctx).Gap.Query().Where(gap.ChatbotID(chatbotID), gap.MessageID(messageID)).Only(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, gapFromRow)
}

// SettleGaps gives open gaps another state.
func (s *Gaps) SettleGaps(ctx context.Context, workspaceID, chatbotID string, ids []int64, state insight.State, documentID string, at time.Time) (settled int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		for some := range slices.Chunk(ids, store.BatchRows) {
			n, err := s.store.Client(ctx).Gap.Update().
				Where(gap.IDIn(some...), gap.ChatbotID(chatbotID), gap.State(string(insight.Open))).
				SetState(string(state)).SetDocumentID(documentID).SetSettledAt(at).Save(ctx)
			if err != nil {
				return store.MapError(err)
			}
			settled += n
		}
		return nil
	})
	return settled, err
}

// CountGaps is how many open gaps a chatbot has.
func (s *Gaps) CountGaps(ctx context.Context, workspaceID, chatbotID string) (int, error) {
	n, err := s.store.Client(ctx).Gap.Query().Where(gap.ChatbotID(chatbotID), gap.State(string(insight.Open))).Count(scope.Workspace(ctx, workspaceID))
	return n, store.MapError(err)
}

func gapFromRow(row *ent.Gap) insight.Gap {
	return insight.Gap{
		ID: row.ID, ChatbotID: row.ChatbotID, ConversationID: row.ConversationID, MessageID: row.MessageID, Question: row.Question,
		Reason: insight.Reason(row.Reason), State: insight.State(row.State), DocumentID: row.DocumentID, CreatedAt: row.CreatedAt.UTC(),
	}
}
