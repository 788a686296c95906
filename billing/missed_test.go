package billing_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing"
	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/core/plan"
	"parley/core/subscription"
)

// shops are workspaces to which something happens while no webhook arrives, with the plan
// that they then have.
var shops = []struct {
	workspace, what string
	happens         func(b *business, customer string)
	then            plan.Name
}{
	{"ws_1", "an upgrade", func(b *business, c string) { b.must(b.stripe.ChangePrice(c, "parley_premium_monthly")) }, plan.Premium},
	{"ws_2", "a scheduled downgrade", func(b *business, c string) { b.must(b.stripe.SchedulePrice(c, "parley_basic_monthly")) }, plan.Basic},
	{"ws_3", "a cancellation for the end of the period", func(b *business, c string) { b.stripe.CancelAtPeriodEnd(c, true) }, plan.Free},
	{"ws_4", "an immediate end", func(b *business, c string) { b.stripe.Cancel(c) }, plan.Free},
	{"ws_5", "a payment that fails", func(b *business, c string) { b.stripe.FailPayments(c, true) }, plan.Standard},
	{"ws_6", "a renewal", func(*business, string) {}, plan.Standard},
}

func TestAllWebhooksDroppedForADay(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, b *business) {
		customers := map[string]string{}
		for _, s := range shops {
			b.open(s.workspace)
			customers[s.workspace] = b.buy(s.workspace, plan.Standard, plan.Monthly)
		}
		b.stripe.Advance(14*aDay + 2*time.Hour) // the trials are over
		b.stripe.Advance(27 * aDay)             // and the periods nearly
		if accepted, of := b.stripe.Deliver(); accepted != of {
			t.Fatalf("%d of %d deliveries were accepted", accepted, of)
		}

		b.stripe.SetWebhook("")
		for _, s := range shops {
			s.happens(b, customers[s.workspace])
		}
		customers[b.workspace] = b.buy(b.workspace, plan.Basic, plan.Yearly)
		b.stripe.Advance(aDay)
		if accepted, of := b.stripe.Deliver(); accepted != 0 || of == 0 {
			t.Fatalf("%d of %d deliveries came through", accepted, of)
		}

		corrected, err := b.processes[0].Reconcile(b.ctx)
		if all := len(shops) + 1; err != nil || corrected != all || b.alarms.corrected != all {
			t.Errorf("one reconciliation corrected %d (counted %d), %v", corrected, b.alarms.corrected, err)
		}
		check := func(workspace, what string, then plan.Name) {
			t.Run(what, func(t *testing.T) {
				row := b.row(workspace)
				if want := b.rightful(customers[workspace]); !sameAccess(row.Access, want) || want.Plan != then || b.inForce(workspace) != then {
					t.Errorf("access is %v, want %v; the plan in force is %s, want %s", row.Access, want, b.inForce(workspace), then)
				}
				if told := b.audited(workspace)["reconciliation"]; len(told) != 1 || told[0] == "" {
					t.Errorf("the audit log has %q from the reconciliation", told)
				}
			})
		}
		for _, s := range shops {
			check(s.workspace, s.what, s.then)
		}
		check(b.workspace, "a purchase from which nobody returned", plan.Basic)
		t.Run("another reconciliation corrects nothing", func(t *testing.T) {
			if corrected, err := b.processes[1].Reconcile(b.ctx); err != nil || corrected != 0 {
				t.Errorf("it corrected %d, %v", corrected, err)
			}
		})
		t.Run("nor do events that arrive a day late", func(t *testing.T) {
			b.stripe.SetWebhook(b.endpoint.URL)
			before := b.audited("ws_1")["stripe"]
			if accepted, of := b.stripe.Redeliver(); accepted != of || of == 0 {
				t.Errorf("%d of %d were accepted", accepted, of)
			}
			if after := b.audited("ws_1")["stripe"]; len(after) != len(before) {
				t.Errorf("the audit log tells more: %q", after)
			}
		})
	})
}

