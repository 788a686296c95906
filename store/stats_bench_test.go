package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/insight/history"
	"parley/core/insight/stats"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/ent/scope"
	"parley/internal/pgtest"
	"parley/store"
	"parley/store/bots"
	chatstore "parley/store/chat"
	insightstore "parley/store/insight"
	"parley/store/people"
)

// BenchmarkReport draws a year of a million questions, beside the year before of as
// many: some 2,740 a day, of 500 users, about 2,000 topics in 400 documents, of which
// few are asked for often. It also draws 90 days, whose ends are in no whole month.
func BenchmarkReport(b *testing.B) {
	for name, url := range map[string]string{"sqlite": store.SQLiteScheme + filepath.Join(b.TempDir(), "parley.db"), "postgres": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			last := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
			twoYears(b, s, last)
			reports := stats.NewReports(insightstore.NewStats(s), func() time.Time { return last })
			for _, days := range []int{365, 90, 7} {
				b.Run(fmt.Sprint(days, " days"), func(b *testing.B) {
					for b.Loop() {
						report, err := reports.Read(b.Context(), "ws", "cb", reports.Last(days))
						if err != nil || report.Total.Questions != days*questionsADay || len(report.Topics) == 0 {
							b.Fatal(report.Total.Questions, err)
						}
					}
				})
			}
		})
	}
}

const (
	questionsADay = 2_740
	rolledAtOnce  = 685
)

// twoYears fills the sums of the days until the last one, as the roller does.
func twoYears(b *testing.B, s *store.Store, last time.Time) {
	b.Helper()
	ctx := b.Context()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	must(people.NewWorkspaces(s).CreateWorkspace(ctx, tenant.Workspace{ID: "ws", Plan: plan.Standard, CreatedAt: epoch}))
	must(bots.NewChatbots(s).CreateChatbot(ctx, "ws", chatbot.Chatbot{ID: "cb", CreatedAt: epoch}))
	random := rand.New(rand.NewPCG(1, 2))
	topics, documents := rand.NewZipf(random, 1.1, 5, 1_999), rand.NewZipf(random, 1.1, 5, 399)
	rolls := insightstore.NewRolls(s)
	for day := last.AddDate(-2, 0, 0); !day.After(last); day = day.AddDate(0, 0, 1) {
		date := day.Format(time.DateOnly)
		must(s.InTx(ctx, func(ctx context.Context) error {
			for range questionsADay / rolledAtOnce {
				sum := stats.Day{Date: date, Conversations: 300, Questions: rolledAtOnce, Answered: 550, NoAnswer: 100, Failed: 10, Stopped: 25, PromptTokens: 90_000, CompletionTokens: 9_000}
				cited, about := map[string]int{}, map[string]int{}
				for range rolledAtOnce {
					sum.Users.Add(fmt.Sprint("user ", random.IntN(500)))
					sum.FirstText.Observe(time.Duration(random.IntN(3_000)) * time.Millisecond)
					sum.Hours[random.IntN(24)]++
					cited[fmt.Sprint("doc_", documents.Uint64())]++
					about[fmt.Sprint("A document of the help pages › Heading number ", topics.Uint64())]++
				}
				if err := rolls.AddToDay(ctx, "ws", "cb", sum); err != nil {
					return err
				}
				for _, period := range []string{date, date[:7]} {
					keep := 150
					if period == date {
						keep = 50
					}
					if err := rolls.AddToTally(ctx, "ws", "cb", stats.Tally{Period: period, Kind: stats.Documents, Answers: cited}, keep); err != nil {
						return err
					}
					if err := rolls.AddToTally(ctx, "ws", "cb", stats.Tally{Period: period, Kind: stats.Topics, Answers: about}, keep); err != nil {
						return err
					}
				}
			}
			return nil
		}))
	}
}

// BenchmarkHistory lists conversations among 10,000: all, those with a rare outcome,
// and those with a word in their title that none has.
func BenchmarkHistory(b *testing.B) {
	for name, url := range map[string]string{"sqlite": store.SQLiteScheme + filepath.Join(b.TempDir(), "parley.db"), "postgres": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			manyConversations(b, s, 10_000)
			h := history.New(insightstore.NewHistory(s), s, time.Now)
			for _, c := range []struct {
				name  string
				query history.Query
				found int
			}{
				{"all", history.Query{}, 30},
				{"without an answer", history.Query{Outcome: chat.NoAnswer}, 20},
				{"no such title", history.Query{Text: "nowhere"}, 0},
			} {
				b.Run(c.name, func(b *testing.B) {
					for b.Loop() {
						page, err := h.List(b.Context(), "ws", "cb", c.query)
						if err != nil || len(page.Conversations) != c.found {
							b.Fatal(len(page.Conversations), err)
						}
					}
				})
			}
		})
	}
}

func manyConversations(b *testing.B, s *store.Store, n int) {
	b.Helper()
	ctx := b.Context()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	must(people.NewWorkspaces(s).CreateWorkspace(ctx, tenant.Workspace{ID: "ws", Plan: plan.Standard, CreatedAt: epoch}))
	must(bots.NewChatbots(s).CreateChatbot(ctx, "ws", chatbot.Chatbot{ID: "cb", CreatedAt: epoch}))
	must(s.InTx(ctx, func(ctx context.Context) error {
		for i := range n {
			made, err := chatstore.NewConversations(s).CreateConversation(ctx, "ws", chat.Conversation{
				ChatbotID: "cb", Status: chat.Active, Origin: chat.API, Title: fmt.Sprint("How do I change order ", i, "?"), CreatedAt: epoch.Add(time.Duration(i) * time.Minute),
			})
			if err != nil {
				return err
			}
			outcome := "answered"
			if i%500 == 0 {
				outcome = "no_answer"
			}
			_, err = s.Raw(ctx).ExecContext(scope.System(ctx, everywhere), `INSERT INTO usage_records (workspace_id, chatbot_id, message_id, attempt, status, outcome, conversation_id, opens, origin, counted, created_at)
				VALUES ($1, $2, $3, 1, 'complete', $4, $5, TRUE, 'api', TRUE, $6)`, "ws", "cb", made.ID, outcome, made.ID, epoch)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}
