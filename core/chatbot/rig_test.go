package chatbot_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/system/grant"
	"parley/core/tenant"
	"parley/store"
	"parley/store/bots"
	"parley/store/people"
	"parley/store/ports"
	"parley/store/storetest"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

const (
	patience = 30 * time.Second
	home     = "ws_home"
	foreign  = "ws_foreign"
)

// rig has the services over a real database, with a clock.
type rig struct {
	*testing.T
	chatbot.Services
	db       *store.Store
	file     string
	pausable *pausable
	index    *forgetter
	tenants  *tenancy.Services
	now      time.Time
	bot      chatbot.Chatbot
}

func newRig(t *testing.T) *rig {
	t.Helper()
	file := filepath.Join(t.TempDir(), "parley.db")
	storetest.File(t, file)
	db, err := store.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rig{T: t, db: db, file: file, pausable: &pausable{TokenStore: bots.NewTokens(db)}, index: &forgetter{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return r.now }
	r.tenants = tenancytest.Services(db, clock, tenancy.Options{Mails: outbox.Options{Mails: true, BaseURL: "https://parley.example"}})
	r.Services = chatbot.New(r.database(), r.index, r.tenants.Holdings, clock, rand.Reader, chatbot.Options{
		Sealer: sealerWith(firstKey), OwnModels: []string{"own-model", "second-model"}, Letters: r.tenants.Letters,
	})
	for _, id := range []string{home, foreign} {
		r.must(people.NewWorkspaces(db).CreateWorkspace(t.Context(), tenant.Workspace{ID: id, Plan: plan.Standard, Granted: plan.Standard, CreatedAt: r.now}))
	}
	r.bot, err = r.Create(t.Context(), home, chatbot.Settings{Name: "Guide"})
	r.must(err)
	return r
}

// database has tokens looked up in the pausable store.
func (r *rig) database() chatbot.Database {
	database := ports.ForChatbot(r.db, grant.Because("a test"))
	database.Tokens = r.pausable
	return database
}

// pausable is a store that can be held up, or panics, while a token is looked up.
type pausable struct {
	chatbot.TokenStore
	read, goOn chan struct{}
	lookUps    atomic.Int64
	broken     bool
}

func (p *pausable) PrincipalByTokenHash(ctx context.Context, access system.Access, hash string) (*chatbot.Principal, error) {
	p.lookUps.Add(1)
	if p.broken {
		panic("a store that is broken")
	}
	principal, err := p.TokenStore.PrincipalByTokenHash(ctx, access, hash)
	if p.read != nil {
		close(p.read)
		<-p.goOn
	}
	return principal, err
}

// forgetter is an index that has been told to forget.
type forgetter struct {
	fail      error
	forgotten []string
}

func (f *forgetter) Forget(_ context.Context, workspaceID, chatbotID string) error {
	f.forgotten = append(f.forgotten, workspaceID+"/"+chatbotID)
	return f.fail
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) issue() (chatbot.Token, string) {
	r.Helper()
	token, secret, err := r.Tokens.Issue(r.Context(), home, r.bot.ID, chatbot.NewToken{CreatedBy: "operator"})
	r.must(err)
	return token, secret
}

// wantAuthenticated fails unless the secret is admitted, or refused as want is.
func (r *rig) wantAuthenticated(secret string, want error) {
	r.Helper()
	principal, err := r.Callers.Authenticate(r.Context(), secret)
	if want == nil && (err != nil || principal.Chatbot.ID != r.bot.ID) {
		r.Errorf("got %v, %v, want the chatbot", principal.Chatbot.ID, err)
	}
	if want != nil && (!fault.Is(err, fault.As(want).Kind) || !strings.Contains(err.Error(), want.Error())) {
		r.Errorf("the error is %v, want %v", err, want)
	}
}

var (
	badToken    = fault.New(fault.Unauthenticated, "Invalid or expired API token.")
	noAPIAccess = fault.New(fault.Forbidden, "no API access")
)

func receive(t *testing.T, what string, from <-chan struct{}) {
	t.Helper()
	select {
	case <-from:
	case <-time.After(patience):
		t.Fatalf("it did not come about that %s", what)
	}
}

// atOnce makes n calls at once and returns how many succeed. The others must be
// refused.
func (r *rig) atOnce(n int, refused fault.Kind, call func() error) int {
	r.Helper()
	var made atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			switch err := call(); {
			case err == nil:
				made.Add(1)
			case !fault.Is(err, refused):
				r.Error(err)
			}
		})
	}
	all.Wait()
	return int(made.Load())
}
