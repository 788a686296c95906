package chatbot_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/tenant"
)

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
	})

	t.Run("the index forgets a chatbot before it is deleted and once more afterwards", func(t *testing.T) {
		r := newRig(t)
		r.must(r.Delete(t.Context(), home, r.bot.ID))
		one := home + "/" + r.bot.ID
		if got := r.index.forgotten; !slices.Equal(got, []string{one, one}) {
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
