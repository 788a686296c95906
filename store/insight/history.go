package insight

import (
	"context"
	"math"
	"slices"
	"time"

	"entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/insight/history"
	ent "parley/ent/generated"
	"parley/ent/generated/chatbot"
	"parley/ent/generated/conversation"
	"parley/ent/generated/feedback"
	"parley/ent/generated/gap"
	"parley/ent/generated/message"
	"parley/ent/generated/predicate"
	"parley/ent/scope"
	"parley/store"
	chatstore "parley/store/chat"
	"parley/store/citation"
)

// History reads conversations for owners.
type History struct{ store *store.Store }

// NewHistory returns the history of a database.
func NewHistory(db *store.Store) *History { return &History{db} }

var _ history.Store = (*History)(nil)

// InTx runs fn in one transaction; calls inside it join.
func (s *History) InTx(ctx context.Context, fn func(context.Context) error) error {
	return s.store.InTx(ctx, fn)
}

// ListedConversations returns the conversations that a query chooses, newest first.
func (s *History) ListedConversations(ctx context.Context, workspaceID, chatbotID string, q history.Query) (found []history.Summary, end int64, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	seek, from, before, err := s.seek(ctx, workspaceID, q)
	if err != nil {
		return nil, 0, store.MapError(err)
	}
	where := append(seek, conversation.ChatbotID(chatbotID), conversation.IDGTE(from), conversation.IDLT(before))
	filters := filtersOf(chatbotID, q)
	if len(filters) > 1 || q.Origin == chat.Playground { // else nearly each is chosen
		if end, err = s.windowEnd(ctx, workspaceID, chatbotID, from, before); err != nil {
			return nil, 0, store.MapError(err)
		}
		where = append(where, conversation.IDGTE(end))
	}
	where = append(where, filters...)
	rows, err := s.store.Client(ctx).Conversation.Query().Where(where...).Order(ent.Desc(conversation.FieldID)).Limit(q.Limit).All(ctx)
	if err != nil {
		return nil, 0, store.MapError(err)
	}
	for _, row := range rows {
		found = append(found, summaryFromRow(row))
	}
	return found, end, store.MapError(s.judge(ctx, workspaceID, chatbotID, found))
}

const hasDays = `SELECT EXISTS (SELECT 1 FROM daily_stats WHERE workspace_id = $1 AND chatbot_id = $2)`

// Asked reports whether a chatbot ever answered a question, and whether one of the
// API.
func (s *History) Asked(ctx context.Context, workspaceID, chatbotID string) (asked, byAPI bool, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	// The sums of days outlive conversations, and leave out the playground.
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&byAPI}, hasDays, workspaceID, chatbotID)
	if err != nil || byAPI {
		return byAPI, byAPI, store.MapError(err)
	}
	conversations := s.store.Client(ctx).Conversation.Query().Where(conversation.ChatbotID(chatbotID), conversation.HasChatbotWith(chatbot.WorkspaceID(workspaceID)), hasAnswer())
	if asked, err = conversations.Clone().Exist(ctx); err != nil || !asked {
		return false, false, store.MapError(err)
	}
	byAPI, err = conversations.Where(conversation.OriginNEQ(string(chat.Playground))).Exist(ctx)
	return asked, byAPI, store.MapError(err)
}

// hasAnswer selects conversations with an assistant's message that all predicates
// select.
func hasAnswer(which ...func(m *sql.SelectTable) *sql.Predicate) predicate.Conversation {
	return func(c *sql.Selector) {
		m := sql.Table(message.Table).As("m")
		where := []*sql.Predicate{
			sql.ColumnsEQ(m.C(message.FieldConversationID), c.C(conversation.FieldID)), sql.EQ(m.C(message.FieldRole), string(chat.Assistant)),
		}
		for _, p := range which {
			where = append(where, p(m))
		}
		c.Where(sql.Exists(sql.Select(m.C(message.FieldID)).From(m).Where(sql.And(where...))))
	}
}

// answered selects messages that answer their question. Those from before
// outcomes were kept have only a status.
func answered(m *sql.SelectTable) *sql.Predicate {
	return sql.Or(sql.EQ(m.C(message.FieldOutcome), string(chat.Answered)),
		sql.And(sql.EQ(m.C(message.FieldOutcome), ""), sql.EQ(m.C(message.FieldStatus), string(chat.Complete))))
}

