package billing_test

import (
	"flag"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stripe/stripe-go/v76"
	"pgregory.net/rapid"

	"parley/core/plan"
)

// inDisorder runs through a life whose events are delivered late, repeatedly, in any
// order, concurrently, or not at all, and returns the row after one reconciliation. The
// access always matches a state that Stripe had; after a new event, it matches the current
// state.
func (b *business) inDisorder(t *rapid.T, life []chapter) string {
	b.Helper()
	allAtTheEnd := rapid.Bool().Draw(t, "all at the end")
	had := []plan.Access{{Plan: plan.Free}}
	handled := map[string]bool{}
	for i, c := range life {
		b.live(c)
		had = append(had, b.rightful(b.customer))
		var deliveries []stripe.Event
		switch {
		case !allAtTheEnd:
			deliveries = anyOf(t, b.stripe.Events())
		case i == len(life)-1:
			deliveries = append(shuffled(t, b.stripe.Events()), anyOf(t, b.stripe.Events())...)
		}
		b.send(deliveries, rapid.Bool().Draw(t, "at once"))
		if got := orFree(b.row(b.workspace).Access); news(deliveries, handled) && !sameAccess(got, b.rightful(b.customer)) {
			b.Fatalf("after %v and news access is %v, want %v", life[:i+1], got, b.rightful(b.customer))
		}
		if b.minutePasses() && !sameAccess(b.row(b.workspace).Access, b.rightful(b.customer)) {
			b.Fatalf("after %v access has ended, and is now %v, want %v", life[:i+1], b.row(b.workspace).Access, b.rightful(b.customer))
		}
		b.wantOneOf(had, life[:i+1])
	}
	_, err := b.processes[1].Reconcile(b.ctx)
	b.must(err)
	b.minutePasses()
	return said(b.row(b.workspace))
}

// anyOf returns a few of the latest events, in any order and number.
func anyOf(t *rapid.T, events []stripe.Event) (drawn []stripe.Event) {
	for range max(0, rapid.IntRange(-4, 8).Draw(t, "deliveries")) {
		drawn = append(drawn, events[len(events)-1-rapid.IntRange(0, min(len(events), 30)-1).Draw(t, "event")])
	}
	return drawn
}

func shuffled(t *rapid.T, events []stripe.Event) []stripe.Event {
	places := make([]int, len(events))
	for i := range places {
		places[i] = i
	}
	var drawn []stripe.Event
	for _, i := range rapid.Permutation(places).Draw(t, "order") {
		drawn = append(drawn, events[i])
	}
	return drawn
}

// news reports whether an event about a subscription has not been handled yet.
func news(events []stripe.Event, handled map[string]bool) (any bool) {
	for _, e := range events {
		about := strings.HasPrefix(string(e.Type), "customer.subscription.") || strings.HasPrefix(string(e.Type), "invoice.")
		any = any || about && !handled[e.ID]
		handled[e.ID] = true
	}
	return any
}

// send delivers events one after the other, or all at once and then again those that were
// not accepted.
func (b *business) send(events []stripe.Event, atOnce bool) {
	b.Helper()
	if atOnce {
		events = b.sendAtOnce(events)
	}
	if accepted := b.stripe.Send(events...); accepted != len(events) {
		b.Fatalf("%d of %d deliveries were accepted", accepted, len(events))
	}
}

// sendAtOnce returns the events that were not accepted.
func (b *business) sendAtOnce(events []stripe.Event) (left []stripe.Event) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, e := range events {
		all.Go(func() {
			if b.stripe.Send(e) == 0 {
				mu.Lock()
				defer mu.Unlock()
				left = append(left, e)
			}
		})
	}
	all.Wait()
	return left
}

func (b *business) wantOneOf(had []plan.Access, life []chapter) {
	b.Helper()
	got := orFree(b.row(b.workspace).Access)
	if got.Until != nil && !b.stripe.Now().Before(*got.Until) {
		b.Fatalf("after %v access is %v, though that is over", life, got)
	}
	if !slices.ContainsFunc(had, func(a plan.Access) bool { return sameAccess(got, a) }) {
		b.Fatalf("after %v access is %v, which Stripe's states never gave: %v", life, got, had)
	}
	if b.inForce(b.workspace) != got.Plan {
		b.Fatalf("after %v the plan in force is %s, the access %v", life, b.inForce(b.workspace), got)
	}
}

// A life takes some hundred requests and commits. This is how many lives run unless the
// command line sets another number.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
}

func TestAnyOrderOfDeliveries(t *testing.T) {
	t.Parallel()
	ordered, disordered := openBooks(t, ""), openBooks(t, "")
	rapid.Check(t, func(rt *rapid.T) {
		life := drawLife(rt)
		givesUp := rapid.SampledFrom([]stripe.SubscriptionStatus{"canceled", "unpaid", "past_due"}).Draw(rt, "after the last retry")
		first := newBusiness(rt, t, ordered, givesUp)
		defer first.leave()
		want := first.inOrder(life)
		second := newBusiness(rt, t, disordered, givesUp)
		defer second.leave()
		if got := second.inDisorder(rt, life); got != want {
			rt.Fatalf("after %v and one reconciliation the row is\n%s\nwant\n%s", life, got, want)
		}
	})
}
