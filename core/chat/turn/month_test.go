package turn_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/system/grant"
	"parley/core/tenant"
	"parley/store"
	"parley/store/bots"
	chatstore "parley/store/chat"
	"parley/store/people"
	"parley/store/ports"
	"parley/store/storetest"
)

const (
	home    = "ws_home"
	foreign = "ws_foreign"
)

// rig is the service over a real database, with a clock.
type rig struct {
	*testing.T
	*turn.Service
	db       *store.Store
	searches *searches
	model    *model
	now      time.Time
}

// prepared is a database with two workspaces and a chatbot in each.
var prepared = storetest.NewTemplate(func(ctx context.Context, db *store.Store) error {
	return errors.Join(addWorkspace(ctx, db, home, plan.Standard), addWorkspace(ctx, db, foreign, plan.Standard))
})

// addWorkspace adds one with a chatbot.
func addWorkspace(ctx context.Context, db *store.Store, id string, name plan.Name) error {
	err := people.NewWorkspaces(db).CreateWorkspace(ctx, tenant.Workspace{ID: id, Plan: name, Granted: name, CreatedAt: noon})
	if err != nil {
		return err
	}
	return bots.NewChatbots(db).CreateChatbot(ctx, id, chatbot.Chatbot{ID: "cb_" + id, Name: "Guide", CreatedAt: noon})
}

// noon is when the clock of a rig starts.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newRig(t *testing.T) *rig {
	t.Helper()
	db := prepared.Open(t)
	r := &rig{T: t, db: db, searches: &searches{}, model: &model{}, now: noon}
	r.Service = r.over(db)
	return r
}

// over is the service over a database.
func (r *rig) over(db *store.Store) *turn.Service {
	return open(db, r.searches, r.model, func() time.Time { return r.now })
}

