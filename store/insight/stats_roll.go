package insight

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight/stats"
	"parley/core/system"
	"parley/ent/generated/feedback"
	"parley/ent/scope"
	"parley/store"
	chatstore "parley/store/chat"
	"parley/store/citation"
)

// Rolls keeps the sums of days up to date.
type Rolls struct{ store *store.Store }

// NewRolls returns the rolls of a database.
func NewRolls(db *store.Store) *Rolls { return &Rolls{db} }

var _ stats.RebuildStore = (*Rolls)(nil)

// InTx runs fn in one transaction; calls inside it join.
func (s *Rolls) InTx(ctx context.Context, fn func(context.Context) error) error {
	return s.store.InTx(ctx, fn)
}

const lockRoll = `SELECT pg_try_advisory_xact_lock(hashtextextended('parley stats', 0))`

// LockRoll lets one roller at a time change sums until the transaction ends, and
// keeps its chatbots until then. A SQLite file has one writer anyway.
func (s *Rolls) LockRoll(ctx context.Context, access system.Access, chatbotIDs ...string) (mine bool, err error) {
	if s.store.IsSQLite() {
		return true, nil
	}
	if err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&mine}, lockRoll); err != nil || !mine {
		return mine, store.MapError(err)
	}
	return true, s.store.KeepChatbots(scope.System(ctx, access), chatbotIDs...)
}

// uncounted has the condition of the partial index receipt_to_count. A usage
// record outlives its message and its chatbot. One from before the conversation was kept
// with it says nothing about what it opens.
const uncounted = `SELECT r.id, r.workspace_id, r.chatbot_id, r.origin <> 'playground' AND b.id IS NOT NULL, COALESCE(m.conversation_id, r.conversation_id), r.message_id, r.attempt,
	r.opens OR r.conversation_id = 0 AND m.id IS NOT NULL AND NOT EXISTS (
		SELECT 1 FROM messages e WHERE e.conversation_id = m.conversation_id AND e.id < m.id AND e.role = 'assistant'),
	r.outcome, r.status, COALESCE(c.external_user_id, ''), r.prompt_tokens, r.completion_tokens, r.first_token_ms,
	COALESCE(m.sources, ''), r.created_at
	FROM usage_records r LEFT JOIN chatbots b ON b.id = r.chatbot_id AND b.workspace_id = r.workspace_id
	LEFT JOIN messages m ON m.id = r.message_id AND m.workspace_id = r.workspace_id
	LEFT JOIN conversations c ON c.id = m.conversation_id
	WHERE NOT r.counted AND (r.outcome <> 'interrupted' OR r.created_at < $2) ORDER BY r.id LIMIT $1`

// Uncounted returns the oldest records, of any workspace, that are not counted. It leaves
// out records of interrupted answers unless they are from before interruptedBefore.
func (s *Rolls) Uncounted(ctx context.Context, access system.Access, interruptedBefore time.Time, limit int) (found []stats.Record, err error) {
	rows, err := s.store.Raw(ctx).QueryContext(scope.System(ctx, access), uncounted, limit, interruptedBefore)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r stats.Record
		var status, sources string
		var first int64
		err := rows.Scan(&r.ID, &r.WorkspaceID, &r.ChatbotID, &r.Counts, &r.ConversationID, &r.MessageID, &r.Attempt, &r.Opens, &r.Outcome, &status,
			&r.ExternalUserID, &r.PromptTokens, &r.CompletionTokens, &first, &sources, &r.At)
		if err != nil {
			return nil, store.MapError(err)
		}
		r.FirstText = store.Milliseconds(first)
		if r.Outcome == "" { // from before outcomes were kept
			r.Outcome = chat.OutcomeOf(chat.Status(status), false)
		}
		r.Citations = citation.CitedIn(sources)
		found = append(found, r)
	}
	return found, store.MapError(rows.Err())
}

