package store_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store"
	"parley/text/markdown"
)

const leased = 30 * time.Second

// turnModel is what the turns of a conversation are to do, without a database.
type turnModel struct {
	b            *bundle
	workspaceID  string
	chatbotID    string
	conversation int64
	title        string
	keys         int
	now          time.Time
	turns        []*modelTurn
}

type modelTurn struct {
	stored   turn.Stored
	asked    time.Time
	lease    time.Time
	stopping bool
	// key is its request's, if it had one, and title what it names its conversation
	// that has no title.
	key   *chat.Claiming
	title string
	// records are the answers with which attempts ended, by attempt.
	records map[int]turn.Answer
}

// TestTurnsAreAsTheirModel executes random operations on the turns of a
// conversation, some of them by processes that have been overtaken, and
// compares with the model after each.
func TestTurnsAreAsTheirModel(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		runs := 0
		rapid.Check(b.T, func(t *rapid.T) {
			runs++
			m := newTurnModel(t, b, runs)
			defer func() { must(t, b.DeleteWorkspace(b.Context(), m.workspaceID)) }()
			t.Repeat(map[string]func(*rapid.T){
				"":              m.check,
				"begin":         m.begin,
				"begin again":   m.beginAgain,
				"save progress": m.saveProgress,
				"finish":        m.finish,
				"ask to stop":   m.askToStop,
				"renew leases":  m.renew,
				"lapse":         m.lapse,
			})
		})
	})
}