func TestCatchUpWithMissedEvents(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, b *business) {
		b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
		b.stripe.Deliver()
		b.stripe.Cancel(b.customer)
		b.stripe.Take()
		handled, err := b.processes[0].CatchUp(b.ctx)
		if err != nil || handled == 0 || b.inForce(b.workspace) != plan.Free {
			t.Errorf("%d were handled, %v; the plan is %s", handled, err, b.inForce(b.workspace))
		}
		if again, err := b.processes[1].CatchUp(b.ctx); err != nil || again != 0 {
			t.Errorf("a second time %d were handled, %v", again, err)
		}
		if told := b.audited(b.workspace)["reconciliation"]; len(told) != 1 {
			t.Errorf("the audit log tells %q", told)
		}
	})
}

func TestStripeAwayWhileAnEventArrives(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, t, openBooks(t, ""), "")
	b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
	b.comeBack(b.workspace)
	b.stripe.Take()
	b.must(b.stripe.ChangePrice(b.customer, "parley_premium_monthly"))
	before := said(b.row(b.workspace))
	b.stripe.SetDown(true)
	if accepted, of := b.stripe.Deliver(); accepted != 0 || of == 0 {
		t.Errorf("%d of %d were accepted although nothing could be read", accepted, of)
	}
	if after := said(b.row(b.workspace)); after != before {
		t.Errorf("the row is %s, and was %s", after, before)
	}
	b.stripe.SetDown(false)
	if accepted, of := b.stripe.Redeliver(); accepted != of {
		t.Errorf("%d of %d were accepted afterward", accepted, of)
	}
	if got := b.inForce(b.workspace); got != plan.Premium {
		t.Errorf("the plan is %s", got)
	}
}

func TestAccessEndsWithoutEvents(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, t, openBooks(t, ""), "past_due") // forever
	lapsesTo := func(want plan.Name) {
		t.Helper()
		if b.minutePasses(); b.inForce(b.workspace) != want {
			t.Errorf("at %s the plan is %s, want %s", b.stripe.Now(), b.inForce(b.workspace), want)
		}
	}
	b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
	b.stripe.CancelAtPeriodEnd(b.customer, true)
	b.stripe.Deliver()
	end := *b.row(b.workspace).EndsAt
	b.stripe.Advance(end.Sub(b.stripe.Now()) - time.Second)
	lapsesTo(plan.Standard)
	b.stripe.Advance(time.Second)
	b.stripe.Take()
	lapsesTo(plan.Free)

	b.buy(b.workspace, plan.Standard, plan.Monthly)
	b.stripe.FailPayments(b.customer, true)
	b.stripe.Advance(32 * aDay)
	b.stripe.Deliver()
	since := *b.row(b.workspace).PastDueSince
	b.stripe.Advance(since.Add(lifeGrace).Sub(b.stripe.Now()) - time.Second)
	lapsesTo(plan.Standard)
	b.stripe.Advance(time.Second)
	lapsesTo(plan.Free)
	if got := b.newest(b.customer).Status; got != plan.PastDue {
		t.Errorf("at Stripe the subscription is %s", got)
	}
}

func TestAccessContinuesWithoutEvents(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, t, openBooks(t, ""), "")
	b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
	b.stripe.CancelAtPeriodEnd(b.customer, true)
	b.stripe.Deliver()
	b.stripe.CancelAtPeriodEnd(b.customer, false)
	b.stripe.Advance(31 * aDay)
	b.stripe.Take()
	if ended := b.minutePasses(); !ended || b.inForce(b.workspace) != plan.Standard {
		t.Errorf("whoever has paid is on the plan %s", b.inForce(b.workspace))
	}
}

