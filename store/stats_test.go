package store_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/stats"
	"parley/core/insight/testrun"
	insightstore "parley/store/insight"
)

var quietLog = slog.New(slog.NewTextHandler(io.Discard, nil))

func atEpoch() time.Time { return epoch }

// asked stores an answered question of a conversation of its own.
func (b *bundle) asked(a tenancy, user string, outcome chat.Outcome, at time.Time, origin chat.Origin) (conversationID, answerID int64) {
	b.Helper()
	ctx := b.Context()
	c, answerID, err := b.BeginConversation(ctx, a.id, chat.Conversation{
		ChatbotID: a.chatbot, ExternalUserID: user, Status: chat.Active, Origin: origin, BegunBy: a.user, Title: "A question", CreatedAt: at,
	}, turn.Opening{Question: "A question of " + user, At: at, LeaseUntil: at, Month: thisMonth})
	b.must(err)
	b.must(b.FinishTurn(ctx, a.id, turn.Answer{
		MessageID: answerID, Attempt: 1, Status: chat.Complete, Outcome: outcome, ConversationID: c.ID, Opens: true, Origin: origin,
		Answer: answer.Answer{
			Text:      "An answer",
			Citations: []answer.Citation{{Number: 1, Cited: outcome == chat.Answered, DocumentID: a.document, Title: "Hours", HeadingPath: []string{"Hours", "Sunday"}}},
			Record:    answer.UsageRecord{ChatbotID: a.chatbot, Usage: answer.Usage{PromptTokens: 10, CompletionTokens: 1}, FirstToken: time.Second, At: at},
		},
	}))
	return c.ID, answerID
}

func (b *bundle) total(a tenancy) stats.Report {
	b.Helper()
	r, err := stats.ParseRange("2026-02-15", "2026-03-15")
	b.must(err)
	report, err := stats.NewReports(b.ofStats, func() time.Time { return epoch }).Read(b.Context(), a.id, a.chatbot, r)
	b.must(err)
	return report
}