// isNotAnswered is the condition of the partial index receipt_not_answered, by which
// conversations with other outcomes are found. Those with an answer are found by
// their messages: nearly every conversation has one.
func isNotAnswered(column string) *sql.Predicate {
	return sql.P(func(b *sql.Builder) { b.Ident(column).WriteString(" <> 'answered'") })
}

// seek confines a query to its days and its cursor: with the ids from one on and before
// another. The index over times is the workspace's, and finds the ids that the days begin
// and end with.
func (s *History) seek(ctx context.Context, workspaceID string, q history.Query) (where []predicate.Conversation, from, before int64, err error) {
	before = math.MaxInt64
	if q.Before > 0 {
		before = q.Before
	}
	first := func(at time.Time) (int64, error) {
		id, err := s.store.Client(ctx).Conversation.Query().Where(conversation.WorkspaceID(workspaceID), conversation.CreatedAtGTE(at)).
			Order(conversation.ByCreatedAt(), conversation.ByID()).FirstID(ctx)
		if ent.IsNotFound(err) {
			return 0, nil
		}
		return id, err
	}
	if !q.From.IsZero() {
		id, err := first(q.From)
		if err != nil {
			return nil, 0, 0, err
		}
		where, from = append(where, conversation.CreatedAtGTE(q.From)), id-chatstore.IDsOutOfOrder
	}
	if !q.To.IsZero() {
		after := q.To.AddDate(0, 0, 1)
		id, err := first(after)
		if err != nil {
			return nil, 0, 0, err
		}
		where = append(where, conversation.CreatedAtLT(after))
		if id > 0 {
			before = min(before, id+chatstore.IDsOutOfOrder)
		}
	}
	return where, from, before, nil
}

// lastOfWindow reads nothing but an index, and the last row only if there is one beyond.
const lastOfWindow = `SELECT COALESCE(MAX(id), 0) FROM (
	SELECT id FROM conversations WHERE chatbot_id = (SELECT id FROM chatbots WHERE id = $2 AND workspace_id = $1)
	AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT 2 OFFSET $5) AS last HAVING COUNT(*) = 2`

// windowEnd is the id of the last conversation of the window, or zero when there
// is none beyond it.
func (s *History) windowEnd(ctx context.Context, workspaceID, chatbotID string, from, before int64) (id int64, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&id}, lastOfWindow, workspaceID, chatbotID, from, before, history.Window-1)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	return id, err
}

func filtersOf(chatbotID string, q history.Query) (where []predicate.Conversation) {
	if q.Origin == chat.Playground {
		where = append(where, conversation.Origin(string(chat.Playground)), conversation.BegunBy(q.Viewer))
	} else {
		where = append(where, conversation.OriginNEQ(string(chat.Playground)))
	}
	if q.ExternalUserID != "" {
		where = append(where, conversation.ExternalUserID(q.ExternalUserID))
	}
	if q.TokenID != "" {
		where = append(where, conversation.BegunBy(q.TokenID))
	}
	if q.Text != "" {
		where = append(where, conversation.TitleContainsFold(q.Text))
	}
	switch q.Outcome {
	case "":
	case chat.Answered:
		where = append(where, hasAnswer(answered))
	default:
		where = append(where, hasOutcome(chatbotID, q.Outcome))
	}
	if q.Rating != 0 {
		where = append(where, func(c *sql.Selector) {
			f := sql.Table(feedback.Table).As("f")
			c.Where(sql.Exists(sql.Select(f.C(feedback.FieldID)).From(f).Where(sql.And(
				sql.EQ(f.C(feedback.FieldChatbotID), chatbotID), sql.EQ(f.C(feedback.FieldRating), int(q.Rating)),
				sql.ColumnsEQ(f.C(feedback.FieldConversationID), c.C(conversation.FieldID))))))
		})
	}
	return where
}

// hasOutcome selects conversations with an outcome that is not answered.
func hasOutcome(chatbotID string, outcome chat.Outcome) predicate.Conversation {
	return func(c *sql.Selector) {
		r := sql.Table("usage_records").As("r")
		c.Where(sql.Exists(sql.Select(r.C("id")).From(r).Where(sql.And(
			sql.EQ(r.C("chatbot_id"), chatbotID), sql.EQ(r.C("outcome"), string(outcome)),
			isNotAnswered(r.C("outcome")),
			sql.ColumnsEQ(r.C("conversation_id"), c.C(conversation.FieldID))))))
	}
}