func newTurnModel(t *rapid.T, b *bundle, run int) *turnModel {
	m := &turnModel{b: b, workspaceID: fmt.Sprint("ws_", run), chatbotID: fmt.Sprint("cb_", run), now: epoch}
	ctx := b.Context()
	must(t, b.CreateWorkspace(ctx, tenant.Workspace{ID: m.workspaceID, Plan: plan.Standard, CreatedAt: epoch}))
	must(t, b.CreateChatbot(ctx, m.workspaceID, chatbot.Chatbot{ID: m.chatbotID, CreatedAt: epoch}))
	made, err := b.CreateConversation(ctx, m.workspaceID, chat.Conversation{ChatbotID: m.chatbotID, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
	must(t, err)
	m.conversation = made.ID
	return m
}

// generating returns the turn that is being answered, if there is one.
func (m *turnModel) generating() *modelTurn {
	for _, asked := range m.turns {
		if asked.stored.Answer.Status == chat.Generating {
			return asked
		}
	}
	return nil
}

// some is a turn, most often the last, and an attempt at it, most often the
// current one.
func (m *turnModel) some(t *rapid.T) (asked *modelTurn, attempt int) {
	if len(m.turns) == 0 {
		t.Skip("there is no turn yet")
	}
	before := rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "turns before the last")
	asked = m.turns[max(len(m.turns)-1-before, 0)]
	return asked, asked.stored.Answer.Attempt - rapid.SampledFrom([]int{0, 0, 0, 1, -1}).Draw(t, "attempts ago")
}

// step is an operation that has been drawn: what the database does, and what the model does
// when that has ended.
type step struct {
	do     func() error
	settle func(t *rapid.T, err error)
	// key is the question's idempotency key, if it has one.
	key *chat.Claiming
}

func (s step) run(t *rapid.T) { s.settle(t, s.do()) }

func (m *turnModel) begin(t *rapid.T) { m.drawBegin(t).run(t) }

func (m *turnModel) drawBegin(t *rapid.T) step {
	question := rapid.SampledFrom([]string{"why?", "wie„?“"}).Draw(t, "question")
	asked := &modelTurn{asked: m.now, lease: m.now.Add(leased), records: map[int]turn.Answer{}}
	asked.stored = turn.Stored{ConversationID: m.conversation, Question: question}
	if rapid.Bool().Draw(t, "resumable") {
		asked.stored.Delivery = &turn.Delivery{
			Format: rapid.SampledFrom([]markdown.Format{markdown.Markdown, markdown.PlainText, markdown.HTML}).Draw(t, "format"), IDs: true,
			Usage: rapid.Bool().Draw(t, "usage"), Sources: rapid.Bool().Draw(t, "sources"),
		}
	}
	asked.title = rapid.SampledFrom([]string{"", "Why?", "Wie?"}).Draw(t, "title")
	if rapid.Bool().Draw(t, "with a key") {
		asked.key = m.newKey()
	}
	var id int64
	do := func() (err error) {
		id, _, err = m.b.BeginTurn(m.b.Context(), m.workspaceID, turn.Opening{
			ConversationID: m.conversation, Question: question, At: m.now, LeaseUntil: asked.lease, Month: thisMonth, Delivery: asked.stored.Delivery,
			Title: asked.title, Key: asked.key,
		})
		return err
	}
	return step{key: asked.key, do: do, settle: func(t *rapid.T, err error) {
		if m.generating() != nil {
			wantKind(t, err, fault.Conflict)
			m.isFree(t, asked.key)
			return
		}
		must(t, err)
		m.title = cmp.Or(m.title, asked.title)
		asked.stored.Answer = turn.Answer{MessageID: id, Attempt: 1, Status: chat.Generating}
		m.turns = append(m.turns, asked)
	}}
}

// newKey is one that no request had before.
func (m *turnModel) newKey() *chat.Claiming {
	m.keys++
	return &chat.Claiming{
		Key: chat.Key{TokenID: "tok_" + m.workspaceID, Route: "POST /chat", Value: fmt.Sprint(m.keys), BodyHash: "hash"}, Since: m.now.Add(-keysKept),
	}
}

// isFree fails unless a key stands for nothing.
func (m *turnModel) isFree(t *rapid.T, key *chat.Claiming) {
	if key != nil {
		_, err := m.b.Claimed(m.b.Context(), m.workspaceID, key.Key, key.Since)
		wantKind(t, err, fault.NotFound)
	}
}

func (m *turnModel) beginAgain(t *rapid.T) {
	asked, _ := m.some(t)
	a := &asked.stored.Answer
	attempt, err := m.b.BeginAgain(m.b.Context(), m.workspaceID, turn.Retry{
		ConversationID: m.conversation, AnswerID: a.MessageID, LeaseUntil: m.now.Add(leased), Month: thisMonth,
	})
	switch {
	case a.Status != chat.Interrupted && a.Status != chat.Failed:
		wantKind(t, err, fault.NotFound)
	case m.generating() != nil:
		wantKind(t, err, fault.Conflict)
	case asked != m.turns[len(m.turns)-1]:
		wantKind(t, err, fault.NotFound)
	default:
		must(t, err)
		*a = turn.Answer{MessageID: a.MessageID, Attempt: a.Attempt + 1, Status: chat.Generating}
		asked.lease = m.now.Add(leased)
		if attempt != a.Attempt {
			t.Fatalf("it is attempt %d, want %d", attempt, a.Attempt)
		}
	}
}

func (m *turnModel) saveProgress(t *rapid.T) {
	asked, attempt := m.some(t)
	text := rapid.SampledFrom([]string{"", "because", "weil „es“"}).Draw(t, "text")
	a := &asked.stored.Answer
	err := m.b.SaveProgress(m.b.Context(), m.workspaceID, a.MessageID, attempt, text)
	if a.Status != chat.Generating || attempt != a.Attempt {
		wantKind(t, err, fault.NotFound)
		return
	}
	must(t, err)
	a.Text = text
}

func (m *turnModel) finish(t *rapid.T) { m.drawFinish(t).run(t) }

func (m *turnModel) drawFinish(t *rapid.T) step {
	asked, attempt := m.some(t)
	end := m.drawEnd(t, asked, attempt)
	do := func() error { return m.b.FinishTurn(m.b.Context(), m.workspaceID, end) }
	return step{do: do, settle: func(t *rapid.T, err error) {
		a := &asked.stored.Answer
		if attempt != a.Attempt || a.Status != chat.Generating && a.Status != chat.Interrupted {
			wantKind(t, err, fault.NotFound)
			return
		}
		must(t, err)
		*a, asked.stopping, asked.records[attempt] = end, false, end
	}}
}

func (m *turnModel) drawEnd(t *rapid.T, asked *modelTurn, attempt int) turn.Answer {
	tokens := rapid.IntRange(0, 1000)
	end := turn.Answer{
		MessageID: asked.stored.Answer.MessageID, Attempt: attempt, Status: rapid.SampledFrom([]chat.Status{chat.Complete, chat.Interrupted, chat.Failed, chat.Stopped}).Draw(t, "status"),
		Answer: answer.Answer{
			Text:  rapid.SampledFrom([]string{"", "so", "„so“"}).Draw(t, "text"),
			Query: rapid.SampledFrom([]string{"", "why so?"}).Draw(t, "query"),
			Record: answer.UsageRecord{
				ChatbotID: m.chatbotID, Model: rapid.SampledFrom([]string{"", "m", "M"}).Draw(t, "model"), At: m.now, Passages: tokens.Draw(t, "passages"),
				Usage:      answer.Usage{PromptTokens: tokens.Draw(t, "prompt"), CompletionTokens: tokens.Draw(t, "completion"), Estimated: rapid.Bool().Draw(t, "estimated")},
				FirstToken: store.Milliseconds(int64(tokens.Draw(t, "first"))), Total: store.Milliseconds(int64(tokens.Draw(t, "total"))), Refuted: tokens.Draw(t, "refuted"),
				RerankTokens: tokens.Draw(t, "rerank"),
			},
		},
	}
	end.Outcome = chat.OutcomeOf(end.Status, rapid.Bool().Draw(t, "unknown"))
	for n := range rapid.IntRange(0, 2).Draw(t, "sources") {
		end.Citations = append(end.Citations, answer.Citation{Number: n + 1, Cited: rapid.Bool().Draw(t, "cited"), DocumentID: "doc_a", Title: "<„é“>", HeadingPath: []string{"h"}})
	}
	return end
}

func (m *turnModel) askToStop(t *rapid.T) {
	asked, _ := m.some(t)
	err := m.b.AskToStop(m.b.Context(), m.workspaceID, asked.stored.Answer.MessageID)
	if asked.stored.Answer.Status != chat.Generating {
		wantKind(t, err, fault.NotFound)
		return
	}
	must(t, err)
	asked.stopping = true
}

func (m *turnModel) renew(t *rapid.T) {
	asked, _ := m.some(t)
	must(t, m.b.RenewLeases(m.b.Context(), everywhere, []int64{asked.stored.Answer.MessageID}, m.now.Add(leased)))
	if asked.stored.Answer.Status == chat.Generating {
		asked.lease = m.now.Add(leased)
	}
}

// lapse lets time pass, and interrupts what was not renewed in it.
func (m *turnModel) lapse(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.SampledFrom([]int{10, 30, 31}).Draw(t, "seconds")) * time.Second)
	n, err := m.b.InterruptLapsed(m.b.Context(), everywhere, m.now, m.now, runes)
	must(t, err)
	asked := m.generating()
	if asked == nil || !asked.lease.Before(m.now) {
		if n != 0 {
			t.Fatalf("%d lapsed, want none", n)
		}
		return
	}
	if n != 1 {
		t.Fatalf("%d lapsed, want one", n)
	}
	a := &asked.stored.Answer
	a.Status, a.Outcome, asked.stopping = chat.Interrupted, chat.OutcomeInterrupted, false
	a.Record = answer.UsageRecord{
		ChatbotID: m.chatbotID, Usage: answer.Usage{CompletionTokens: runes(a.Text), Estimated: true}, Total: m.now.Sub(asked.asked), At: m.now,
	}
	asked.records[a.Attempt] = *a
}