func TestRollCountsOnce(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		roller := stats.NewRoller(b.ofRolls, everywhere, atEpoch)
		b.must(roller.Roll(ctx)) // what fill has left
		before := b.total(a)
		const questions = 450
		for i := range questions {
			outcome := chat.Answered
			if i%10 == 0 {
				outcome = chat.NoAnswer
			}
			b.asked(a, fmt.Sprint("user ", i%20), outcome, epoch.AddDate(0, 0, i%3), chat.API)
		}
		b.asked(a, "me", chat.NoAnswer, epoch, chat.Playground)

		// Several roll at the same time, and each dies in the middle of some of its
		// transactions.
		var all sync.WaitGroup
		for seed := range 4 {
			all.Go(func() {
				dying := stats.NewRoller(&dyingRolls{Rolls: b.ofRolls, every: 3 + seed}, everywhere, atEpoch)
				for range 30 {
					if err := dying.Roll(ctx); err != nil && !fault.Is(err, fault.Internal) && !fault.Is(err, fault.Unavailable) {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		b.must(roller.Roll(ctx))
		after := b.total(a)
		if n := after.Total.Questions - before.Total.Questions; n != questions {
			b.Errorf("%d questions are counted, want %d", n, questions)
		}
		if n := after.Total.Conversations - before.Total.Conversations; n != questions {
			b.Errorf("%d conversations are counted", n)
		}
		if n := after.Total.NoAnswer - before.Total.NoAnswer; n != questions/10 {
			b.Errorf("%d have no answer", n)
		}
		if n := after.Total.Users(); n != 20 {
			b.Errorf("%d users are counted", n)
		}
		if want := []stats.Top{{Name: a.document, Title: a.secret, Answers: questions * 9 / 10}}; !reflect.DeepEqual(after.Documents, want) && after.Documents[0].Answers < questions*9/10 {
			b.Errorf("the documents are %+v, want %+v", after.Documents, want)
		}
		if gaps, err := b.CountGaps(ctx, a.id, a.chatbot); err != nil || gaps != questions/10+1 { // one of fill
			b.Errorf("there are %d gaps, %v", gaps, err)
		}
		if left, err := b.Uncounted(ctx, everywhere, epoch, 10); err != nil || len(left) != 0 {
			b.Errorf("%d are left, %v", len(left), err)
		}

		b.Run("they can be made again from the rows", func(t *testing.T) {
			months, err := roller.Rebuild(ctx, b.ofRolls, epoch.AddDate(0, -2, 0))
			if err != nil || months != 1 {
				t.Fatalf("%d months, %v", months, err)
			}
			again := b.total(a)
			// What fill has put there by hand is not in the rows.
			if n := after.Total.Questions - again.Total.Questions; n != 1 {
				t.Errorf("%d questions, before %d", again.Total.Questions, after.Total.Questions)
			}
			if again.Total.Users() != after.Total.Users() || !reflect.DeepEqual(again.Documents, after.Documents) || again.Total.FirstText != after.Total.FirstText {
				t.Errorf("they are %+v, before %+v", again, after)
			}
		})
	})
}

func TestAnAnswerThatEndsAfterItsLeaseIsCountedOnce(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		at := epoch
		roller := stats.NewRoller(b.ofRolls, everywhere, func() time.Time { return at })
		b.must(roller.Roll(ctx))
		before := b.total(a).Total
		ask := func() (answerID int64, end func(chat.Status, chat.Outcome)) {
			c, answerID, err := b.BeginConversation(ctx, a.id, chat.Conversation{
				ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, BegunBy: a.user, Title: "A question", CreatedAt: epoch,
			}, turn.Opening{Question: "A question", At: epoch, LeaseUntil: epoch, Month: thisMonth})
			b.must(err)
			return answerID, func(status chat.Status, outcome chat.Outcome) {
				b.Helper()
				b.must(b.FinishTurn(ctx, a.id, turn.Answer{
					MessageID: answerID, Attempt: 1, Status: status, Outcome: outcome, ConversationID: c.ID, Opens: true, Origin: chat.API,
					Answer: answer.Answer{Record: answer.UsageRecord{ChatbotID: a.chatbot, Usage: answer.Usage{PromptTokens: 7}, At: epoch}},
				}))
			}
		}
		late, endLate := ask()
		_, endLost := ask()
		endLost(chat.Interrupted, chat.OutcomeInterrupted)
		if n, err := b.InterruptLapsed(ctx, everywhere, epoch.Add(time.Minute), epoch, func(string) int { return 0 }); err != nil || n == 0 {
			b.Fatalf("%d are interrupted, %v", n, err)
		}
		b.must(roller.Roll(ctx))
		endLate(chat.Complete, chat.Answered) // its process was alive
		b.must(roller.Roll(ctx))
		if got := b.total(a).Total; got.Answered-before.Answered != 1 || got.Stopped != before.Stopped || got.PromptTokens-before.PromptTokens != 7 {
			b.Errorf("answer %d is counted as %d answered, %d stopped, %d tokens", late, got.Answered-before.Answered, got.Stopped-before.Stopped, got.PromptTokens-before.PromptTokens)
		}
		at = epoch.Add(2 * time.Hour) // nobody replaces the others any more
		b.must(roller.Roll(ctx))
		got := b.total(a).Total
		if got.Questions-before.Questions < 2 || got.Answered-before.Answered != 1 || got.Stopped-before.Stopped != got.Questions-before.Questions-1 {
			b.Errorf("in the end %d questions are counted, %d answered, %d stopped", got.Questions-before.Questions, got.Answered-before.Answered, got.Stopped-before.Stopped)
		}
	})
}

// dyingRolls breaks transactions off.
type dyingRolls struct {
	*insightstore.Rolls
	every, calls int
}

func (d *dyingRolls) AddToDay(ctx context.Context, workspaceID, chatbotID string, more stats.Day) error {
	if err := d.Rolls.AddToDay(ctx, workspaceID, chatbotID, more); err != nil {
		return err
	}
	if d.calls++; d.calls%d.every != 0 {
		return fault.New(fault.Unavailable, "The process died.")
	}
	return nil
}

func TestThumbsAreCountedAsTheyChange(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		roller := stats.NewRoller(b.ofRolls, everywhere, atEpoch)
		b.must(roller.Roll(ctx)) // with the thumb down of fill
		conversation, answered := b.asked(a, "ann", chat.Answered, epoch, chat.API)
		mine, tried := b.asked(a, "", chat.Answered, epoch, chat.Playground)
		rate := func(conversation, message int64, rating insight.Rating, at time.Time) {
			b.must(b.SaveFeedback(ctx, a.id, insight.Feedback{
				ChatbotID: a.chatbot, ConversationID: conversation, MessageID: message, Rating: rating, UpdatedAt: at, CreatedAt: at,
			}))
		}
		for _, step := range []struct {
			rating   insight.Rating
			up, down int
		}{{insight.ThumbUp, 1, 1}, {insight.ThumbDown, 0, 2}, {insight.Unrated, 0, 1}, {insight.ThumbUp, 1, 1}} {
			rate(conversation, answered, step.rating, epoch.AddDate(0, 0, 2))
			rate(mine, tried, step.rating, epoch)
			b.must(roller.Roll(ctx))
			b.must(roller.Roll(ctx))
			if total := b.total(a).Total; total.ThumbsUp != step.up || total.ThumbsDown != step.down {
				b.Errorf("after %d there are %d up and %d down", step.rating, total.ThumbsUp, total.ThumbsDown)
			}
		}
	})
}