// addToUsage adds usage records, of any workspace, to the sums of their months: see
// [UsageRecords.Spent].
const (
	addToUsageSQLite   = addToUsage + `substr(created_at, 1, 7)` + addedUsage
	addToUsagePostgres = addToUsage + `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM')` + addedUsage

	addToUsage = `INSERT INTO usage_sums (workspace_id, chatbot_id, model, status, answers, estimated, prompt_tokens, completion_tokens, refuted,
	first_token_ms, first_tokens, total_ms, totals, month) SELECT workspace_id, ` + chatstore.UsageSums + `, `
	addedUsage = ` FROM usage_records WHERE id IN %s GROUP BY workspace_id, chatbot_id, model, status, 14
	ON CONFLICT (workspace_id, month, chatbot_id, model, status) DO UPDATE SET answers = usage_sums.answers + excluded.answers,
	estimated = usage_sums.estimated + excluded.estimated, prompt_tokens = usage_sums.prompt_tokens + excluded.prompt_tokens,
	completion_tokens = usage_sums.completion_tokens + excluded.completion_tokens, refuted = usage_sums.refuted + excluded.refuted,
	first_token_ms = usage_sums.first_token_ms + excluded.first_token_ms, first_tokens = usage_sums.first_tokens + excluded.first_tokens,
	total_ms = usage_sums.total_ms + excluded.total_ms, totals = usage_sums.totals + excluded.totals`
)

const markCounted = `UPDATE usage_records SET counted = TRUE WHERE NOT counted AND id IN `

// CountRecords marks records of any workspace as counted, and adds them to the sums of
// their months. The caller rolls back if some were counted before.
func (s *Rolls) CountRecords(ctx context.Context, access system.Access, ids []int64) (n int, err error) {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	statement := addToUsageSQLite
	if !s.store.IsSQLite() {
		statement = addToUsagePostgres
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		// First, so that who deletes the workspace waits for the sums, or was before them.
		ctx = scope.System(ctx, access)
		marked, err := s.store.Affects(ctx, markCounted+store.Placeholders(1, len(args)), args...)
		if n = int(marked); err != nil || n != len(ids) {
			return store.MapError(err)
		}
		return s.store.Run(ctx, fmt.Sprintf(statement, store.Placeholders(1, len(args))), args...)
	})
	return n, err
}

// uncountedThumbs has the condition of the partial index feedback_to_count.
const uncountedThumbs = `SELECT f.id, f.workspace_id, f.chatbot_id, c.id IS NULL OR c.origin <> 'playground', f.rating, f.counted, f.created_at
	FROM feedbacks f LEFT JOIN conversations c ON c.id = f.conversation_id
	WHERE f.rating <> f.counted ORDER BY f.id LIMIT $1`

// UncountedThumbs returns feedback, of any workspace, whose rating is not counted.
func (s *Rolls) UncountedThumbs(ctx context.Context, access system.Access, limit int) (found []stats.Thumb, err error) {
	rows, err := s.store.Raw(ctx).QueryContext(scope.System(ctx, access), uncountedThumbs, limit)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	for rows.Next() {
		var t stats.Thumb
		var at time.Time
		if err := rows.Scan(&t.ID, &t.WorkspaceID, &t.ChatbotID, &t.Counts, &t.Rating, &t.Counted, &at); err != nil {
			return nil, store.MapError(err)
		}
		t.Date = at.UTC().Format(time.DateOnly)
		found = append(found, t)
	}
	return found, store.MapError(rows.Err())
}

// CountThumb makes the rating of a thumb the counted one.
func (s *Rolls) CountThumb(ctx context.Context, t stats.Thumb) (bool, error) {
	n, err := s.store.Client(ctx).Feedback.Update().Where(feedback.ID(t.ID), feedback.Rating(t.Rating), feedback.Counted(t.Counted)).
		SetCounted(t.Rating).Save(scope.Workspace(ctx, t.WorkspaceID))
	return n > 0, store.MapError(err)
}

const (
	dayOf  = selectDays + ` AND day = $3`
	setDay = `INSERT INTO daily_stats (workspace_id, chatbot_id, day, conversations, questions, answered, no_answer, failed, stopped, thumbs_up, thumbs_down,
	prompt_tokens, completion_tokens, first_text, hours, users) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
	ON CONFLICT (chatbot_id, day) DO UPDATE SET conversations = excluded.conversations, questions = excluded.questions, answered = excluded.answered,
	no_answer = excluded.no_answer, failed = excluded.failed, stopped = excluded.stopped, thumbs_up = excluded.thumbs_up, thumbs_down = excluded.thumbs_down,
	prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens, first_text = excluded.first_text, hours = excluded.hours,
	users = excluded.users WHERE daily_stats.workspace_id = excluded.workspace_id`
)