func (m *turnModel) check(t *rapid.T) {
	ctx := m.b.Context()
	counted, spent, stops := 0, chat.Spent{}, []int64(nil)
	for i, asked := range m.turns {
		want := asked.stored
		want.Last = i == len(m.turns)-1
		got, err := m.b.Turn(ctx, m.workspaceID, m.conversation, want.Answer.MessageID)
		want.QuestionID = got.QuestionID
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("the turn is\n%+v, want\n%+v: %v", got, want, err)
		}
		if want.Answer.Status != chat.Failed {
			counted++
		}
		if asked.key != nil {
			claim, err := m.b.Claimed(ctx, m.workspaceID, asked.key.Key, asked.key.Since)
			if err != nil || claim != (chat.Claim{BodyHash: asked.key.BodyHash, ConversationID: m.conversation, AnswerID: want.Answer.MessageID, At: asked.asked}) {
				t.Fatalf("the key is tied to %+v: %v", claim, err)
			}
		}
		if asked.stopping {
			stops = append(stops, want.Answer.MessageID)
		}
		for _, end := range asked.records {
			spent = added(spent, chat.Spent{
				Answers: 1, PromptTokens: end.Record.Usage.PromptTokens, CompletionTokens: end.Record.Usage.CompletionTokens, Refuted: end.Record.Refuted,
			})
		}
	}
	if c, err := m.b.Conversation(ctx, m.workspaceID, m.chatbotID, m.conversation); err != nil || c.Title != m.title {
		t.Fatalf("the title is %q, want %q: %v", c.Title, m.title, err)
	}
	if n, err := m.b.MessagesOf(ctx, m.workspaceID, thisMonth); err != nil || n != counted {
		t.Fatalf("%d questions count, want %d: %v", n, counted, err)
	}
	if got, err := m.b.StopsAsked(ctx, everywhere); err != nil || !slices.Equal(got, stops) {
		t.Fatalf("to be stopped are %v, want %v: %v", got, stops, err)
	}
	sums, err := m.b.Spent(ctx, m.workspaceID, epoch)
	must(t, err)
	var sum chat.Spent
	for _, one := range sums {
		sum = added(sum, one)
	}
	if sum != spent {
		t.Fatalf("spent was %+v, want %+v", sum, spent)
	}
}

// added is the sum of what can be summed up.
func added(a, b chat.Spent) chat.Spent {
	return chat.Spent{
		Answers: a.Answers + b.Answers, PromptTokens: a.PromptTokens + b.PromptTokens,
		CompletionTokens: a.CompletionTokens + b.CompletionTokens, Refuted: a.Refuted + b.Refuted,
	}
}