func TestTallyKeepsTheMostFrequent(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		for round := range 8 {
			answers := map[string]int{"Returns": 10, "Shipping": 5}
			for i := range 15 {
				answers[fmt.Sprint("Rare ", round, " ", i)] = 1
			}
			b.must(b.Store.InTx(ctx, func(ctx context.Context) error {
				return b.AddToTally(ctx, a.id, a.chatbot, stats.Tally{Period: "2026-04-01", Kind: stats.Topics, Answers: answers}, 10)
			}))
		}
		tops, err := b.Tops(ctx, a.id, a.chatbot, stats.Topics, []string{"2026-04-01"}, 2)
		if want := []stats.Top{{Name: "Returns", Answers: 80}, {Name: "Shipping", Answers: 40}}; err != nil || !reflect.DeepEqual(tops, want) {
			b.Errorf("the first are %+v, %v", tops, err)
		}
		if n := b.count("SELECT count(*) FROM daily_counts WHERE day = '2026-04-01'"); n > 20 {
			b.Errorf("%d are kept", n)
		}
	})
}

func TestAskedOutlivesConversations(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		bot := chatbot.Chatbot{ID: "cb_new", Name: "New", CreatedAt: epoch}
		b.must(b.CreateChatbot(ctx, a.id, bot))
		want := func(workspaceID string, asked, byAPI bool) {
			b.Helper()
			gotAsked, gotByAPI, err := b.Asked(ctx, workspaceID, bot.ID)
			b.must(err)
			if gotAsked != asked || gotByAPI != byAPI {
				b.Errorf("asked %t, by the API %t", gotAsked, gotByAPI)
			}
		}
		want(a.id, false, false)
		a.chatbot = bot.ID
		b.asked(a, "", chat.Answered, epoch, chat.Playground)
		want(a.id, true, false)
		conversation, _ := b.asked(a, "ann", chat.NoAnswer, epoch, chat.API)
		want(a.id, true, true)
		b.must(stats.NewRoller(b.ofRolls, everywhere, atEpoch).Roll(ctx))
		b.must(b.DeleteConversation(ctx, a.id, a.chatbot, conversation))
		want(a.id, true, true)
		want(other.id, false, false)
	})
}

