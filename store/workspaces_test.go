package store_test

import (
	"slices"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

func TestWorkspaces(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		plans := func(id string) [2]plan.Name {
			w, err := b.Workspace(ctx, id)
			b.must(err)
			return [2]plan.Name{w.Plan, w.Granted}
		}

		b.Run("a workspace without a granted plan has its plan granted", func(t *testing.T) {
			if got := plans(a.id); got != [2]plan.Name{plan.Standard, plan.Standard} {
				t.Errorf("got %v", got)
			}
		})
		b.Run("the plan in force and the one by hand may differ", func(t *testing.T) {
			b.must(b.CreateWorkspace(ctx, tenant.Workspace{ID: "ws_c", Plan: plan.Premium, Granted: plan.Starter, CreatedAt: epoch}))
			if got := plans("ws_c"); got != [2]plan.Name{plan.Premium, plan.Starter} {
				t.Errorf("got %v", got)
			}
			b.must(b.SetPlan(ctx, "ws_c", plan.Basic, plan.Basic))
			if got := plans("ws_c"); got != [2]plan.Name{plan.Basic, plan.Basic} {
				t.Errorf("got %v", got)
			}
		})
		b.Run("a grant ends at its last instant and not before, and an end is taken back", func(t *testing.T) {
			until := epoch.Add(time.Hour)
			b.must(b.SetGrantEnd(ctx, "ws_c", &until))
			if w, err := b.Workspace(ctx, "ws_c"); err != nil || w.GrantedUntil == nil || !w.GrantedUntil.Equal(until) {
				t.Errorf("it is %+v, %v", w, err)
			}
			for at, want := range map[time.Time][]string{until.Add(-time.Microsecond): nil, until: {"ws_c"}} {
				if got, err := collected(b.EndedGrants(ctx, everywhere, at)); err != nil || !slices.Equal(got, want) {
					t.Errorf("at %v there have ended %v, %v", at, got, err)
				}
			}
			b.must(b.SetGrantEnd(ctx, "ws_c", nil))
			if got, err := collected(b.EndedGrants(ctx, everywhere, until)); err != nil || len(got) != 0 {
				t.Errorf("there have ended %v, %v", got, err)
			}
		})
		b.Run("a deleted workspace goes with all that is in it, and with nothing else", func(t *testing.T) {
			before := b.rows(other.id)
			b.must(b.DeleteWorkspace(ctx, a.id))
			for table, column := range tables {
				// Audit entries and receipts of erasures are the operator's, see TestAudit
				// and TestDeletionWaits. What an index must forget is told to it by
				// identifiers, for a week.
				if table == "audit_entries" || table == "erasures" || table == "index_changes" {
					continue
				}
				if left := b.dump(table, column, a.id); left != "" {
					t.Errorf("left in %s: %s", table, left)
				}
			}
			if b.rows(other.id) != before {
				t.Error("another workspace changed")
			}
			_, err := b.User(ctx, a.user)
			b.must(err)
			b.wantKind(b.DeleteWorkspace(ctx, a.id), fault.NotFound)
		})
	})
}

func TestSetEmail(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		b.must(b.CreateUser(ctx, newUser("usr_a")))
		b.must(b.CreateUser(ctx, newUser("usr_b")))

		b.Run("a user is found by the new address, and not by the old", func(t *testing.T) {
			b.must(b.SetEmail(ctx, "usr_a", "new@example.com", epoch))
			if u, err := b.UserByEmail(ctx, "new@example.com"); err != nil || u.ID != "usr_a" {
				t.Errorf("got %+v, %v", u, err)
			}
			_, err := b.UserByEmail(ctx, "usr_a@example.com")
			b.wantKind(err, fault.NotFound)
		})
		b.Run("the address of another is a conflict", func(t *testing.T) {
			b.wantKind(b.SetEmail(ctx, "usr_b", "new@example.com", epoch), fault.Conflict)
		})
		b.Run("a user that there is not is not found", func(t *testing.T) {
			b.wantKind(b.SetEmail(ctx, "usr_nobody", "x@example.com", epoch), fault.NotFound)
		})
	})
}
