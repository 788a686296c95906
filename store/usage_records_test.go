package store_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/ent/scope"
	"parley/store"
)

// lapsedTogether is how many lapsed answers are interrupted together.
const lapsedTogether = 500

func TestSpent(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b") // with a usage record of epoch each
		ctx := b.Context()
		const march, april, may = 0, 1, 2 // epoch is in March
		month := func(n int) time.Time {
			return time.Date(epoch.Year(), epoch.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		}
		conversation := chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}
		end := func(status chat.Status, record answer.UsageRecord) int64 {
			_, answered, err := b.BeginConversation(ctx, a.id, conversation, a.newTurn())
			b.must(err)
			b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: answered, Attempt: 1, Status: status, Answer: answer.Answer{Record: record}}))
			return answered
		}
		wantSpent := func(t *testing.T, at time.Time, want ...chat.Spent) {
			t.Helper()
			if got, err := b.Spent(ctx, a.id, at); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("spent was\n%+v, want\n%+v: %v", got, want, err)
			}
		}
		usage := func(prompt, completion int, estimated bool) answer.Usage {
			return answer.Usage{PromptTokens: prompt, CompletionTokens: completion, Estimated: estimated}
		}

		inApril := []chat.Spent{
			{ChatbotID: "cb_Z", Model: "a", Status: chat.Complete, Answers: 1},
			{ChatbotID: a.chatbot, Model: "M", Status: chat.Complete, Answers: 1, PromptTokens: 1, CompletionTokens: 1},
			{
				ChatbotID: a.chatbot, Model: "m", Status: chat.Complete, Answers: 2, Estimated: 1, PromptTokens: 150, CompletionTokens: 15, Refuted: 3,
				FirstToken: 200500 * time.Microsecond, Total: 1500 * time.Millisecond,
			},
			{ChatbotID: a.chatbot, Model: "m", Status: chat.Failed, Answers: 1, PromptTokens: 7, Total: 3 * time.Second},
		}

		b.Run("usage records of a chatbot, a model and a status are one sum", func(t *testing.T) {
			end(chat.Complete, answer.UsageRecord{
				ChatbotID: a.chatbot, Model: "m", Usage: usage(100, 10, false), FirstToken: 100 * time.Millisecond, Total: time.Second, Refuted: 1, At: month(april),
			})
			end(chat.Complete, answer.UsageRecord{
				ChatbotID: a.chatbot, Model: "m", Usage: usage(50, 5, true), FirstToken: 301 * time.Millisecond, Total: 2 * time.Second, Refuted: 2, At: month(may).Add(-time.Microsecond),
			})
			end(chat.Failed, answer.UsageRecord{ChatbotID: a.chatbot, Model: "m", Usage: usage(7, 0, false), Total: 3 * time.Second, At: month(may).Add(-time.Microsecond)})
			end(chat.Complete, answer.UsageRecord{ChatbotID: a.chatbot, Model: "M", Usage: usage(1, 1, false), At: month(may).Add(-time.Microsecond)})
			end(chat.Complete, answer.UsageRecord{ChatbotID: "cb_Z", Model: "a", At: month(may).Add(-time.Microsecond)})
			wantSpent(t, month(april), inApril...)
			wantSpent(t, month(may).Add(-time.Microsecond), inApril...)
			wantSpent(t, month(may))
		})
		b.Run("it is the same while some of them, and once all of them are counted", func(t *testing.T) {
			records, err := b.Uncounted(ctx, everywhere, month(may), 100)
			b.must(err)
			for i := range records {
				if n, err := b.CountRecords(ctx, everywhere, []int64{records[i].ID}); n != 1 || err != nil {
					t.Fatalf("%d are counted: %v", n, err)
				}
				wantSpent(t, month(april), inApril...)
			}
			if n := b.count("SELECT count(*) FROM usage_sums WHERE workspace_id = '" + a.id + "' AND month = '2026-04'"); n != len(inApril) {
				t.Errorf("there are %d sums", n)
			}
			if n, err := b.CountRecords(ctx, everywhere, []int64{records[0].ID}); n != 0 || err != nil {
				t.Errorf("%d are counted again: %v", n, err)
			}
			wantSpent(t, month(april), inApril...)
		})
		b.Run("a month that is forgotten is counted again, and the same", func(t *testing.T) {
			b.must(b.InTx(ctx, func(ctx context.Context) error {
				return b.ForgetMonth(ctx, a.id, a.chatbot, month(april), month(may))
			}))
			wantSpent(t, month(april), inApril...)
			records, err := b.Uncounted(ctx, everywhere, month(may), 100)
			b.must(err)
			ids := make([]int64, len(records))
			for i := range records {
				ids[i] = records[i].ID
			}
			if n, err := b.CountRecords(ctx, everywhere, ids); n != len(inApril) || err != nil {
				t.Errorf("%d are counted: %v", n, err)
			}
			wantSpent(t, month(april), inApril...)
		})
		b.Run("a usage record outlives its conversation and its chatbot", func(t *testing.T) {
			b.must(b.DeleteChatbot(ctx, a.id, a.chatbot))
			wantSpent(t, month(april), inApril...)
		})
		b.Run("but not its workspace", func(t *testing.T) {
			b.must(b.DeleteWorkspace(ctx, a.id))
			wantSpent(t, month(march))
			wantSpent(t, month(april))
			if got, err := b.Spent(ctx, other.id, month(march)); err != nil || len(got) != 1 {
				t.Errorf("another's are %+v, %v", got, err)
			}
		})
	})
}

