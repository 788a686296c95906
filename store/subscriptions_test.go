package store_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
)

func TestSubscriptions(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		at := func(hours int) *time.Time { t := epoch.Add(time.Duration(hours) * time.Hour); return &t }
		whole := subscription.Subscription{
			WorkspaceID: a.id, CustomerID: "cus_1", CustomerStale: true, MissingAt: at(10), UnverifiedUntil: at(11),
			Billed: subscription.Billed{
				Account: subscription.StripeAccount{ID: "acct_1", Mode: subscription.Live},
				ID:      "sub_1", Status: plan.PastDue, Plan: plan.Premium, Interval: plan.Yearly,
				Amount: 2_990_00, Currency: "eur", InvoiceURL: "https://invoice.stripe.com/i/1", PeriodEnd: at(1), EndsAt: at(2), TrialEnd: at(3),
				PastDueSince: at(4), NextPlan: plan.Basic, NextAt: at(5),
			},
			Access:    plan.Access{Plan: plan.Premium, Until: at(6), Unknown: true},
			TrialUsed: true, CheckoutAt: at(7), Revision: 8, FetchedAt: at(9),
		}
		want := func(t *testing.T, want subscription.Subscription) {
			t.Helper()
			if got, err := b.Subscription(ctx, a.id); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
		}

		b.Run("a workspace that was never a customer has none", func(t *testing.T) {
			b.must(b.CreateWorkspace(ctx, tenant.Workspace{ID: "ws_c", Plan: plan.Starter, CreatedAt: epoch}))
			_, err := b.Subscription(ctx, "ws_c")
			b.wantKind(err, fault.NotFound)
		})
		b.Run("all of it is read as it was saved", func(t *testing.T) {
			b.must(b.SaveSubscription(ctx, a.id, whole))
			want(t, whole)
		})
		b.Run("another replaces all of it, also by nothing", func(t *testing.T) {
			bare := a.newSubscription()
			b.must(b.SaveSubscription(ctx, a.id, bare))
			want(t, bare)
			b.must(b.SaveSubscription(ctx, a.id, whole))
			want(t, whole)
			if all, err := collected(b.Subscriptions(ctx, everywhere)); err != nil || len(all) != 2 || !reflect.DeepEqual(all[0], whole) || all[1].WorkspaceID != other.id {
				t.Errorf("all are %+v, %v", all, err)
			}
		})
		b.Run("the customer of another workspace is a conflict, and changes nothing", func(t *testing.T) {
			taken := whole
			taken.CustomerID = "cus_" + other.secret
			b.wantKind(b.SaveSubscription(ctx, a.id, taken), fault.Conflict)
			b.wantKind(b.SaveSubscription(ctx, "ws_c", taken), fault.Conflict)
			want(t, whole)
		})
		b.Run("a customer says which workspace it is of", func(t *testing.T) {
			if id, err := b.WorkspaceByCustomer(ctx, everywhere, "cus_1"); err != nil || id != a.id {
				t.Errorf("got %s, %v", id, err)
			}
			_, err := b.WorkspaceByCustomer(ctx, everywhere, "cus_"+a.secret)
			b.wantKind(err, fault.NotFound)
		})
		b.Run("workspaces without a customer do not collide, and are no customer's", func(t *testing.T) {
			for _, id := range []string{a.id, "ws_c"} {
				b.must(b.SaveSubscription(ctx, id, subscription.Subscription{TrialUsed: true}))
			}
			b.must(b.SaveSubscription(ctx, a.id, whole))
		})
		b.Run("access is unverified while it is to end for that, unless the customer is missing", func(t *testing.T) {
			for missing, want := range map[*time.Time][]string{at(10): nil, nil: {a.id}} {
				unverified := whole
				unverified.MissingAt = missing
				b.must(b.SaveSubscription(ctx, a.id, unverified))
				if got, err := collected(b.UnverifiedAccess(ctx, everywhere, epoch)); err != nil || !slices.Equal(got, want) {
					t.Errorf("it is unverified for %v, %v, want %v", got, err, want)
				}
			}
			b.must(b.SaveSubscription(ctx, a.id, whole))
		})
		b.Run("access that has lapsed is not counted as unverified, too", func(t *testing.T) {
			unverified := whole
			unverified.MissingAt = nil
			b.must(b.SaveSubscription(ctx, a.id, unverified))
			for now, want := range map[time.Time][]string{at(6).Add(-time.Microsecond): {a.id}, *at(6): nil} {
				if got, err := collected(b.UnverifiedAccess(ctx, everywhere, now)); err != nil || !slices.Equal(got, want) {
					t.Errorf("at %v it is %v, %v", now, got, err)
				}
			}
			b.must(b.SaveSubscription(ctx, a.id, whole))
		})
		b.Run("an address is stale until Stripe was told, unless the customer is missing", func(t *testing.T) {
			for name, c := range map[string]struct {
				change func(*subscription.Subscription)
				stale  bool
			}{
				"stale": {func(*subscription.Subscription) {}, true}, "told": {func(s *subscription.Subscription) { s.CustomerStale = false }, false},
				"missing": {func(s *subscription.Subscription) { s.MissingAt = at(10) }, false}, "unlinked": {func(s *subscription.Subscription) { s.CustomerID = "" }, false},
			} {
				changed := whole
				changed.MissingAt = nil
				c.change(&changed)
				b.must(b.SaveSubscription(ctx, a.id, changed))
				got, err := collected(b.StaleCustomers(ctx, everywhere))
				if err != nil || (len(got) == 1) != c.stale || c.stale && !reflect.DeepEqual(got[0], changed) {
					t.Errorf("%s: %+v, %v", name, got, err)
				}
			}
			b.must(b.SaveSubscription(ctx, a.id, whole))
		})
		b.Run("paid access has no end until it is given one", func(t *testing.T) {
			for name, c := range map[string]struct {
				access plan.Name
				until  *time.Time
				want   []string
			}{
				"endless": {plan.Premium, nil, []string{a.id, other.id}}, "ending": {plan.Premium, at(11), []string{other.id}},
				"free": {plan.Free, nil, []string{other.id}}, "none": {"", nil, []string{other.id}},
			} {
				changed := whole
				changed.Access.Plan, changed.UnverifiedUntil = c.access, c.until
				b.must(b.SaveSubscription(ctx, a.id, changed))
				var got []string
				for s, err := range b.EndlessAccess(ctx, everywhere) {
					b.must(err)
					got = append(got, s.WorkspaceID)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%s: got %v, want %v", name, got, c.want)
				}
			}
			b.must(b.SaveSubscription(ctx, a.id, whole))
		})
		b.Run("access has lapsed at its last instant, and not before", func(t *testing.T) {
			for at, want := range map[time.Time][]string{at(6).Add(-time.Microsecond): nil, *at(6): {a.id}, *at(7): {a.id}} {
				if got, err := collected(b.LapsedAccess(ctx, everywhere, at)); err != nil || !slices.Equal(got, want) {
					t.Errorf("at %v it is %v, %v", at, got, err)
				}
			}
		})
	})
}

