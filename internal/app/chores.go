package app

import (
	"context"
	"errors"
	"sync"
	"time"
)

// chore is something that one process of many does once a period.
type chore struct {
	name string
	// since is when the period of a time began.
	since func(time.Time) time.Time
	do    func(context.Context) error
	// tries are those that are left to this process, which began the chore
	// and failed.
	tries int
}

const (
	// choresEvery is how soon what is due is done.
	choresEvery = time.Minute
	// mailsEvery is how soon mails are sent: people wait for some of them.
	mailsEvery = 5 * time.Second
	// maxTries is how often a chore that fails is tried, a minute apart.
	maxTries = 30
	// nightly is when the period of a day begins, UTC.
	nightly = 3 * time.Hour
)

func thisHour(at time.Time) time.Time { return at.Truncate(time.Hour) }

// lastNight is the last three o'clock, UTC.
func lastNight(at time.Time) time.Time {
	return at.Add(-nightly).Truncate(24 * time.Hour).Add(nightly)
}

// chores are those that do not concern a single process.
func (h *housekeeping) chores() []*chore {
	all := []*chore{
		{name: "retention", since: thisHour, do: h.Chat.DeleteExpired},
		{name: "audit.forget", since: lastNight, do: h.forgetAudit},
		{name: "plans.settle", since: lastNight, do: h.Tenants.SettleAll},
		{name: "limits.forget", since: thisHour, do: h.forgetLimits},
	}
	if h.Billing == nil {
		return append(all, &chore{name: "billing.unverified", since: lastNight, do: h.warnOfUnverified})
	}
	return append(all,
		&chore{name: "billing.prices", since: thisHour, do: h.readPrices},
		&chore{name: "billing.catch-up", since: thisHour, do: h.catchUp},
		&chore{name: "billing.reconcile", since: lastNight, do: h.reconcile},
	)
}

// run does the chore if it is due, and nobody else has begun it. One that
// failed is tried again by who began it.
func (c *chore) run(ctx context.Context, begin func(ctx context.Context, name string, since, now time.Time) (bool, error), at time.Time) error {
	if c.tries == 0 {
		begun, err := begin(ctx, c.name, c.since(at), at)
		if err != nil || !begun {
			return err
		}
		c.tries = maxTries
	}
	c.tries--
	if err := c.do(ctx); err != nil {
		return err
	}
	c.tries = 0
	return nil
}

// runChores does what is due by time alone: access that ends, mails, what
// Stripe has to be told and asked, and what is old enough to be deleted. None
// waits for another, which may wait for a network.
func (h *housekeeping) runChores(ctx context.Context) {
	var tasks sync.WaitGroup
	defer tasks.Wait()
	tasks.Go(func() {
		every(ctx, choresEvery, func() {
			logUnlessStopped(ctx, h.Log, "access that has ended is not taken away", h.lapse(ctx))
		})
	})
	if h.Mails != nil {
		tasks.Go(func() {
			every(ctx, mailsEvery, func() {
				_, err := h.Tenants.SendMails(ctx, h.Mails.Send)
				logUnlessStopped(ctx, h.Log, "mails not sent", err)
			})
		})
	}
	if h.Billing != nil {
		tasks.Go(func() {
			every(ctx, choresEvery, func() {
				logUnlessStopped(ctx, h.Log, "Stripe not told of a new address", h.Billing.PushCustomers(ctx))
			})
		})
	}
	for _, c := range h.chores() {
		tasks.Go(func() {
			every(ctx, choresEvery, func() {
				logUnlessStopped(ctx, h.Log, "chore not done: "+c.name, c.run(ctx, h.Store.BeginChore, h.now()))
			})
		})
	}
}

// stripePatience is how long access goes on after its end while Stripe cannot
// be asked whether it has really ended.
const stripePatience = 24 * time.Hour

// lapse ends the access whose time has come.
func (h *housekeeping) lapse(ctx context.Context) error {
	_, granted := h.Tenants.EndGrants(ctx)
	if h.Billing == nil {
		_, unverified := h.Tenants.EndUnverified(ctx)
		_, err := h.Tenants.Lapse(ctx)
		return errors.Join(granted, unverified, err)
	}
	asked := h.Billing.RefreshLapsed(ctx)
	_, err := h.Tenants.LapseBefore(ctx, h.now().Add(-stripePatience))
	return errors.Join(granted, asked, err)
}

// warnOfUnverified tells every day of plans that were paid for before Stripe
// was switched off.
func (h *housekeeping) warnOfUnverified(ctx context.Context) error {
	found, err := h.Tenants.Unverified(ctx)
	if err == nil && len(found.Workspaces) > 0 {
		h.Log.Warn("plans that were paid for at Stripe end, as it is switched off: set STRIPE_SECRET_KEY again, or lower them with parley plan set",
			"workspaces", len(found.Workspaces), "first", found.Until.Format(time.DateOnly))
	}
	return err
}

// readPrices keeps with the plans what Stripe sells.
func (h *housekeeping) readPrices(ctx context.Context) error {
	plans, err := h.Tenants.Plans(ctx)
	if err != nil {
		return err
	}
	return h.Billing.RefreshPrices(ctx, plans)
}

func (h *housekeeping) catchUp(ctx context.Context) error {
	handled, err := h.Billing.CatchUp(ctx)
	if handled > 0 {
		h.Log.Info("events of Stripe that had not arrived are handled", "events", handled)
	}
	return err
}

func (h *housekeeping) reconcile(ctx context.Context) error {
	corrected, err := h.Billing.Reconcile(ctx)
	if corrected > 0 {
		h.Log.Warn("subscriptions corrected from Stripe", "workspaces", corrected)
	}
	return err
}

// forgetAudit deletes the entries of the audit log that are old enough.
func (h *housekeeping) forgetAudit(ctx context.Context) error {
	return h.Tenants.ForgetAudit(ctx, h.now().AddDate(0, 0, -h.Config.AuditDays))
}

// idleFor is after what time the counts of idle workspaces and the reservations
// of processes that have died are cleared away.
const idleFor = time.Hour

// forgetLimits clears away what limits across processes need no more.
func (h *housekeeping) forgetLimits(ctx context.Context) error {
	before := h.now().Add(-idleFor)
	return errors.Join(h.Store.DeleteRequestMinutes(ctx, before), h.Store.SettleMessages(ctx, before))
}
