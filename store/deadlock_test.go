package store_test

import (
	"context"
	"errors"
	"testing"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/insight/stats"
	"parley/ent/scope"
)

// whileDeleted runs two steps in one transaction. Between them another transaction
// begins to delete the chatbot, and waits: the second step must not wait for that.
func (b *bundle) whileDeleted(a tenancy, first, second func(ctx context.Context) error) {
	b.Helper()
	deleted := make(chan error, 1)
	b.must(b.InTx(b.Context(), func(ctx context.Context) error {
		if err := first(ctx); err != nil {
			return err
		}
		go func() { deleted <- b.DeleteChatbot(b.Context(), a.id, a.chatbot) }()
		b.waitUntilBlocked()
		return second(ctx)
	}))
	b.must(receive(b.T, "the chatbot is deleted", deleted))
}

func TestDeleteChatbotWhileItsStatisticsAreSummedUp(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		add := func(ctx context.Context, day string) error {
			return b.AddToDay(ctx, a.id, a.chatbot, stats.Day{Date: day, Questions: 1})
		}
		b.whileDeleted(a, func(ctx context.Context) error {
			if mine, err := b.LockRoll(ctx, everywhere, a.chatbot); err != nil || !mine {
				b.Errorf("the lock is mine: %v, %v", mine, err)
			}
			return add(ctx, "2026-03-01") // a row that the deletion deletes
		}, func(ctx context.Context) error {
			return add(ctx, "2026-03-02") // one that needs the chatbot
		})
	})
}

func TestDeleteChatbotWhileAMonthIsForgotten(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		forget := func(ctx context.Context) error {
			return b.ForgetMonth(ctx, a.id, a.chatbot, epoch.AddDate(0, 0, 1-epoch.Day()), epoch.AddDate(0, 1, 1-epoch.Day()))
		}
		b.whileDeleted(a, forget, func(ctx context.Context) error {
			return b.AddToDay(ctx, a.id, a.chatbot, stats.Day{Date: "2026-03-02", Questions: 1})
		})
	})
}

func TestDeleteChatbotWhileAnAnswerIsRated(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		conversationID, answerID := b.asked(a, "guest", chat.Answered, epoch, chat.API)
		b.whileDeleted(a, func(ctx context.Context) error {
			_, err := b.RatedAnswer(ctx, a.id, a.chatbot, answerID)
			return err
		}, func(ctx context.Context) error {
			given, missing := a.newFeedback(), a.newGap()
			given.ConversationID, given.MessageID = conversationID, answerID
			missing.ConversationID, missing.MessageID = conversationID, answerID
			return errors.Join(b.SaveFeedback(ctx, a.id, given), b.AddGap(ctx, a.id, missing))
		})
	})
}

func TestDeleteChatbotWhileARunIsStored(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		b.must(b.CreateTestQuestion(b.Context(), a.id, a.newQuestion("another")))
		b.whileDeleted(a, func(ctx context.Context) error {
			result := a.newResult()
			result.QuestionID = "another"
			return b.AddTestResult(ctx, a.id, a.newRun(a.run), result)
		}, func(ctx context.Context) error {
			return b.UpdateTestRun(ctx, a.id, a.newRun(a.run))
		})
	})
}

func TestDeleteChatbotWhileOldRunsAreDeleted(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		b.whileDeleted(a, func(ctx context.Context) error {
			return b.TrimTestRuns(ctx, a.id, a.chatbot, 0)
		}, func(ctx context.Context) error {
			return b.CreateTestRun(ctx, a.id, a.newRun("another"))
		})
	})
}

// The roller has locked one chatbot of a workspace and wants another, while the
// workspace is being deleted. A SQLite file has one writer.
func TestDeleteWorkspaceWhileItsChatbotsAreKept(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	a := b.fill("a")
	const earlier = "bot" // in the order of ids, but later in the table
	b.must(b.CreateChatbot(b.Context(), a.id, chatbot.Chatbot{ID: earlier, CreatedAt: epoch}))
	deleted := make(chan error, 1)
	b.must(b.InTx(b.Context(), func(ctx context.Context) error {
		if err := b.Store.KeepChatbots(scope.Workspace(ctx, a.id), earlier); err != nil {
			return err
		}
		go func() { deleted <- b.DeleteWorkspace(b.Context(), a.id) }()
		b.waitUntilBlocked()
		return b.InTx(b.Context(), func(ctx context.Context) error {
			_, err := b.LockRoll(ctx, everywhere, earlier, a.chatbot)
			return err
		})
	}))
	b.must(receive(b.T, "the workspace is deleted", deleted))
}