// badness orders outcomes, the worst last.
var badness = []chat.Outcome{"", chat.Answered, chat.OutcomeInterrupted, chat.OutcomeStopped, chat.NoAnswer, chat.OutcomeFailed}

// endings has the condition of the partial index receipt_not_answered, by which the few
// answers are found that were not given.
const endings = `SELECT DISTINCT conversation_id, outcome FROM usage_records
	WHERE workspace_id = $1 AND chatbot_id = $2 AND outcome <> 'answered' AND conversation_id IN `

type ending struct {
	conversationID int64
	outcome        chat.Outcome
}

// judge adds to conversations what became of their answers, and what was thought
// of them.
func (s *History) judge(ctx context.Context, workspaceID, chatbotID string, found []history.Summary) error {
	if len(found) == 0 {
		return nil
	}
	at, ids := map[int64]*history.Summary{}, make([]int64, len(found))
	for i := range found {
		ids[i], at[found[i].ID] = found[i].ID, &found[i]
	}
	if err := s.markAnswered(ctx, at, ids); err != nil {
		return err
	}
	args := append([]any{workspaceID, chatbotID}, store.Column(ids, func(id *int64) any { return *id })...)
	ended, err := store.Rows(ctx, s.store, func(e *ending) []any { return []any{&e.conversationID, &e.outcome} }, endings+store.Placeholders(3, len(ids)), args...)
	if err != nil {
		return err
	}
	for _, e := range ended {
		c := at[e.conversationID]
		if slices.Index(badness, e.outcome) > slices.Index(badness, c.Outcome) {
			c.Outcome = e.outcome
		}
	}
	rated, err := s.store.Client(ctx).Feedback.Query().Where(feedback.ConversationIDIn(ids...), feedback.RatingNEQ(0)).
		Select(feedback.FieldConversationID, feedback.FieldRating).All(ctx)
	for _, f := range rated {
		if f.Rating > 0 {
			at[f.ConversationID].ThumbsUp++
		} else {
			at[f.ConversationID].ThumbsDown++
		}
	}
	return err
}

// markAnswered gives conversations with an answer that outcome.
func (s *History) markAnswered(ctx context.Context, at map[int64]*history.Summary, ids []int64) error {
	var withAnswer []struct {
		ConversationID int64 `json:"conversation_id"`
	}
	err := s.store.Client(ctx).Message.Query().Where(message.ConversationIDIn(ids...), message.Role(string(chat.Assistant)), func(m *sql.Selector) {
		m.Where(answered(sql.Table(message.Table)))
	}).GroupBy(message.FieldConversationID).Scan(ctx, &withAnswer)
	for _, m := range withAnswer {
		at[m.ConversationID].Outcome = chat.Answered
	}
	return err
}

// ListedConversation returns one conversation.
func (s *History) ListedConversation(ctx context.Context, workspaceID, chatbotID string, id int64) (history.Summary, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	row, err := s.store.Client(ctx).Conversation.Query().Where(conversation.ID(id), conversation.ChatbotID(chatbotID)).Only(ctx)
	if err != nil {
		return history.Summary{}, store.MapError(err)
	}
	found := []history.Summary{summaryFromRow(row)}
	err = s.judge(ctx, workspaceID, chatbotID, found)
	return found[0], store.MapError(err)
}

func summaryFromRow(row *ent.Conversation) history.Summary {
	return history.Summary{
		ID: row.ID, ChatbotID: row.ChatbotID, Title: row.Title, ExternalUserID: row.ExternalUserID, Origin: chat.Origin(row.Origin),
		BegunBy: row.BegunBy, CreatedAt: row.CreatedAt.UTC(),
	}
}

