package chat

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store"
	"parley/store/bots"
	"parley/store/people"
	"parley/store/storetest"
)

const (
	// patience bounds every wait of these tests for something that must come.
	patience = 30 * time.Second
	// thisMonth is the one of epoch.
	thisMonth = "2026-03"
	keysKept  = 24 * time.Hour
)

// epoch is a time in the precision that the databases keep.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// turnsOnPostgres are the turns of a database, with what a test needs beside them.
type turnsOnPostgres struct {
	*testing.T
	*Turns
	months        *Months
	keys          *Keys
	conversations *Conversations
	// beside is a superuser's pool, whom the wall does not bind.
	beside *sql.DB
}

func openTurns(t *testing.T) *turnsOnPostgres {
	t.Helper()
	url := storetest.Postgres(t)
	db, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	beside, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), beside.Close()); err != nil {
			t.Error(err)
		}
	})
	return &turnsOnPostgres{t, NewTurns(db), NewMonths(db), NewKeys(db), NewConversations(db), beside}
}

// home is a workspace with a chatbot and a token.
type home struct {
	id, chatbot, token, secret string
}

func (b *turnsOnPostgres) fill(name string) home {
	b.Helper()
	ctx := b.Context()
	w := home{"ws_" + name, "cb_" + name, "tok_" + name, "secret-of-" + name}
	b.must(people.NewWorkspaces(b.store).CreateWorkspace(ctx, tenant.Workspace{ID: w.id, Name: w.secret, Plan: plan.Standard, CreatedAt: epoch}))
	b.must(bots.NewChatbots(b.store).CreateChatbot(ctx, w.id, chatbot.Chatbot{ID: w.chatbot, Name: w.secret, CreatedAt: epoch}))
	b.must(bots.NewTokens(b.store).CreateToken(ctx, w.id, chatbot.Token{
		ID: w.token, ChatbotID: w.chatbot, Name: w.secret, Hint: w.secret, Scopes: chatbot.AllScopes(), CreatedAt: epoch,
	}, "hash of "+name))
	return w
}

func (w *home) newTurn() turn.Opening {
	return turn.Opening{Question: w.secret, At: epoch, LeaseUntil: epoch, Month: thisMonth}
}

// newAnswer is the end of a first attempt.
func (w *home) newAnswer(id int64) turn.Answer {
	return turn.Answer{
		MessageID: id, Attempt: 1, Status: chat.Complete,
		Answer: answer.Answer{Text: w.secret, Query: w.secret, Record: answer.UsageRecord{ChatbotID: w.chatbot, Model: w.secret, At: epoch}},
	}
}

func (b *turnsOnPostgres) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// waitUntilBlocked waits until a statement waits for another transaction.
func (b *turnsOnPostgres) waitUntilBlocked() {
	b.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		var n int
		b.must(b.beside.QueryRowContext(context.WithoutCancel(b.Context()), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n))
		if n > 0 {
			return
		}
		if time.Now().After(deadline) {
			b.Fatal("nobody waits")
		}
	}
}

// receive waits for what a channel must bring.
func receive[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatalf("it did not come about that %s", what)
		panic("unreachable")
	}
}

// isRefusal reports whether the server has undone a statement and goes on.
func isRefusal(err error) bool {
	return err != nil && strings.Contains(err.Error(), "ERROR: ")
}
