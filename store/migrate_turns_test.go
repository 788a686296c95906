package store_test

import (
	"reflect"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/store"
	chatstore "parley/store/chat"
	knowledgestore "parley/store/knowledge"
)

// fromBeforeUsageRecords are the rows of a database whose answers kept their own
// usage.
var fromBeforeUsageRecords = []string{
	"INSERT INTO workspaces (id, name, plan, granted_plan, kept_days, created_at) VALUES ('ws_a', 'a', 'premium', 'premium', 0, '2026-03-01 12:00:00+00:00')",
	"INSERT INTO chatbots (id, name, image_hosts, created_at, workspace_id) VALUES ('cb_a', 'a', '[]', '2026-03-01 12:00:00+00:00', 'ws_a')",
	"INSERT INTO conversations (id, chatbot_id, external_user_id, status, created_at, workspace_id) VALUES (5, 'cb_a', '', 'active', '2026-03-01 12:00:00+00:00', 'ws_a')",
	"INSERT INTO messages (id, workspace_id, role, content, status, model, prompt_tokens, completion_tokens, usage_estimated, document_ids, lease_until, created_at, conversation_id) VALUES" +
		" (10, 'ws_a', 'user', 'one?', 'complete', '', 0, 0, false, '', NULL, '2026-03-01 12:00:00+00:00', 5)," +
		" (11, 'ws_a', 'assistant', 'one', 'complete', 'm', 100, 20, false, ' doc_a ', NULL, '2026-03-01 12:00:00+00:00', 5)," +
		" (12, 'ws_a', 'user', 'two?', 'complete', '', 0, 0, false, '', NULL, '2026-03-01 12:00:00+00:00', 5)," +
		" (13, 'ws_a', 'assistant', '', 'failed', 'm', 30, 0, true, '', NULL, '2026-03-01 12:00:00+00:00', 5)," +
		" (14, 'ws_a', 'user', 'three?', 'complete', '', 0, 0, false, '', NULL, '2026-03-01 12:00:00+00:00', 5)," +
		" (15, 'ws_a', 'assistant', '', 'generating', '', 0, 0, false, '', '2026-03-01 12:00:30+00:00', '2026-03-01 12:00:00+00:00', 5)",
	"INSERT INTO usages (workspace_id, month, shard, messages) VALUES ('ws_a', '2026-03', 0, 2)",
}

func TestADatabaseFromBeforeUsageRecords(t *testing.T) {
	onBothTargets(t, func(to *target) {
		to.before("20261121200405_durable_turns.sql")
		to.exec(fromBeforeUsageRecords...)
		s, err := store.Open(to.Context(), to.url)
		to.must(err)
		defer s.Close()
		b := &bundle{T: to.T, everything: allOf(s), url: to.url}
		ctx := to.Context()
		record := func(prompt, completion int, estimated bool) answer.UsageRecord {
			usage := answer.Usage{PromptTokens: prompt, CompletionTokens: completion, Estimated: estimated}
			return answer.UsageRecord{ChatbotID: "cb_a", Model: "m", Usage: usage, At: epoch}
		}

		to.Run("the cost of answers that have ended is in usage records", func(t *testing.T) {
			got, err := chatstore.NewUsageRecords(s).Spent(ctx, "ws_a", epoch)
			want := []chat.Spent{
				{ChatbotID: "cb_a", Model: "m", Status: chat.Complete, Answers: 1, PromptTokens: 100, CompletionTokens: 20},
				{ChatbotID: "cb_a", Model: "m", Status: chat.Failed, Answers: 1, Estimated: 1, PromptTokens: 30},
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v: %v", got, want, err)
			}
		})
		to.Run("turns are as they were, at their first attempt", func(t *testing.T) {
			for _, want := range []turn.Stored{
				{QuestionID: 10, Question: "one?", Answer: turn.Answer{MessageID: 11, Status: chat.Complete, Answer: answer.Answer{Text: "one", Record: record(100, 20, false)}}},
				{QuestionID: 12, Question: "two?", Answer: turn.Answer{MessageID: 13, Status: chat.Failed, Answer: answer.Answer{Record: record(30, 0, true)}}},
				{QuestionID: 14, Question: "three?", Last: true, Answer: turn.Answer{MessageID: 15, Status: chat.Generating}},
			} {
				want.ConversationID, want.Answer.Attempt = 5, 1
				if got, err := chatstore.NewTurns(s).Turn(ctx, "ws_a", 5, want.Answer.MessageID); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, want %+v: %v", got, want, err)
				}
			}
		})
		to.Run("one that was being generated lapses and is begun again", func(t *testing.T) {
			if n, err := chatstore.NewLeases(s).InterruptLapsed(ctx, everywhere, epoch.Add(time.Hour), epoch.Add(time.Hour), runes); err != nil || n != 1 {
				t.Fatalf("%d lapsed: %v", n, err)
			}
			again := turn.Retry{ConversationID: 5, AnswerID: 15, LeaseUntil: epoch, Month: thisMonth}
			if attempt, err := chatstore.NewTurns(s).BeginAgain(ctx, "ws_a", again); err != nil || attempt != 2 {
				t.Errorf("it is attempt %d: %v", attempt, err)
			}
			b.wantMessages("ws_a", thisMonth, 2)
		})
		to.Run("what was given to answers is still known", func(t *testing.T) {
			if n, ids, err := knowledgestore.NewRemovals(s).AnswersFrom(ctx, "ws_a", "cb_a", "doc_a", 10); n != 1 || err != nil || ids[0] != 11 {
				t.Errorf("%v were given it: %v", ids, err)
			}
		})
	})
}