// ThreadMessages returns the last messages of a conversation below an id, oldest first.
func (s *History) ThreadMessages(ctx context.Context, workspaceID string, conversationID, before int64, most history.Most) ([]history.Message, bool, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	query := s.store.Client(ctx).Message.Query().Where(message.ConversationID(conversationID))
	if before > 0 {
		query = query.Where(message.IDLT(before))
	}
	rows, more, err := chatstore.FittingMessages(ctx, query.Order(ent.Desc(message.FieldID)), most.Messages, most.Bytes)
	if err != nil {
		return nil, false, err
	}
	slices.Reverse(rows)
	messages, err := s.explain(ctx, workspaceID, rows)
	return messages, more, err
}

// ThreadMessagesAfter returns the first messages of a conversation above an id, oldest
// first.
func (s *History) ThreadMessagesAfter(ctx context.Context, workspaceID string, conversationID, after int64, most history.Most) ([]history.Message, bool, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	query := s.store.Client(ctx).Message.Query().Where(message.ConversationID(conversationID), message.IDGT(after)).Order(message.ByID())
	rows, more, err := chatstore.FittingMessages(ctx, query, most.Messages, most.Bytes)
	if err != nil {
		return nil, false, err
	}
	messages, err := s.explain(ctx, workspaceID, rows)
	return messages, more, err
}

// explain adds to messages what is known of them.
func (s *History) explain(ctx context.Context, workspaceID string, rows []*ent.Message) ([]history.Message, error) {
	messages, at, ids := make([]history.Message, len(rows)), map[int64]*history.Message{}, []int64{}
	for i, row := range rows {
		sources, err := citation.FromColumn(row.Sources)
		if err != nil {
			return nil, store.MapError(err)
		}
		messages[i] = history.Message{Message: chatstore.MessageFromRow(row), Query: row.Query, Outcome: chat.Outcome(row.Outcome), Citations: sources}
		if row.Role != string(chat.Assistant) {
			continue
		}
		if row.Outcome == "" { // from before outcomes were kept
			messages[i].Outcome = chat.OutcomeOf(chat.Status(row.Status), false)
		}
		at[row.ID], ids = &messages[i], append(ids, row.ID)
	}
	if len(ids) == 0 {
		return messages, nil
	}
	records, err := chatstore.NewUsageRecords(s.store).Recorded(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	for i, row := range records { // the last attempt is the last
		at[row.MessageID].Record = &records[i].UsageRecord
	}
	rated, err := s.store.Client(ctx).Feedback.Query().Where(feedback.MessageIDIn(ids...), feedback.RatingNEQ(0)).All(ctx)
	for _, row := range rated {
		at[row.MessageID].Feedback = feedbackFromRow(row)
	}
	return messages, store.MapError(err)
}

func feedbackFromRow(row *ent.Feedback) *insight.Feedback {
	return &insight.Feedback{
		ChatbotID: row.ChatbotID, ConversationID: row.ConversationID, MessageID: row.MessageID, Rating: insight.Rating(row.Rating),
		Comment: row.Comment, GivenBy: row.GivenBy, UpdatedAt: row.UpdatedAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
}

// DeleteConversation deletes a conversation with its messages, feedback and gaps.
func (s *History) DeleteConversation(ctx context.Context, workspaceID, chatbotID string, id int64) error {
	ctx = scope.Workspace(ctx, workspaceID)
	return s.store.InTx(ctx, func(ctx context.Context) error {
		db := s.store.Client(ctx)
		query := db.Conversation.Query().Where(conversation.ID(id), conversation.ChatbotID(chatbotID))
		if !s.store.IsSQLite() {
			query = query.ForUpdate()
		}
		if _, err := query.Only(ctx); err != nil {
			return store.MapError(err)
		}
		busy, err := db.Message.Query().Where(message.ConversationID(id), message.Status(string(chat.Generating))).Exist(ctx)
		if err != nil {
			return store.MapError(err)
		}
		if busy {
			return fault.New(fault.Conflict, "An answer is being written in this conversation. Delete it when the answer has ended, or stop the answer first.").Named(fault.ConversationBusy)
		}
		if _, err := db.Feedback.Delete().Where(feedback.ConversationID(id)).Exec(ctx); err != nil {
			return store.MapError(err)
		}
		if _, err := db.Gap.Delete().Where(gap.ConversationID(id)).Exec(ctx); err != nil {
			return store.MapError(err)
		}
		return store.MapError(store.Affected(db.Conversation.Delete().Where(conversation.ID(id)).Exec(ctx)))
	})
}
