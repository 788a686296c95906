package chatbot_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store"
	"parley/store/tenancy"
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

// migrated is a new database file, made once: to make it takes long under the
// race detector.
var migrated = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "chatbot")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "parley.db")
	db, err := store.Open(context.Background(), "sqlite:"+file)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

func newRig(t *testing.T) *rig {
	t.Helper()
	content, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "parley.db")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rig{T: t, db: db, file: file, pausable: &pausable{TokenStore: store.NewTokens(db)}, index: &forgetter{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return r.now }
	r.tenants = tenancy.Open(db, clock, rand.Reader, tenancy.Options{})
	r.Services = chatbot.New(r.database(), r.index, r.tenants.Holdings, clock, rand.Reader, chatbot.Options{
		Sealer: sealerWith(firstKey), OwnModels: []string{"own-model", "second-model"},
	})
	for _, id := range []string{home, foreign} {
		r.must(store.NewWorkspaces(db).CreateWorkspace(t.Context(), tenant.Workspace{ID: id, Plan: plan.Standard, Granted: plan.Standard, CreatedAt: r.now}))
	}
	r.bot, err = r.Create(t.Context(), home, chatbot.Settings{Name: "Guide"})
	r.must(err)
	return r
}

// database has tokens looked up in the pausable store.
func (r *rig) database() chatbot.Database {
	database := store.ForChatbot(r.db)
	database.Tokens = r.pausable
	return database
}

// pausable is a store that can be held up while a token is looked up.
type pausable struct {
	chatbot.TokenStore
	read, goOn chan struct{}
}

func (p *pausable) PrincipalByTokenHash(ctx context.Context, hash string) (*chatbot.Principal, error) {
	principal, err := p.TokenStore.PrincipalByTokenHash(ctx, hash)
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
	principal, err := r.Tokens.Authenticate(r.Context(), secret)
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

func TestAuthenticate(t *testing.T) {
	t.Run("a token works until it is revoked, and not once more", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
		r.wantAuthenticated(secret, badToken)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
	})

	t.Run("a revocation beats a look-up that began before it", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.pausable.read, r.pausable.goOn = make(chan struct{}), make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = r.Tokens.Authenticate(context.WithoutCancel(t.Context()), secret) // began before: either is right
		}()
		receive(t, "the token was read", r.pausable.read)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
		close(r.pausable.goOn)
		receive(t, "the request ended", done)
		r.pausable.read = nil
		r.wantAuthenticated(secret, badToken)
	})

	t.Run("a token expires to the instant, though it is known", func(t *testing.T) {
		r := newRig(t)
		end := r.now.Add(time.Second)
		_, secret, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: &end})
		r.must(err)
		r.wantAuthenticated(secret, nil)
		r.now = end.Add(-time.Microsecond)
		r.wantAuthenticated(secret, nil)
		r.now = end
		r.wantAuthenticated(secret, badToken)
	})

	t.Run("what another process changes is believed at most 5 seconds late", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		_, err := store.NewTokens(r.db).RevokeToken(t.Context(), home, r.bot.ID, token.ID, r.now)
		r.must(err)
		r.now = r.now.Add(5 * time.Second)
		r.wantAuthenticated(secret, badToken)
	})

	t.Run("a downgrade ends access within 5 seconds, and an upgrade brings it back", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		for name, want := range map[plan.Name]error{plan.Basic: noAPIAccess, plan.Premium: nil} {
			r.wantAuthenticated(secret, nil)
			r.must(store.NewPlanAccess(r.db).SetPlan(t.Context(), home, name, name))
			r.now = r.now.Add(5 * time.Second)
			r.wantAuthenticated(secret, want)
			r.must(store.NewPlanAccess(r.db).SetPlan(t.Context(), home, plan.Standard, plan.Standard))
			r.now = r.now.Add(5 * time.Second)
		}
	})

	t.Run("unknown, malformed and missing tokens get the same answer", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		other := newRig(t)
		_, unknown := other.issue()
		for _, wrong := range []string{"", "parley_", secret + "x", secret[:len(secret)-1] + "!", unknown} {
			r.wantAuthenticated(wrong, badToken)
		}
	})

	t.Run("changed settings are seen by the next request", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		r.must(r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Renamed"}))
		principal, err := r.Tokens.Authenticate(t.Context(), secret)
		if err != nil || principal.Chatbot.Name != "Renamed" {
			t.Errorf("the request sees %q: %v", principal.Chatbot.Name, err)
		}
	})

	t.Run("the use of a token is recorded, not more than once a minute", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		first := r.now
		for _, c := range []struct {
			after time.Duration
			want  time.Time
		}{{0, first}, {30 * time.Second, first}, {time.Minute, first.Add(time.Minute)}} {
			r.now = first.Add(c.after)
			r.wantAuthenticated(secret, nil)
			tokens, err := r.Tokens.List(t.Context(), home, r.bot.ID)
			r.must(err)
			if tokens[0].LastUsedAt == nil || *tokens[0].LastUsedAt != c.want {
				t.Errorf("after %v it was used at %v", c.after, tokens[0].LastUsedAt)
			}
		}
	})
}

