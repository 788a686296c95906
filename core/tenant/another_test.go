package tenant_test

import (
	"strings"
	"sync"
	"testing"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

func TestAnotherWorkspace(t *testing.T) {
	t.Run("a person owns a bounded number on the free plan, however many they ask for at once", func(t *testing.T) {
		c := newClock(t)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		made, mu := 0, sync.Mutex{}
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				_, err := c.Workspaces.CreateAnother(t.Context(), c.user, "Another")
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
		if made != tenant.MaxFree-1 { // beside the first
			t.Errorf("%d were made", made)
		}
	})
	t.Run("one that is paid for makes room, up to the most of all", func(t *testing.T) {
		c := newClock(t)
		owned := 1 // on a plan above
		for ; owned < tenant.MaxOwned; owned++ {
			another, err := c.Workspaces.CreateAnother(t.Context(), c.user, "Another")
			c.must(err)
			c.must(c.Grants.SetPlan(t.Context(), another.ID, plan.Basic))
		}
		_, err := c.Workspaces.CreateAnother(t.Context(), c.user, "One too many")
		c.isA(err, fault.Forbidden)
	})
	t.Run("a name that is none is refused", func(t *testing.T) {
		c := newClock(t)
		for _, name := range []string{"", " ", "\x01\u200b", "a\x00", "\xff", strings.Repeat("x", 101)} {
			_, err := c.Workspaces.CreateAnother(t.Context(), c.user, name)
			c.isA(err, fault.Invalid)
		}
	})
}

func TestRename(t *testing.T) {
	c := newClock(t)
	was := c.space.Name
	c.must(c.Workspaces.Rename(t.Context(), c.space.ID, was, " Bakery\u202e\n<b>\u200b "))
	c.isA(c.Workspaces.Rename(t.Context(), c.space.ID, was, "Overwritten"), fault.Conflict)
	c.isA(c.Workspaces.Rename(t.Context(), c.space.ID, "", ""), fault.Invalid)
	if now, err := c.Workspaces.Workspace(t.Context(), c.space.ID); err != nil || now.Name != "Bakery <b>" {
		t.Errorf("it is called %q: %v", now.Name, err)
	}
}

func TestPreview(t *testing.T) {
	c := newClock(t)
	c.addChatbots(3)
	c.addTokens("cb_1", 2)
	names := func(holdings []tenant.Holding) string {
		var all []string
		for _, h := range holdings {
			all = append(all, h.ID)
		}
		return strings.Join(all, " ")
	}
	preview := func(name plan.Name) (tenant.Preview, error) {
		p, err := c.store.Plan(t.Context(), name)
		c.must(err)
		previews, err := c.Holdings.Previews(t.Context(), c.space.ID, []plan.Plan{p})
		return previews[name], err
	}
	before, err := preview(plan.Free)
	if err != nil || names(before.Suspended) != "cb_2 cb_3 cb_1_1 cb_1_2" || len(before.Resumed) != 0 {
		t.Errorf("it would suspend %q and resume %q: %v", names(before.Suspended), names(before.Resumed), err)
	}
	c.suspended(plan.Chatbots)
	c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
	after, err := preview(plan.Standard)
	if err != nil || len(after.Suspended) != 0 || names(after.Resumed) != "cb_2 cb_3 cb_1_1 cb_1_2" {
		t.Errorf("it would suspend %q and resume %q: %v", names(after.Suspended), names(after.Resumed), err)
	}
}