func TestBillingEvents(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		add := func(id string, at time.Time) (bool, error) { return b.AddBillingEvent(ctx, id, "invoice.paid", at) }

		b.Run("of fifty that store the same event, one succeeds", func(t *testing.T) {
			var all sync.WaitGroup
			var added atomic.Int32
			for range 50 {
				all.Go(func() {
					was, err := add("evt_1", epoch)
					if err != nil {
						t.Error(err)
					}
					if was {
						added.Add(1)
					}
				})
			}
			all.Wait()
			if added.Load() != 1 {
				t.Errorf("%d did", added.Load())
			}
		})
		b.Run("an event goes with the transaction that wrote it down", func(t *testing.T) {
			err := b.InTx(ctx, func(ctx context.Context) error {
				added, err := b.AddBillingEvent(ctx, "evt_2", "invoice.paid", epoch)
				if err != nil || !added {
					t.Errorf("it was added %v: %v", added, err)
				}
				return errTest
			})
			if !errors.Is(err, errTest) {
				t.Fatal(err)
			}
			if has, err := b.HasBillingEvent(ctx, "evt_2"); err != nil || has {
				t.Errorf("it is there %v: %v", has, err)
			}
			if added, err := add("evt_2", epoch); err != nil || !added {
				t.Errorf("it was added %v: %v", added, err)
			}
		})
		b.Run("old ones are deleted", func(t *testing.T) {
			_, err := add("evt_3", epoch.Add(time.Hour))
			b.must(err)
			b.must(b.DeleteBillingEvents(ctx, epoch.Add(time.Hour)))
			for id, want := range map[string]bool{"evt_1": false, "evt_2": false, "evt_3": true} {
				if has, err := b.HasBillingEvent(ctx, id); err != nil || has != want {
					t.Errorf("%s is there %v: %v", id, has, err)
				}
			}
		})
	})
}

func TestChores(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		begin := func(name string, since, now time.Time) bool {
			mine, err := b.BeginChore(b.Context(), name, since, now)
			if err != nil {
				b.Error(err)
			}
			return mine
		}

		b.Run("of many that begin a chore at once, one does it", func(t *testing.T) {
			var all sync.WaitGroup
			var begun atomic.Int32
			for range 20 {
				all.Go(func() {
					if begin("lapse", epoch.Add(-time.Minute), epoch) {
						begun.Add(1)
					}
				})
			}
			all.Wait()
			if begun.Load() != 1 {
				t.Errorf("%d do it", begun.Load())
			}
		})
		b.Run("what was begun at a time or later is known by the beginning of its name", func(t *testing.T) {
			for name, at := range map[string]time.Time{"mark b": epoch, "mark a": epoch.Add(time.Second), "mark c": epoch.Add(-time.Second), "marked": epoch} {
				begin(name, at, at)
			}
			if got, err := b.ChoresBegun(b.Context(), "mark ", epoch); err != nil || !slices.Equal(got, []string{"mark a", "mark b"}) {
				t.Errorf("got %q, %v", got, err)
			}
		})
		b.Run("it is not begun again before its time, and is then", func(t *testing.T) {
			later := epoch.Add(time.Minute)
			if begin("lapse", epoch, later) {
				t.Error("it was begun since the time")
			}
			if !begin("lapse", epoch.Add(time.Microsecond), later) || begin("lapse", later, later) {
				t.Error("it is not begun once more")
			}
		})
		b.Run("another chore has its own time", func(t *testing.T) {
			if !begin("reconcile", epoch, epoch) {
				t.Error("it is not begun")
			}
		})
	})
}
