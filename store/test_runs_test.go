package store_test

import (
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight/testrun"
)

func TestResultsOfTestQuestions(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, ctx, month := b.fill("a"), b.Context(), "2026-03-playground"
		b.must(b.CreateTestQuestion(ctx, a.id, a.newQuestion("tq_failing")))
		failed := testrun.Result{RunID: a.run, QuestionID: "tq_failing", Outcome: chat.OutcomeFailed, Failure: "The model is away.", At: epoch}
		b.must(b.AddTestResult(ctx, a.id, a.newRun(a.run), failed))

		b.Run("a question counts, and one that got no answer is taken back", func(t *testing.T) {
			for _, want := range []int{1, 0} {
				if want == 1 {
					b.must(b.CountQuestion(ctx, a.id, month, false))
				} else {
					b.must(b.UncountQuestion(ctx, a.id, month))
				}
				if counted, err := b.MessagesOf(ctx, a.id, month); err != nil || counted != want {
					t.Errorf("there are %d, %v", counted, err)
				}
			}
		})
		b.Run("its result says why", func(t *testing.T) {
			results, err := b.TestResults(ctx, a.id, a.run, true)
			if err != nil || len(results) != 2 || !results[1].Failed() || results[1].Failure != "The model is away." {
				t.Errorf("the results are %+v, %v", results, err)
			}
		})
		b.Run("lists leave out what it cites", func(t *testing.T) {
			b.must(b.CreateTestQuestion(ctx, a.id, a.newQuestion("tq_citing")))
			citing := a.newResult()
			citing.QuestionID, citing.Citations = "tq_citing", []answer.Citation{{Number: 1, Cited: true, Title: "Hours"}}
			b.must(b.AddTestResult(ctx, a.id, a.newRun(a.run), citing))
			whole, err := b.TestResults(ctx, a.id, a.run, true)
			b.must(err)
			brief, err := b.TestResults(ctx, a.id, a.run, false)
			b.must(err)
			if n := len(whole); n != 3 || len(whole[2].Citations) != 1 || len(brief) != n || brief[2].Citations != nil || brief[2].Answer != whole[2].Answer {
				t.Errorf("whole they are %+v, in lists %+v", whole, brief)
			}
		})
		b.Run("a run is deleted with its results, and only in its workspace", func(t *testing.T) {
			b.must(b.DeleteTestRun(ctx, "ws_other", a.run))
			if results, err := b.TestResults(ctx, a.id, a.run, true); err != nil || len(results) != 3 {
				t.Errorf("another workspace leaves %+v, %v", results, err)
			}
			b.must(b.DeleteTestRun(ctx, a.id, a.run))
			if results, err := b.TestResults(ctx, a.id, a.run, true); err != nil || len(results) != 0 {
				t.Errorf("left are %+v, %v", results, err)
			}
		})
	})
}

func TestWhatRunsFollow(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, ctx := b.fill("a"), b.Context()
		bot, err := b.Chatbot(ctx, a.id, a.chatbot)
		b.must(err)
		settings := func() string {
			b.Helper()
			tested, err := b.Tested(ctx, everywhere)
			b.must(err)
			if len(tested) != 1 {
				b.Fatalf("tested are %+v", tested)
			}
			return tested[0].Settings
		}
		before := settings()

		b.Run("a welcome text or a time to keep conversations changes no answer", func(t *testing.T) {
			bot.Welcome, bot.RetentionDays = "Hello.", 7
			b.must(b.UpdateChatbot(ctx, a.id, a.chatbot, bot.Settings()))
			if now := settings(); now != before {
				t.Errorf("from %s to %s", before, now)
			}
		})
		b.Run("instructions do", func(t *testing.T) {
			bot.Instructions = "Be brief."
			b.must(b.UpdateChatbot(ctx, a.id, a.chatbot, bot.Settings()))
			if settings() == before {
				t.Error("nothing changed")
			}
		})
	})
}

func TestRemovedTestQuestions(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, ctx := b.fill("a"), b.Context()
		before, later := epoch.Add(-time.Second), epoch.Add(time.Second)
		listed := func() int {
			b.Helper()
			questions, err := b.TestQuestions(ctx, a.id, a.chatbot)
			b.must(err)
			return len(questions)
		}
		b.must(b.WithdrawTestQuestion(ctx, a.id, a.chatbot, a.question, epoch))

		b.Run("they are not listed, a chatbot without others has none to ask, and no result is added", func(t *testing.T) {
			tested, err := b.Tested(ctx, everywhere)
			if n := listed(); n != 0 || len(tested) != 0 || err != nil {
				t.Errorf("listed are %d, tested is %+v, %v", n, tested, err)
			}
			if err := b.AddTestResult(ctx, a.id, a.newRun(a.run), a.newResult()); !fault.Is(err, fault.Conflict) {
				t.Errorf("a result: %v", err)
			}
		})
		b.Run("whoever comes too late brings none back", func(t *testing.T) {
			_, err := b.WithdrawnTestQuestion(ctx, a.id, a.chatbot, a.question, epoch)
			if restored := b.RestoreTestQuestion(ctx, a.id, a.chatbot, a.question, epoch); !fault.Is(err, fault.NotFound) || !fault.Is(restored, fault.NotFound) {
				t.Errorf("found: %v, restored: %v", err, restored)
			}
		})
		b.Run("they stay until their time, and come back with their results", func(t *testing.T) {
			b.must(b.DeleteWithdrawn(ctx, everywhere, before))
			q, err := b.WithdrawnTestQuestion(ctx, a.id, a.chatbot, a.question, before)
			if err != nil || q.RemovedAt == nil || !q.RemovedAt.Equal(epoch) {
				t.Fatalf("there is %+v, %v", q, err)
			}
			b.must(b.RestoreTestQuestion(ctx, a.id, a.chatbot, a.question, before))
			b.must(b.DeleteWithdrawn(ctx, everywhere, later))
			results, err := b.TestResults(ctx, a.id, a.run, true)
			if n := listed(); err != nil || n != 1 || len(results) != 1 {
				t.Errorf("listed are %d, with %+v, %v", n, results, err)
			}
		})
		b.Run("then they go with their results, and only they", func(t *testing.T) {
			b.must(b.CreateTestQuestion(ctx, a.id, a.newQuestion("tq_more")))
			b.must(b.WithdrawTestQuestion(ctx, a.id, a.chatbot, a.question, epoch))
			b.must(b.DeleteWithdrawn(ctx, everywhere, epoch))
			results, err := b.TestResults(ctx, a.id, a.run, true)
			_, gone := b.WithdrawnTestQuestion(ctx, a.id, a.chatbot, a.question, before)
			if n := listed(); err != nil || n != 1 || len(results) != 0 || !fault.Is(gone, fault.NotFound) {
				t.Errorf("listed are %d, with %+v, %v, %v", n, results, err, gone)
			}
		})
	})
}