// open returns the services over a database.
func open(db *store.Store, searcher answer.Searcher, model answer.Model, now func() time.Time) *turn.Service {
	log := slog.New(slog.DiscardHandler)
	keys := chat.NewKeys(chatstore.NewKeys(db), now)
	return turn.New(turn.Config{
		Turns: chatstore.NewTurns(db), Leases: chatstore.NewLeases(db), System: grant.Because("a test"), Chats: chat.New(ports.ForChat(db, grant.Because("a test")), keys, now, log), Keys: keys, Quota: quota.New(chatstore.NewMonths(db), now),
		Answers: answer.New(searcher, answer.Always(model), chatstore.NewCachedAnswers(db), now, log), Now: now, Log: log,
	})
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// searches finds nothing, and counts how often it was asked to.
type searches struct {
	mu sync.Mutex
	n  int
	// hold, if there is one, is called in each search.
	hold func(ctx context.Context)
}

func (s *searches) Search(ctx context.Context, _ retrieval.Scope, _ retrieval.Query) ([]retrieval.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if s.hold != nil {
		s.hold(ctx)
	}
	return nil, ctx.Err()
}

// model answers "Yes.", or fails.
type model struct{ fail error }

func (m *model) Generate(ctx context.Context, _ prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	if err := errors.Join(m.fail, ctx.Err()); err != nil {
		return answer.Generated{}, err
	}
	return answer.Generated{}, emit("Yes.")
}
func (*model) Check(context.Context) error { return nil }
func (*model) Name() string                { return "yes" }
func (*model) Count(text string) int       { return len(text) }
func (*model) Traits() answer.Traits       { return answer.Traits{Context: 1 << 20} }

// callerOf a workspace's chatbot, under a plan with a number of messages a month.
func callerOf(workspaceID string, messages int) *chatbot.Principal {
	return &chatbot.Principal{
		Chatbot: chatbot.Chatbot{ID: "cb_" + workspaceID, WorkspaceID: workspaceID},
		Plan:    plan.Plan{Title: "Small", Limits: plan.Limits{MessageChars: 100, MessagesPerMonth: messages}},
	}
}

// ask has a question answered, in a conversation or, with 0, in a new one.
func (r *rig) ask(ctx context.Context, caller *chatbot.Principal, conversation int64) (int64, error) {
	asked, err := r.Begin(ctx, caller, turn.Ask{Ref: chat.Ref{ConversationID: conversation}, Message: "Question?"})
	if err != nil {
		return 0, err
	}
	_, err = asked.Run(ctx, nil)
	return asked.Conversation.ID, err
}

// wantAsked fails unless a question is answered, or refused as used up.
func (r *rig) wantAsked(messages int, refused bool) {
	r.Helper()
	_, err := r.ask(r.Context(), callerOf(home, messages), 0)
	if refused != fault.Is(err, fault.RateLimited) || !refused && err != nil {
		r.Errorf("a question gives %v", err)
	}
}

func (r *rig) wantUsed(month string, want int) {
	r.Helper()
	if used, err := chatstore.NewMonths(r.db).MessagesOf(r.Context(), home, month); err != nil || used != want {
		r.Errorf("in %s %d are used, want %d: %v", month, used, want, err)
	}
}

func TestMessagesOfAMonth(t *testing.T) {
	t.Run("of many questions at once, in conversations new and old, as many are stored as the plan includes", func(t *testing.T) {
		r := newRig(t)
		old, err := r.ask(t.Context(), callerOf(home, 12), 0)
		r.must(err)
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				_, err := r.ask(t.Context(), callerOf(home, 12), int64(i%2)*old)
				if err != nil && !fault.Is(err, fault.RateLimited) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		r.wantUsed("2026-11", 12)
		if _, err := r.ask(t.Context(), callerOf(foreign, 12), 0); err != nil {
			t.Errorf("another workspace gets %v", err)
		}
	})

	t.Run("a workspace without messages left is refused before anything is searched or stored", func(t *testing.T) {
		r := newRig(t)
		r.wantAsked(1, false)
		r.searches.n = 0
		r.wantAsked(1, true)
		if r.searches.n != 0 {
			t.Errorf("%d searches were made", r.searches.n)
		}
		r.wantUsed("2026-11", 1)
	})

	t.Run("a question counts in the month in which it was asked", func(t *testing.T) {
		r := newRig(t)
		r.now = time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
		r.wantAsked(1, false)
		r.wantAsked(1, true)
		r.now = r.now.Add(time.Second)
		r.wantAsked(1, false)
		r.wantUsed("2026-11", 1)
		r.wantUsed("2026-12", 1)
	})

	t.Run("a question that could not be answered is given back", func(t *testing.T) {
		r := newRig(t)
		r.model.fail = fault.New(fault.Upstream, "The model is away.")
		if _, err := r.ask(t.Context(), callerOf(home, 1), 0); !fault.Is(err, fault.Upstream) {
			t.Fatalf("got %v", err)
		}
		r.wantUsed("2026-11", 0)
		r.model.fail = nil
		r.now = r.now.Add(5 * time.Second)
		r.wantAsked(1, false)
	})

	t.Run("a question whose caller left counts", func(t *testing.T) {
		r := newRig(t)
		asked, err := r.Begin(t.Context(), callerOf(home, 1), turn.Ask{Message: "Question?"})
		r.must(err)
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, err := asked.Run(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		r.wantUsed("2026-11", 1)
		r.now = r.now.Add(5 * time.Second)
		r.wantAsked(1, true)
	})

	t.Run("a message pays for three attempts at an answer whose caller leaves", func(t *testing.T) {
		r := newRig(t)
		gone, leave := context.WithCancel(t.Context())
		leave()
		tokens, admitted := &tokenMonths{}, 0
		r.Tokens = tokens
		admit := func(context.Context) (func(), error) {
			admitted++
			return func() {}, nil
		}
		limited := callerOf(home, 10)
		limited.Token.MessagesPerMonth = 10
		key := &chat.Key{TokenID: "tok_a", Route: "POST /chat", Value: "key", BodyHash: "body"}
		for attempt := 1; attempt <= 7; attempt++ {
			asked, err := r.Begin(t.Context(), limited, turn.Ask{Message: "Question?", Key: key, Admit: admit})
			r.must(err)
			asked.Abandon(gone)
			r.wantUsed("2026-11", (attempt+2)/3)
			if tokens.taken != (attempt+2)/3 || admitted != attempt {
				t.Errorf("after %d attempts the token counts %d questions, and %d attempts were admitted", attempt, tokens.taken, admitted)
			}
		}
	})

	t.Run("a conversation that is not there costs nothing", func(t *testing.T) {
		r := newRig(t)
		if _, err := r.ask(t.Context(), callerOf(home, 1), 77); !fault.Is(err, fault.NotFound) {
			t.Fatalf("got %v", err)
		}
		r.wantAsked(1, false)
	})
}

// tokenMonths counts questions of tokens.
type tokenMonths struct{ taken int }

func (m *tokenMonths) TakeMessage(context.Context, *chatbot.Token) (string, error) {
	m.taken++
	return "2026-11", nil
}

func (m *tokenMonths) GiveMessageBack(context.Context, *chatbot.Token, string) error {
	m.taken--
	return nil
}