func TestUnknownStatus(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, t, openBooks(t, ""), "")
	b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
	b.stripe.CancelAtPeriodEnd(b.customer, true)
	b.stripe.Deliver()
	before := b.row(b.workspace).Access
	b.stripe.SetStatus(b.customer, "hibernating")
	if accepted, _ := b.stripe.Deliver(); accepted != 1 {
		t.Error("the event was not accepted")
	}
	row := b.row(b.workspace)
	if !sameAccess(row.Access, before) || !row.Access.Unknown || b.inForce(b.workspace) != plan.Standard {
		t.Errorf("access is %+v, want the earlier %+v; the plan is %s", row.Access, before, b.inForce(b.workspace))
	}
	if b.alarms.rang(billing.UnknownStatus) == 0 {
		t.Error("there was no alarm")
	}
	if corrected, err := b.processes[0].Reconcile(b.ctx); err != nil || corrected != 0 || !sameAccess(b.row(b.workspace).Access, before) {
		t.Errorf("a reconciliation corrected %d, %v", corrected, err)
	}
	b.stripe.SetStatus(b.customer, "active")
	b.stripe.Deliver()
	if b.row(b.workspace).Access.Unknown {
		t.Error("a status that is known again is still unknown")
	}
}

func TestSameEventAtOnce(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, b *business) {
		const times = 50
		b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
		b.comeBack(b.workspace)
		b.stripe.Take()
		before, told := b.row(b.workspace), len(b.audited(b.workspace)["stripe"])
		b.must(b.stripe.ChangePrice(b.customer, "parley_premium_monthly"))
		upgraded := ofType(t, b.stripe.Take(), "customer.subscription.updated")
		var all sync.WaitGroup
		for range times {
			all.Go(func() {
				if b.stripe.Send(upgraded) != 1 {
					t.Error("one was not accepted")
				}
			})
		}
		all.Wait()
		after := b.row(b.workspace)
		if after.Revision != before.Revision+1 || after.Plan != plan.Premium || b.inForce(b.workspace) != plan.Premium {
			t.Errorf("from revision %d it went to %d, of %s", before.Revision, after.Revision, after.Plan)
		}
		if now := b.audited(b.workspace)["stripe"]; len(now) != told+1 {
			t.Errorf("the audit log told %d things, and tells %q", told, now)
		}
	})
}

func TestRefreshThatLosesTheRace(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, b *business) {
		b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
		b.comeBack(b.workspace)
		read, overtaken := make(chan struct{}), make(chan struct{})
		var lists int
		var counting sync.Mutex
		b.stripe.OnAnswer(func(r stripetest.Request) {
			if r.Method != http.MethodGet || !strings.HasPrefix(r.Path, "/v1/subscriptions") {
				return
			}
			counting.Lock()
			lists++
			first := lists == 1
			counting.Unlock()
			if first { // this one has read the old state, and is slow
				close(read)
				<-overtaken
			}
		})
		slow := make(chan subscription.Applied, 1)
		go func() {
			applied, err := b.processes[0].Refresh(audit.As(b.ctx, audit.Person("usr_slow", "slow@example.com")), b.workspace, subscription.Cause{})
			if err != nil {
				t.Error(err)
			}
			slow <- applied
		}()
		<-read
		b.stripe.Cancel(b.customer)
		if _, err := b.processes[1].Refresh(audit.As(b.ctx, audit.Person("usr_fast", "fast@example.com")), b.workspace, subscription.Cause{}); err != nil {
			t.Error(err)
		}
		close(overtaken)
		applied := <-slow
		if row := b.row(b.workspace); row.Status != plan.Canceled || b.inForce(b.workspace) != plan.Free {
			t.Errorf("the earlier state returned: %s on %s", row.Status, b.inForce(b.workspace))
		}
		if applied.Changed || applied.After.Status != plan.Canceled {
			t.Errorf("the slow one has applied %+v", applied)
		}
		told := b.audited(b.workspace)
		if len(told["fast@example.com"]) != 1 || len(told["slow@example.com"]) != 0 {
			t.Errorf("the audit log tells %q", told)
		}
	})
}

// ofType finds the last event of a type.
func ofType(t *testing.T, events []stripe.Event, kind stripe.EventType) stripe.Event {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type == kind {
			return events[i]
		}
	}
	t.Fatalf("no event is %s", kind)
	return stripe.Event{}
}
