package app

import (
	"context"
	"crypto/rand"
	"time"

	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/stats"
	"parley/core/insight/testrun"
	billingstore "parley/store/billing"
	chatstore "parley/store/chat"
	insightstore "parley/store/insight"
	"parley/store/people"
	"parley/web/page"
)

// Insight is what owners learn from conversations.
type Insight struct {
	page.Insight
	Roller *stats.Roller
}

// openInsight needs chats, chatbots and their knowledge.
func (p *Program) openInsight() {
	var embedder insight.Embedder
	if p.embedder != nil { // an interface that holds a nil interface would not be nil
		embedder = p.embedder
	}
	tests, months := insightstore.NewTestRuns(p.Store), chatstore.NewMonths(p.Store)
	asker := insight.NewAsker(insight.AskerConfig{Answers: p.Answers, Quota: p.Quota, Months: months, Now: p.now, Log: p.Log})
	p.Insight = Insight{Roller: stats.NewRoller(insightstore.NewRolls(p.Store), accesses.insight, p.now), Insight: page.Insight{
		Feedback: insight.NewFeedbacks(insightstore.NewFeedback(p.Store), p.Chat, p.now),
		Gaps:     insight.NewGaps(insightstore.NewGaps(p.Store), p.Knowledge.Documents, embedder, p.now),
		Asker:    asker,
		History:  history.New(insightstore.NewHistory(p.Store), p.Store, p.now),
		Reports:  stats.NewReports(insightstore.NewStats(p.Store), p.now),
		Tests: testrun.New(testrun.Ports{
			Transactions: tests, Questions: tests, Removals: insightstore.NewWithdrawnTests(p.Store), Runs: tests, Due: tests, System: accesses.tests, Chatbots: p.Chatbots, Asker: asker,
			Budget:  testrun.Months{Quota: p.Quota, Workspaces: people.NewWorkspaces(p.Store), Plans: billingstore.NewPlans(p.Store), Used: months, Now: p.now},
			Program: p.version,
		}, p.now, rand.Reader, p.Log),
	}}
	p.Insight.Roller.Subscribe(p.events())
}

// RebuildStats makes the statistics again from the rows, from the month of a day
// on, and returns how many months of chatbots there were.
func (p *Program) RebuildStats(ctx context.Context, since time.Time) (int, error) {
	return p.Insight.Roller.Rebuild(ctx, insightstore.NewRolls(p.Store), since)
}