func TestUsageRecordsOfLapsedAnswers(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with an answer that is being generated
		ctx := b.Context()
		now := epoch.Add(time.Minute)
		b.must(b.SaveProgress(ctx, a.id, a.answer, 1, "half an ä"))
		lapsed := turn.Stored{
			ConversationID: a.conversation, Question: a.secret, Last: true,
			Answer: turn.Answer{
				MessageID: a.answer, Attempt: 1, Status: chat.Interrupted, Outcome: chat.OutcomeInterrupted,
				Answer: answer.Answer{
					Text:   "half an ä",
					Record: answer.UsageRecord{ChatbotID: a.chatbot, Usage: answer.Usage{CompletionTokens: 9, Estimated: true}, Total: time.Minute, At: now},
				},
			},
		}

		b.Run("one whose process died keeps the saved text, and has a usage record", func(t *testing.T) {
			if n, err := b.InterruptLapsed(ctx, everywhere, now, now, runes); err != nil || n != 1 {
				t.Fatalf("%d lapsed: %v", n, err)
			}
			b.wantTurn(t, a.id, a.conversation, a.answer, lapsed)
		})
		b.Run("it lapses once", func(t *testing.T) {
			before := b.rows(a.id)
			if n, err := b.InterruptLapsed(ctx, everywhere, now, now, runes); err != nil || n != 0 || b.rows(a.id) != before {
				t.Errorf("%d lapsed: %v", n, err)
			}
		})
		b.Run("a later end of the attempt replaces that usage record", func(t *testing.T) {
			whole := a.wholeAnswer(a.answer, 1)
			b.must(b.FinishTurn(ctx, a.id, whole))
			lapsed.Answer = whole
			b.wantTurn(t, a.id, a.conversation, a.answer, lapsed)
			if n := b.count(fmt.Sprint("SELECT count(*) FROM usage_records WHERE message_id = ", a.answer)); n != 1 {
				t.Errorf("there are %d usage records", n)
			}
			b.wantKind(b.FinishTurn(ctx, a.id, whole), fault.NotFound)
		})
		b.Run("more than are looked at at once lapse too", func(t *testing.T) {
			conversation := chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}
			b.must(b.InTx(ctx, func(ctx context.Context) error {
				for range lapsedTogether + 1 {
					if _, _, err := b.BeginConversation(ctx, a.id, conversation, a.newTurn()); err != nil {
						return err
					}
				}
				return nil
			}))
			if n, err := b.InterruptLapsed(ctx, everywhere, now, now, runes); err != nil || n != lapsedTogether+1 {
				t.Errorf("%d lapsed: %v", n, err)
			}
			if n := b.count("SELECT count(*) FROM messages WHERE status = 'generating'"); n != 0 {
				t.Errorf("%d are being generated", n)
			}
			if n := b.count("SELECT count(*) FROM usage_records WHERE status = 'interrupted'"); n != lapsedTogether+1 {
				t.Errorf("there are %d usage records", n)
			}
		})
	})
}

// TestTheOldNameOfUsageRecords is for servers of the release before, which work until
// they are replaced: the table was called receipts.
func TestTheOldNameOfUsageRecords(t *testing.T) {
	t.Parallel()
	to := postgresTarget(t) // a SQLite file has one server
	to.before("20261128140000_usage_records.sql")
	b := openBundle(to.T, to.url)
	a, other := b.fill("a"), b.fill("b")
	_, id, err := b.BeginConversation(b.Context(), a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, a.newTurn())
	b.must(err)
	seen := func(workspaceID string) (n int) {
		ctx := scope.Workspace(b.Context(), workspaceID)
		b.must(store.ScanOne(ctx, b.Raw(ctx), []any{&n}, "SELECT count(*) FROM receipts"))
		return n
	}
	mine, theirs := seen(a.id), seen(other.id)
	b.Run("an answer that such a server ends has its usage record", func(t *testing.T) {
		for range 2 {
			b.must(b.Hits(scope.Workspace(t.Context(), a.id), `INSERT INTO receipts (message_id, workspace_id, attempt, status, chatbot_id, created_at) VALUES ($1, $2, 1, 'complete', $3, $4)
				ON CONFLICT (message_id, attempt) DO UPDATE SET status = excluded.status`, id, a.id, a.chatbot, epoch))
		}
		if n := b.count(fmt.Sprint("SELECT count(*) FROM usage_records WHERE message_id = ", id)); n != 1 {
			t.Errorf("there are %d usage records", n)
		}
	})
	b.Run("such a server sees those of the workspace that it declares alone", func(t *testing.T) {
		if seen(a.id) != mine+1 || seen(other.id) != theirs || mine == 0 {
			t.Errorf("one workspace sees %d records and had %d, another sees %d and had %d", seen(a.id), mine, seen(other.id), theirs)
		}
	})
	b.Run("such a server counts records", func(t *testing.T) {
		ok, err := b.Changes(scope.Workspace(t.Context(), a.id), "UPDATE receipts SET counted = TRUE WHERE NOT counted")
		if b.must(err); !ok {
			t.Error("no record was counted")
		}
	})
}