// AddToDay adds to the sums of a chatbot's day, which nobody else changes: see
// LockRoll.
func (s *Rolls) AddToDay(ctx context.Context, workspaceID, chatbotID string, more stats.Day) error {
	ctx = scope.Workspace(ctx, workspaceID)
	var day stats.Day
	err := store.ScanOne(ctx, s.store.Raw(ctx), intoDay(&day), dayOf, workspaceID, chatbotID, more.Date)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return store.MapError(err)
	}
	day.Date = more.Date
	day.Add(&more)
	firstText, _ := json.Marshal(day.FirstText) // never fails for numbers
	hours, _ := json.Marshal(day.Hours)
	_, err = s.store.Raw(ctx).ExecContext(ctx, setDay, workspaceID, chatbotID, day.Date, day.Conversations, day.Questions, day.Answered, day.NoAnswer, day.Failed, day.Stopped,
		day.ThumbsUp, day.ThumbsDown, day.PromptTokens, day.CompletionTokens, json.RawMessage(firstText), json.RawMessage(hours), []byte(day.Users))
	return store.MapError(err)
}

const (
	addTally  = `INSERT INTO daily_counts (workspace_id, chatbot_id, day, kind, name, answers) VALUES `
	moreTally = ` ON CONFLICT (chatbot_id, day, kind, name) DO UPDATE SET answers = daily_counts.answers + excluded.answers
	WHERE daily_counts.workspace_id = excluded.workspace_id`
	countTally = `SELECT COUNT(*) FROM daily_counts WHERE workspace_id = $1 AND chatbot_id = $2 AND day = $3 AND kind = $4`
	trimTally  = `DELETE FROM daily_counts WHERE workspace_id = $1 AND chatbot_id = $2 AND day = $3 AND kind = $4 AND id NOT IN (
	SELECT id FROM daily_counts WHERE workspace_id = $1 AND chatbot_id = $2 AND day = $3 AND kind = $4 ORDER BY answers DESC, id LIMIT $5)`
)

// AddToTally adds to the counts of a period, and lets go of the rarest names when
// there are more than twice as many as are kept.
func (s *Rolls) AddToTally(ctx context.Context, workspaceID, chatbotID string, more stats.Tally, keep int) error {
	ctx = scope.Workspace(ctx, workspaceID)
	names := slices.Sorted(maps.Keys(more.Answers))
	rows, args := make([]string, len(names)), make([]any, 0, 6*len(names))
	for i, name := range names {
		rows[i] = store.Placeholders(6*i+1, 6)
		args = append(args, workspaceID, chatbotID, more.Period, more.Kind, name, more.Answers[name])
	}
	if _, err := s.store.Raw(ctx).ExecContext(ctx, addTally+strings.Join(rows, ",")+moreTally, args...); err != nil {
		return store.MapError(err)
	}
	var n int
	if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, countTally, workspaceID, chatbotID, more.Period, more.Kind); err != nil {
		return store.MapError(err)
	}
	if n <= 2*keep {
		return nil
	}
	_, err := s.store.Raw(ctx).ExecContext(ctx, trimTally, workspaceID, chatbotID, more.Period, more.Kind, keep)
	return store.MapError(err)
}

const (
	addGaps = `INSERT INTO gaps (workspace_id, chatbot_id, conversation_id, message_id, question, reason, state, document_id, created_at)
	SELECT a.workspace_id, c.chatbot_id, a.conversation_id, a.id, q.content, 'no_answer', 'open', '', a.created_at
	FROM messages a JOIN conversations c ON c.id = a.conversation_id
	JOIN messages q ON q.id = (SELECT MAX(id) FROM messages WHERE conversation_id = a.conversation_id AND id < a.id AND role = 'user')
	WHERE q.content <> '' AND a.workspace_id = $1 AND a.id IN `
	// A conversation that is just being deleted is waited for: its gaps go with it.
	keepConversations = ` FOR KEY SHARE OF c`
	unlessAGap        = ` ON CONFLICT (message_id) DO NOTHING`
)

