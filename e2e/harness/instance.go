package harness

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/account"
	"parley/core/seal"
	"parley/index/indextest"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// Now is the time in the precision that both databases keep.
func Now() time.Time { return app.Now() }

// Patience bounds every wait of these tests for something that must come.
const Patience = 30 * time.Second

// Instance is a running server on a database of its own, seen from outside.
type Instance struct {
	*testing.T
	// Base is the address, without a slash at its end.
	Base   string
	Server *app.Server
	// ServerLog is what the server has logged.
	ServerLog *Buffer
	stop      context.CancelFunc
	stopped   chan error
}

// Users are all users of the installation, oldest first.
func (w *Instance) Users() (all []account.User) {
	w.Helper()
	for user, err := range w.Server.Tenants.Users.All(w.Context()) {
		w.Must(err)
		all = append(all, user)
	}
	return all
}

// WithModel lets a server that speaks a model's wire format answer.
func WithModel(upstream *llmtest.Server) func(*app.Config) {
	return func(c *app.Config) { c.LLMBaseURL, c.LLMAPIKey, c.LLMModel = upstream.BaseURL(), "key", "double" }
}

// Start runs the whole program on a port of its own until the test ends. The
// model and the index refuse to be called inside a transaction, and passwords cost nothing.
func Start(t *testing.T, change ...func(*app.Config)) *Instance {
	t.Helper()
	return StartWith(t, app.Options{Model: llmtest.RefuseInTx, Index: indextest.RefuseInTx, WeakPasswords: true}, change...)
}

// StartWith is Start with other wrappers of the model and the index.
func StartWith(t *testing.T, wrap app.Options, change ...func(*app.Config)) *Instance {
	t.Helper()
	return StartPrepared(t, wrap, func(*app.Server) {}, change...)
}

// StartPrepared is StartWith for a server that a test changes before it serves.
func StartPrepared(t *testing.T, wrap app.Options, prepare func(*app.Server), change ...func(*app.Config)) *Instance {
	t.Helper()
	return start(t, wrap, true, prepare, change...)
}

// StartBehind is StartWith for a server that has yet to look at its index.
func StartBehind(t *testing.T, wrap app.Options, change ...func(*app.Config)) *Instance {
	t.Helper()
	return start(t, wrap, false, func(*app.Server) {}, change...)
}

func start(t *testing.T, wrap app.Options, repaired bool, prepare func(*app.Server), change ...func(*app.Config)) *Instance {
	t.Helper()
	config := &app.Config{}
	own := t.TempDir()
	config.Listen, config.DataDir, config.SignUp = "127.0.0.1:0", own, true
	config.LLMTimeout, config.LLMFirst, config.DrainTimeout = Patience, Patience, Patience
	config.PlanChanges, config.TrialDays, config.GraceDays, config.AuditDays = "owner", 14, 21, 400
	config.SecretKey, config.WebhookAllow = seal.ServerKey{1, 2, 3}.Text(), []string{NobodyListens}
	for _, c := range change {
		c(config)
	}
	wrap.Program = cmp.Or(wrap.Program, Program())
	if wrap.LookUpTXT == nil { // tests ask nobody's DNS
		wrap.LookUpTXT = func(context.Context, string) ([]string, error) { return nil, errors.New("no such host") }
	}
	ShareCache(t, config.DataDir)
	if config.DataDir == own && config.DatabaseURL == "" {
		storetest.File(t, filepath.Join(own, "parley.db"))
	}
	w := &Instance{T: t, ServerLog: &Buffer{}, stopped: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(w.ServerLog, nil))
	p, err := app.OpenWith(t.Context(), config, log, wrap)
	if err != nil {
		t.Fatal(err)
	}
	// A new index is built first, as it was on a server that has run before.
	// Where it cannot be, the server tries again.
	if repaired {
		if _, err := p.Rebuilder.Repair(t.Context()); err != nil {
			t.Logf("the index is not prepared: %v", err)
		}
	}
	w.Server, err = app.Listen(p)
	if err != nil {
		t.Fatal(err)
	}
	prepare(w.Server)
	w.Base = "http://" + w.Server.Addr().String()
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.WithoutCancel(t.Context()))
	go func() { w.stopped <- w.Server.Serve(ctx) }()
	t.Cleanup(func() {
		w.End()
		if err := p.Close(); err != nil {
			t.Errorf("closing the program: %v", err)
		}
	})
	return w
}

// End stops the server and waits until it has.
func (w *Instance) End() {
	w.stop()
	select {
	case err, open := <-w.stopped:
		if open && err != nil {
			w.Errorf("the server ended with: %v", err)
		}
		if open {
			close(w.stopped)
		}
	case <-time.After(Patience):
		var running strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&running, 1)
		w.Errorf("the server did not stop; these are running:\n%s", running.String())
	}
}

// Must fails the test at once on an error.
func (w *Instance) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// Eventually waits until a condition holds. It looks often at first.
func (w *Instance) Eventually(what string, condition func() bool) {
	w.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(Patience); !condition(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			w.Fatalf("it did not come about that %s", what)
		}
		pause = min(2*pause, PollEvery)
	}
}

// PollEvery is often enough for what takes a while, and costs next to nothing.
const PollEvery = 20 * time.Millisecond

// SignUpOff lets nobody sign up.
func SignUpOff(c *app.Config) { c.SignUp = false }

// Later gives a function the program of another process on the same database,
// whose clock is fast by so much. It has no language model.
func (w *Instance) Later(by time.Duration, do func(p *app.Program)) {
	w.Helper()
	config := *w.Server.Config
	config.LLMBaseURL, config.LLMAPIKey, config.LLMModel, config.LLMFallback = "", "", "", ""
	p, err := app.OpenWith(context.WithoutCancel(w.Context()), &config, w.Server.Log, app.Options{
		Now: func() time.Time { return Now().Add(by) }, Program: Program(),
	})
	w.Must(err)
	do(p)
	w.Must(p.Close())
}
