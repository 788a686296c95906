package store_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/internal/pgtest"
	"parley/store/servers"
)

// hearing notes what a process hears.
type hearing struct {
	changed chan string
	is      chan bool
}

func (h hearing) Listening(is bool)        { h.is <- is }
func (h hearing) Changed(workspace string) { h.changed <- workspace }

func TestListen(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	ctx := b.Context()
	a := b.fill("a")
	h := hearing{changed: make(chan string, 100), is: make(chan bool, 100)}
	go servers.NewAccess(b.Store).Listen(ctx, h, slog.New(slog.DiscardHandler))
	if !<-h.is {
		t.Fatal("it does not listen")
	}
	// hears runs a change and one in the plans, which tells that all before has arrived.
	hears := func(t *testing.T, want bool, change func()) {
		t.Helper()
		change()
		_, err := b.beside().ExecContext(ctx, "UPDATE plans SET title = title || '.' WHERE id = 'basic'")
		b.must(err)
		heard := false
		for workspace := range h.changed {
			if workspace == "" {
				break
			}
			heard = true
			if workspace != a.id {
				t.Errorf("%q has changed", workspace)
			}
		}
		if heard != want {
			t.Errorf("a change was heard: %v", heard)
		}
	}

	for name, change := range map[string]func(){
		"a revoked token is told": func() {
			_, err := b.RevokeToken(ctx, a.id, a.chatbot, a.token, epoch)
			b.must(err)
		},
		"a change of plan is told": func() { b.must(b.SetPlan(ctx, a.id, plan.Premium, plan.Premium)) },
		"a chatbot that changes is told": func() {
			_, err := b.beside().ExecContext(ctx, "UPDATE chatbots SET name = 'Other' WHERE id = $1", a.chatbot)
			b.must(err)
		},
	} {
		t.Run(name, func(t *testing.T) { hears(t, true, change) })
	}
	t.Run("the use of a token is not", func(t *testing.T) {
		hears(t, false, func() {
			now := epoch
			b.must(b.TouchToken(ctx, a.id, a.token, chatbot.LastUse{LastUsedAt: &now, LastUsedIP: "192.0.2.1", LastUsedAgent: "test"}))
		})
	})
	t.Run("a lost connection is noticed, and opened again", func(t *testing.T) {
		pgtest.Disconnect(t, b.url, "SELECT pg_notify($1, NULL)")
		if <-h.is {
			t.Error("the loss was not told")
		}
		if !<-h.is {
			t.Error("it does not listen again")
		}
		hears(t, true, func() { b.must(b.SetPlan(ctx, a.id, plan.Basic, plan.Basic)) })
	})
	t.Run("a chatbot that is deleted is told", func(t *testing.T) {
		hears(t, true, func() { b.must(b.DeleteChatbot(ctx, a.id, a.chatbot)) })
	})
}

// lines collects the lines of a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestListenBehindAPooler(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, migratedPostgres.New(t))
	b := openBundle(t, proxy.URL())
	h := hearing{changed: make(chan string, 100), is: make(chan bool, 100)}
	t.Run("a pooler that begins to swallow notifications is noticed, and listened through no more", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go servers.NewAccess(b.Store).Listen(ctx, h, slog.New(slog.DiscardHandler))
		if !<-h.is {
			t.Fatal("it does not listen")
		}
		proxy.Mute()
		if <-h.is {
			t.Fatal("it listens once more")
		}
	})
	t.Run("one that swallows them from the start is never believed", func(t *testing.T) {
		var said lines
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		h := hearing{changed: make(chan string, 100), is: make(chan bool, 100)}
		go servers.NewAccess(b.Store).Listen(ctx, h, slog.New(slog.NewTextHandler(&said, nil)))
		for range 2 {
			if <-h.is {
				t.Fatal("it believes that it listens")
			}
		}
		if !strings.Contains(said.String(), "connect to PostgreSQL directly") {
			t.Errorf("the log says %s", said.String())
		}
	})
}