func receive(t *testing.T, what string, from <-chan struct{}) {
	t.Helper()
	select {
	case <-from:
	case <-time.After(patience):
		t.Fatalf("it did not come about that %s", what)
	}
}

func TestIssue(t *testing.T) {
	t.Run("the plan's limit holds when many are asked for at once; revoked and expired ones do not count", func(t *testing.T) {
		r := newRig(t)
		end := r.now.Add(time.Second)
		_, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: &end})
		r.must(err)
		revoked, _ := r.issue()
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, revoked.ID))
		r.now = end
		made, mu := 0, sync.Mutex{}
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				_, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{})
				if err != nil && !fault.Is(err, fault.Forbidden) {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					made++
				}
			})
		}
		all.Wait()
		if made != 10 { // the Standard plan
			t.Errorf("%d were made", made)
		}
	})

	t.Run("a plan without API access issues none", func(t *testing.T) {
		r := newRig(t)
		r.must(store.NewPlanAccess(r.db).SetPlan(t.Context(), home, plan.Starter, plan.Starter))
		if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{}); !fault.Is(err, fault.Forbidden) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("a chatbot of another workspace is not found, by any method", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		ctx := t.Context()
		_, _, issue := r.Tokens.Issue(ctx, foreign, r.bot.ID, chatbot.NewToken{})
		_, list := r.Tokens.List(ctx, foreign, r.bot.ID)
		_, get := r.Get(ctx, foreign, r.bot.ID)
		for what, err := range map[string]error{
			"issue": issue, "list": list, "get": get,
			"revoke": r.Tokens.Revoke(ctx, foreign, r.bot.ID, token.ID), "delete": r.Delete(ctx, foreign, r.bot.ID),
			"update": r.Update(ctx, foreign, r.bot.ID, chatbot.Settings{Name: "x"}),
		} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s gives %v", what, err)
			}
		}
		if len(r.index.forgotten) != 0 {
			t.Errorf("the index was told to forget %v", r.index.forgotten)
		}
		r.wantAuthenticated(secret, nil)
	})

	t.Run("a wrong request is refused at its field", func(t *testing.T) {
		r := newRig(t)
		for field, request := range map[string]chatbot.NewToken{
			"name":       {Name: strings.Repeat("x", 101)},
			"scopes":     {Scopes: []chatbot.Scope{"admin"}},
			"expires_at": {ExpiresAt: &r.now},
		} {
			if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, request); !fault.Is(err, fault.Invalid) || fault.As(err).Field != field {
				t.Errorf("%s gives %v", field, err)
			}
		}
		twice := chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat, chatbot.ScopeChat}}
		if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, twice); !fault.Is(err, fault.Invalid) {
			t.Errorf("a scope that is given twice gives %v", err)
		}
	})
}

func TestChatbots(t *testing.T) {
	t.Run("the plan's limit holds when many are made at once", func(t *testing.T) {
		r := newRig(t) // with one of 10
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				_, err := r.Create(t.Context(), home, chatbot.Settings{Name: fmt.Sprint(i)})
				if err != nil && !fault.Is(err, fault.Forbidden) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if bots, err := r.List(t.Context(), home); err != nil || len(bots) != 10 {
			t.Errorf("there are %d: %v", len(bots), err)
		}
	})

	t.Run("a deleted chatbot's tokens end with it", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		r.must(r.Delete(t.Context(), home, r.bot.ID))
		r.wantAuthenticated(secret, badToken)
		if got := fmt.Sprint(r.index.forgotten); got != "["+home+"/"+r.bot.ID+"]" {
			t.Errorf("the index forgot %s", got)
		}
	})

	t.Run("a chatbot that the index cannot forget can be deleted again", func(t *testing.T) {
		r := newRig(t)
		r.index.fail = errors.New("the index is away")
		if err := r.Delete(t.Context(), home, r.bot.ID); !errors.Is(err, r.index.fail) {
			t.Errorf("the error is %v", err)
		}
		r.index.fail = nil
		r.must(r.Delete(t.Context(), home, r.bot.ID))
	})

	t.Run("a person sees the chatbots of their workspaces only", func(t *testing.T) {
		r := newRig(t)
		in := func(ids ...string) (p tenant.Person) {
			for _, id := range ids {
				p.Memberships = append(p.Memberships, tenant.Membership{Workspace: tenant.Workspace{ID: id}, Role: tenant.RoleMember})
			}
			return p
		}
		if bot, m, err := r.Visible(t.Context(), in(foreign, home), r.bot.ID); err != nil || bot.ID != r.bot.ID || m.Workspace.ID != home {
			t.Errorf("a member sees %v in %v: %v", bot.ID, m.Workspace.ID, err)
		}
		for _, stranger := range []tenant.Person{in(), in(foreign)} {
			if _, _, err := r.Visible(t.Context(), stranger, r.bot.ID); !fault.Is(err, fault.NotFound) {
				t.Errorf("a stranger gets %v", err)
			}
		}
	})
}
