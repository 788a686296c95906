package store_test

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/stats"
)

// methodsOfInsight read and change what owners learn from conversations.
var methodsOfInsight = []confined{
	{"RatedAnswer", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.RatedAnswer(ctx, as, a.chatbot, a.answered)
	}},
	{"ListedConversations", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, _, err := s.ListedConversations(ctx, as, a.chatbot, history.Query{Limit: 10})
		return secretIf(a, slices.ContainsFunc(found, func(c history.Summary) bool { return c.ID == a.rated })), err
	}},
	{"ListedConversation", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		found, err := s.ListedConversation(ctx, as, a.chatbot, a.rated)
		return secretIf(a, found.ID == a.rated), err
	}},
	{"ThreadMessages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		messages, _, err := s.ThreadMessages(ctx, as, a.rated, 0, history.Most{Messages: 10})
		return messages, err
	}},
	{"ThreadMessagesAfter", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		messages, _, err := s.ThreadMessagesAfter(ctx, as, a.rated, 0, history.Most{Messages: 10})
		return messages, err
	}},
	{"Gaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ofGaps.Gaps(ctx, as, a.chatbot, insight.Open, 10)
	}},
	{"Gap", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Gap(ctx, as, a.chatbot, a.answered)
	}},
	{"CountGaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		n, err := s.CountGaps(ctx, as, a.chatbot)
		return secretIf(a, n > 0), err
	}},
	{"Asked", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		asked, _, err := s.Asked(ctx, as, a.chatbot)
		return secretIf(a, asked), err
	}},
	{"Days", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		days, err := s.Days(ctx, as, a.chatbot, "2026-01-01", "2026-12-31")
		return secretIf(a, len(days) > 0), err
	}},
	{"Tops", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Tops(ctx, as, a.chatbot, stats.Topics, []string{"2026-03-01"}, 10)
	}},
	{"SaveFeedback", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		changed := a.newFeedback()
		changed.Comment = "another"
		return nil, s.SaveFeedback(ctx, as, changed)
	}},
	{"DropGap", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error { return s.DropGap(ctx, as, a.answered, insight.Disliked) })
	}},
	{"AddGap", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error { return s.AddGap(ctx, as, a.newGap()) })
	}},
	{"AddGaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		if as != a.id {
			return nil, s.InTx(ctx, func(ctx context.Context) error { return s.AddGaps(ctx, as, []int64{a.answered}) })
		}
		err := s.InTx(ctx, func(ctx context.Context) error { return s.DropGap(ctx, a.id, a.answered, insight.Disliked) })
		if err != nil {
			return nil, err
		}
		err = s.InTx(ctx, func(ctx context.Context) error { return s.AddGaps(ctx, as, []int64{a.answered}) })
		found, missing := s.Gap(ctx, as, a.chatbot, a.answered)
		return found, errors.Join(err, missing)
	}},
	{"SettleGaps", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		gaps, err := s.ofGaps.Gaps(ctx, a.id, a.chatbot, insight.Open, 10)
		if err != nil {
			return nil, err
		}
		_, err = s.SettleGaps(ctx, as, a.chatbot, []int64{gaps[0].ID}, insight.Answered, a.document, epoch)
		return nil, err
	}},
	{"AddToDay", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error {
			return s.AddToDay(ctx, as, a.chatbot, stats.Day{Date: "2026-03-01", Questions: 1})
		})
	}},
	{"AddToTally", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.InTx(ctx, func(ctx context.Context) error { return s.AddToTally(ctx, as, a.chatbot, a.newTally(), 10) })
	}},
	{"ForgetMonth", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		return nil, s.InTx(ctx, func(ctx context.Context) error {
			return s.ForgetMonth(ctx, as, a.chatbot, march, march.AddDate(0, 1, 0))
		})
	}},
	{"TestQuestions", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.TestQuestions(ctx, as, a.chatbot)
	}},
	{"TestRuns", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.ofTestRuns.TestRuns(ctx, as, a.chatbot, 10)
	}},
	{"TestResults", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.TestResults(ctx, as, a.run, true)
	}},
	{"CreateTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateTestQuestion(ctx, as, a.newQuestion("tq_more_"+as))
	}},
	{"CreateTestRun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateTestRun(ctx, as, a.newRun("tr_more_"+as))
	}},
	{"UpdateTestRun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		run := a.newRun(a.run)
		run.Passed = 7
		return nil, s.UpdateTestRun(ctx, as, run)
	}},
	{"UpdateTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		changed := a.newQuestion(a.question)
		changed.Reference = "another"
		return nil, s.UpdateTestQuestion(ctx, as, changed)
	}},
	{"AddTestResult", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.AddTestResult(ctx, as, a.newRun(a.run), a.newResult())
	}},
	{"CancelTestRun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CancelTestRun(ctx, as, a.chatbot, a.run, epoch)
	}},
	{"AnsweredFrom", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		version, documents, err := s.AnsweredFrom(ctx, as, a.chatbot)
		return secretIf(a, version != "" || documents > 0), err
	}},
	{"DeleteTestRun", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteTestRun(ctx, as, a.run)
	}},
	{"TrimTestRuns", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.TrimTestRuns(ctx, as, a.chatbot, 0)
	}},
	{"WithdrawTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.WithdrawTestQuestion(ctx, as, a.chatbot, a.question, epoch)
	}},
	{"WithdrawnTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.WithdrawnTestQuestion(ctx, as, a.chatbot, a.question, epoch.Add(-time.Second))
	}},
	{"RestoreTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.RestoreTestQuestion(ctx, as, a.chatbot, a.question, epoch.Add(-time.Second))
	}},
	{"DeleteTestQuestion", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteTestQuestion(ctx, as, a.chatbot, a.question)
	}},
}