// AddGaps makes gaps of answers, unless they have one or are gone.
func (s *Rolls) AddGaps(ctx context.Context, workspaceID string, answerIDs []int64) error {
	ctx = scope.Workspace(ctx, workspaceID)
	args := []any{workspaceID}
	for _, id := range answerIDs {
		args = append(args, id)
	}
	statement := addGaps + store.Placeholders(2, len(answerIDs))
	if !s.store.IsSQLite() {
		statement += keepConversations
	}
	_, err := s.store.Raw(ctx).ExecContext(ctx, statement+unlessAGap, args...)
	return store.MapError(err)
}

// recordedMonths takes the beginnings of times: both databases write them alike.
const (
	recordedMonthsSQLite   = `SELECT DISTINCT r.workspace_id, r.chatbot_id, substr(r.created_at, 1, 7) FROM usage_records r JOIN chatbots b ON b.id = r.chatbot_id WHERE r.created_at >= $1 ORDER BY 3, 2`
	recordedMonthsPostgres = `SELECT DISTINCT r.workspace_id, r.chatbot_id, to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM') FROM usage_records r JOIN chatbots b ON b.id = r.chatbot_id WHERE r.created_at >= $1 ORDER BY 3, 2`
)

// RecordedMonths returns the months in which chatbots have usage records.
func (s *Rolls) RecordedMonths(ctx context.Context, access system.Access, since time.Time) (found []stats.ChatbotMonth, err error) {
	statement := recordedMonthsSQLite
	if !s.store.IsSQLite() {
		statement = recordedMonthsPostgres
	}
	since = time.Date(since.Year(), since.Month(), 1, 0, 0, 0, 0, time.UTC)
	rows, err := s.store.Raw(ctx).QueryContext(scope.System(ctx, access), statement, since)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	for rows.Next() {
		var m stats.ChatbotMonth
		var month string
		if err := rows.Scan(&m.WorkspaceID, &m.ChatbotID, &month); err != nil {
			return nil, store.MapError(err)
		}
		if m.From, err = time.Parse("2006-01", month); err != nil {
			return nil, fmt.Errorf("a usage record is of %q: %w", month, err)
		}
		found = append(found, m)
	}
	return found, store.MapError(rows.Err())
}

const (
	forgetStats = `DELETE FROM daily_stats WHERE workspace_id = $1 AND chatbot_id = $2 AND day LIKE $3`
	// This also deletes the counts of the whole month, whose day is just "2026-11".
	forgetCounts       = `DELETE FROM daily_counts WHERE workspace_id = $1 AND chatbot_id = $2 AND day LIKE $3`
	forgetUsage        = `DELETE FROM usage_sums WHERE workspace_id = $1 AND chatbot_id = $2 AND month LIKE $3`
	forgetUsageRecords = `UPDATE usage_records SET counted = FALSE WHERE workspace_id = $1 AND chatbot_id = $2 AND created_at >= $3 AND created_at < $4 AND counted`
	forgetThumbs       = `UPDATE feedbacks SET counted = 0 WHERE workspace_id = $1 AND chatbot_id = $2 AND created_at >= $3 AND created_at < $4 AND counted <> 0`
)

// ForgetMonth deletes the sums of a chatbot's month. Its rows are to be counted
// again.
func (s *Rolls) ForgetMonth(ctx context.Context, workspaceID, chatbotID string, from, to time.Time) error {
	ctx = scope.Workspace(ctx, workspaceID)
	if err := s.store.KeepChatbots(ctx, chatbotID); err != nil {
		return err
	}
	month := from.Format("2006-01") + "%"
	for _, statement := range []string{forgetStats, forgetCounts, forgetUsage} {
		if _, err := s.store.Raw(ctx).ExecContext(ctx, statement, workspaceID, chatbotID, month); err != nil {
			return store.MapError(err)
		}
	}
	for _, statement := range []string{forgetUsageRecords, forgetThumbs} {
		if _, err := s.store.Raw(ctx).ExecContext(ctx, statement, workspaceID, chatbotID, from, to); err != nil {
			return store.MapError(err)
		}
	}
	return nil
}