func TestHistoryChoosesConversations(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		h := history.New(b.ofHistory, b.Store, func() time.Time { return epoch })
		b.must(b.DeleteConversation(ctx, a.id, a.chatbot, a.rated))
		day := func(n int) time.Time { return epoch.AddDate(0, 0, n) }
		ann, _ := b.asked(a, "ann", chat.Answered, day(1), chat.API)
		bob, bobs := b.asked(a, "bob", chat.NoAnswer, day(2), chat.API)
		mine, _ := b.asked(a, "", chat.Answered, day(3), chat.Playground)
		b.must(b.SaveFeedback(ctx, a.id, insight.Feedback{ChatbotID: a.chatbot, ConversationID: bob, MessageID: bobs, Rating: insight.ThumbDown, UpdatedAt: epoch, CreatedAt: epoch}))
		for name, c := range map[string]struct {
			query history.Query
			want  []int64
		}{
			"all but the playground":      {history.Query{From: day(1)}, []int64{bob, ann}},
			"of an external user":         {history.Query{ExternalUserID: "ann"}, []int64{ann}},
			"with an outcome":             {history.Query{Outcome: chat.NoAnswer}, []int64{bob}},
			"with a thumb down":           {history.Query{Rating: insight.ThumbDown}, []int64{bob}},
			"with a thumb up":             {history.Query{Rating: insight.ThumbUp}, nil},
			"of days":                     {history.Query{From: day(1).Truncate(24 * time.Hour), To: day(1).Truncate(24 * time.Hour)}, []int64{ann}},
			"by a word of the title":      {history.Query{Text: "QUESTION", From: day(1)}, []int64{bob, ann}},
			"by what is no pattern":       {history.Query{Text: "%"}, nil},
			"of the own playground":       {history.Query{Origin: chat.Playground, Viewer: a.user}, []int64{mine}},
			"of somebody's playground":    {history.Query{Origin: chat.Playground, Viewer: "usr_other"}, nil},
			"of a token that began none":  {history.Query{TokenID: "tok_other"}, nil},
			"before the last of the page": {history.Query{Before: bob, From: day(1)}, []int64{ann}},
		} {
			page, err := h.List(ctx, a.id, a.chatbot, c.query)
			var got []int64
			for _, found := range page.Conversations {
				got = append(got, found.ID)
			}
			if err != nil || !reflect.DeepEqual(got, c.want) || page.Next != 0 {
				b.Errorf("%s: %v, want %v; next %d, %v", name, got, c.want, page.Next, err)
			}
		}
		page, err := h.List(ctx, a.id, a.chatbot, history.Query{Limit: 1})
		if err != nil || len(page.Conversations) != 1 || page.Next != bob {
			b.Errorf("the first page is %+v, %v", page, err)
		}
		if c := page.Conversations[0]; c.Outcome != chat.NoAnswer || c.ThumbsDown != 1 || c.Title != "A question" {
			b.Errorf("the conversation is %+v", c)
		}
		thread, err := h.Thread(ctx, a.id, a.chatbot, "", bob, 0)
		if err != nil || len(thread.Messages) != 2 || thread.Messages[1].Record.Usage.PromptTokens != 10 || thread.Messages[1].Feedback == nil {
			b.Errorf("the thread is %+v, %v", thread, err)
		}
		if _, err := h.Thread(ctx, a.id, a.chatbot, "usr_other", mine, 0); !fault.Is(err, fault.NotFound) {
			b.Errorf("another's playground: %v", err)
		}
		b.must(h.Delete(ctx, a.id, a.chatbot, a.user, bob))
		if n := b.count(fmt.Sprint("SELECT count(*) FROM feedbacks WHERE conversation_id = ", bob)); n != 0 {
			b.Errorf("%d thumbs are left", n)
		}
		if err := h.Delete(ctx, a.id, a.chatbot, a.user, bob); !fault.Is(err, fault.NotFound) {
			b.Errorf("deleted twice: %v", err)
		}
		if err := h.Delete(ctx, a.id, a.chatbot, a.user, a.conversation); !fault.Is(err, fault.Conflict) {
			b.Errorf("deleted while an answer is written: %v", err)
		}
	})
}

func TestRetentionTakesWhatWasThoughtOfAnswers(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		if n, err := b.DeleteOldConversations(b.Context(), a.id, time.Time{}, epoch.Add(time.Hour), 10); err != nil || n == 0 {
			b.Fatalf("%d were deleted, %v", n, err)
		}
		for _, table := range []string{"feedbacks", "gaps"} {
			if n := b.count("SELECT count(*) FROM " + table + " WHERE workspace_id = '" + a.id + "'"); n != 0 {
				b.Errorf("%d of %s are left", n, table)
			}
			if n := b.count("SELECT count(*) FROM " + table + " WHERE workspace_id = '" + other.id + "'"); n != 1 {
				b.Errorf("%d of another workspace's %s are left", n, table)
			}
		}
	})
}

func TestTestRunsAreClaimedOnce(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		if _, err := b.ClaimTestRun(ctx, everywhere, epoch, epoch.Add(time.Minute)); !fault.Is(err, fault.NotFound) {
			b.Errorf("one that is not due: %v", err)
		}
		run := a.newRun(a.run)
		run.DueAt = &epoch
		b.must(b.UpdateTestRun(ctx, a.id, run))
		claimed := make(chan testrun.Run, 8)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if run, err := b.ClaimTestRun(ctx, everywhere, epoch, epoch.Add(time.Minute)); err == nil {
					claimed <- run
				} else if !fault.Is(err, fault.NotFound) {
					b.Error(err)
				}
			})
		}
		all.Wait()
		if len(claimed) != 1 {
			b.Fatalf("it was claimed %d times", len(claimed))
		}
		if run := <-claimed; run.ID != a.run || run.State != testrun.Running {
			b.Errorf("claimed was %+v", run)
		}
		if _, err := b.ClaimTestRun(ctx, everywhere, epoch.Add(2*time.Minute), epoch.Add(3*time.Minute)); err != nil {
			b.Errorf("when its process has died: %v", err)
		}
		tested, err := b.Tested(ctx, everywhere)
		if err != nil || len(tested) != 1 || tested[0].ChatbotID != a.chatbot || tested[0].Settings == "" {
			b.Errorf("tested are %+v, %v", tested, err)
		}
	})
}
