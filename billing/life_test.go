package billing_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"parley/core/plan"
)

// chapter is something that happens to a subscription.
type chapter struct {
	what     string
	plan     plan.Name
	interval plan.Interval
	passes   time.Duration
}

func (c chapter) String() string {
	if c.what == "pass" {
		return "pass " + c.passes.String()
	}
	return fmt.Sprintf("%s %s %s", c.what, c.plan, c.interval)
}

// The chapters that need no choice.
func passing(days int) chapter {
	return chapter{what: "pass", passes: time.Duration(days)*aDay + time.Hour}
}

// wholeLife has everything that usually happens.
var wholeLife = []chapter{
	{what: "buy", plan: plan.Basic, interval: plan.Monthly},
	{what: "come back"},
	passing(15), passing(31),
	{what: "card fails"},
	passing(31),
	{what: "card works"},
	passing(3),
	{what: "change", plan: plan.Premium, interval: plan.Monthly},
	passing(3),
	{what: "schedule", plan: plan.Standard, interval: plan.Monthly},
	passing(31), passing(31),
	{what: "end"},
	{what: "go on"},
	{what: "end"},
	passing(31),
	{what: "buy", plan: plan.Standard, interval: plan.Yearly},
	{what: "come back"},
	passing(7),
	{what: "card fails"},
	{what: "change", plan: plan.Premium, interval: plan.Monthly},
	passing(15), passing(1),
}

// found is how long Parley looks for a purchase whose person did not return.
const found = 29

// drawLife draws a life of up to a dozen chapters, which starts with a purchase. If somebody
// did not return from one, it lasts only as long as reconciliation would find it.
func drawLife(t *rapid.T) []chapter {
	if rapid.IntRange(0, 9).Draw(t, "whole life") == 0 {
		return wholeLife
	}
	plans := rapid.SampledFrom([]plan.Name{plan.Basic, plan.Standard, plan.Premium})
	intervals := rapid.SampledFrom([]plan.Interval{plan.Monthly, plan.Monthly, plan.Yearly})
	kinds := rapid.SampledFrom([]string{"buy", "pass", "pass", "pass", "pass", "pass", "card fails", "card fails", "card works", "change", "schedule", "end", "end", "go on", "cancel"})
	var life []chapter
	daysLeft := 1000
	for i := range rapid.IntRange(3, 12).Draw(t, "chapters") {
		what := "buy"
		if i > 0 {
			what = kinds.Draw(t, "what")
		}
		if what == "pass" {
			days := min(daysLeft, rapid.SampledFrom([]int{1, 3, 7, 15, 31}).Draw(t, "days"))
			daysLeft -= days
			life = append(life, passing(days))
			continue
		}
		life = append(life, chapter{what: what, plan: plans.Draw(t, "plan"), interval: intervals.Draw(t, "interval")})
		if what == "buy" && rapid.Bool().Draw(t, "comes back") {
			life = append(life, chapter{what: "come back"})
		} else if what == "buy" {
			daysLeft = min(daysLeft, found-i)
		}
	}
	return life
}

// live runs a chapter, if the state of Stripe allows it.
func (b *business) live(c chapter) {
	b.Helper()
	now := b.newest(b.customer)
	running := now.Status == plan.Trialing || now.Status == plan.Active || now.Status == plan.PastDue
	switch c.what {
	case "buy":
		b.customer = b.buy(b.workspace, c.plan, c.interval)
	case "come back":
		b.comeBack(b.workspace)
	case "pass":
		b.stripe.Advance(c.passes)
	case "card fails", "card works":
		b.stripe.FailPayments(b.customer, c.what == "card fails")
	case "change":
		if running {
			b.must(b.stripe.ChangePrice(b.customer, key(c.plan, c.interval)))
		}
	case "schedule":
		if running && now.EndsAt == nil {
			b.must(b.stripe.SchedulePrice(b.customer, key(c.plan, c.interval)))
		}
	case "end", "go on":
		if running {
			b.stripe.CancelAtPeriodEnd(b.customer, c.what == "end")
		}
	case "cancel":
		if running {
			b.stripe.Cancel(b.customer)
		}
	}
}

// newest returns the standing of a customer's latest subscription at Stripe, read without
// package billing. None starts before the previous one has ended.
func (b *business) newest(customer string) plan.Standing {
	all := b.stripe.Subscriptions(customer)
	if len(all) == 0 {
		return plan.Standing{}
	}
	sub := all[len(all)-1]
	parts := strings.Split(sub.Items.Data[0].Price.LookupKey, "_")
	standing := plan.Standing{Status: plan.Status(sub.Status), Plan: plan.Name(parts[1])}
	if sub.CancelAt != 0 {
		at := time.Unix(sub.CancelAt, 0)
		standing.EndsAt = &at
	}
	for _, invoice := range b.stripe.Invoices(customer) {
		if invoice.Subscription.ID == sub.ID && invoice.Status == "open" && standing.PastDueSince == nil {
			at := time.Unix(invoice.StatusTransitions.FinalizedAt, 0)
			standing.PastDueSince = &at
		}
	}
	return standing
}

// rightful returns the access that Stripe's state gives a customer now.
func (b *business) rightful(customer string) plan.Access {
	return b.newest(customer).Access(plan.Access{}, lifeGrace, b.stripe.Now())
}

func sameAccess(a, b plan.Access) bool {
	if a.Until == nil || b.Until == nil {
		return a.Plan == b.Plan && a.Until == b.Until
	}
	return a.Plan == b.Plan && a.Until.Equal(*b.Until)
}

// inOrder runs through a life with each event delivered once and in order, and returns the
// final row. The access must be right at all times.
func (b *business) inOrder(life []chapter) string {
	b.Helper()
	for i, c := range life {
		b.live(c)
		if accepted, of := b.stripe.Deliver(); accepted != of {
			b.Fatalf("after %v %d of %d deliveries were accepted", life[:i+1], accepted, of)
		}
		b.minutePasses()
		if got := b.row(b.workspace).Access; b.customer != "" && !sameAccess(orFree(got), b.rightful(b.customer)) {
			b.Fatalf("after %v access is %v, want %v of %+v", life[:i+1], got, b.rightful(b.customer), b.newest(b.customer))
		}
	}
	return said(b.row(b.workspace))
}

// minutePasses does what the server does every minute: it ends expired access, unless Stripe
// objects. It reports whether there was any.
func (b *business) minutePasses() (ended bool) {
	b.Helper()
	until := b.row(b.workspace).Access.Until
	b.must(b.processes[0].RefreshLapsed(b.ctx))
	_, err := b.Lapses.Lapse(b.ctx)
	b.must(err)
	return until != nil && !b.stripe.Now().Before(*until)
}

func orFree(access plan.Access) plan.Access {
	if access.Plan == "" {
		access.Plan = plan.Free
	}
	return access
}
