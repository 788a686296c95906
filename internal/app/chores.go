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
func (s *Server) chores() []*chore {
	all := []*chore{
		{name: "retention", since: thisHour, do: s.Chat.DeleteExpired},
		{name: "audit.forget", since: lastNight, do: s.forgetAudit},
		{name: "plans.settle", since: lastNight, do: s.Tenants.SettleAll},
		{name: "limits.forget", since: thisHour, do: s.forgetLimits},
	}
	if s.Billing == nil {
		return append(all, &chore{name: "billing.unverified", since: lastNight, do: s.warnOfUnverified})
	}
	return append(all,
		&chore{name: "billing.prices", since: thisHour, do: s.readPrices},
		&chore{name: "billing.catch-up", since: thisHour, do: s.catchUp},
		&chore{name: "billing.reconcile", since: lastNight, do: s.reconcile},
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

// keepBooks does what is due by time alone: access that ends, mails, what
// Stripe has to be told and asked, and what is old enough to be deleted. None
// waits for another, which may wait for a network.
func (s *Server) keepBooks(ctx context.Context) {
	var tasks sync.WaitGroup
	defer tasks.Wait()
	tasks.Go(func() {
		every(ctx, choresEvery, func() {
			s.logUnlessStopped(ctx, "access that has ended is not taken away", s.lapse(ctx))
		})
	})
	if s.Mails != nil {
		tasks.Go(func() {
			every(ctx, mailsEvery, func() {
				_, err := s.Tenants.SendMails(ctx, s.Mails.Send)
				s.logUnlessStopped(ctx, "mails not sent", err)
			})
		})
	}
	if s.Billing != nil {
		tasks.Go(func() {
			every(ctx, choresEvery, func() {
				s.logUnlessStopped(ctx, "Stripe not told of a new address", s.Billing.PushCustomers(ctx))
			})
		})
	}
	for _, c := range s.chores() {
		tasks.Go(func() {
			every(ctx, choresEvery, func() {
				s.logUnlessStopped(ctx, "chore not done: "+c.name, c.run(ctx, s.Store.BeginChore, s.now()))
			})
		})
	}
}

// stripePatience is how long access goes on after its end while Stripe cannot
// be asked whether it has really ended.
const stripePatience = 24 * time.Hour

// lapse ends the access whose time has come.
func (s *Server) lapse(ctx context.Context) error {
	_, granted := s.Tenants.EndGrants(ctx)
	if s.Billing == nil {
		_, unverified := s.Tenants.EndUnverified(ctx)
		_, err := s.Tenants.Lapse(ctx)
		return errors.Join(granted, unverified, err)
	}
	asked := s.Billing.RefreshLapsed(ctx)
	_, err := s.Tenants.LapseBefore(ctx, s.now().Add(-stripePatience))
	return errors.Join(granted, asked, err)
}

// warnOfUnverified tells every day of plans that were paid for before Stripe
// was switched off.
func (s *Server) warnOfUnverified(ctx context.Context) error {
	found, err := s.Tenants.Unverified(ctx)
	if err == nil && len(found.Workspaces) > 0 {
		s.Log.Warn("plans that were paid for at Stripe end, as it is switched off: set STRIPE_SECRET_KEY again, or lower them with parley plan set",
			"workspaces", len(found.Workspaces), "first", found.Until.Format(time.DateOnly))
	}
	return err
}

// readPrices keeps with the plans what Stripe sells.
func (s *Server) readPrices(ctx context.Context) error {
	plans, err := s.Tenants.Plans(ctx)
	if err != nil {
		return err
	}
	return s.Billing.RefreshPrices(ctx, plans)
}

func (s *Server) catchUp(ctx context.Context) error {
	handled, err := s.Billing.CatchUp(ctx)
	if handled > 0 {
		s.Log.Info("events of Stripe that had not arrived are handled", "events", handled)
	}
	return err
}

func (s *Server) reconcile(ctx context.Context) error {
	corrected, err := s.Billing.Reconcile(ctx)
	if corrected > 0 {
		s.Log.Warn("subscriptions corrected from Stripe", "workspaces", corrected)
	}
	return err
}

// forgetAudit deletes the entries of the audit log that are old enough.
func (s *Server) forgetAudit(ctx context.Context) error {
	return s.Tenants.ForgetAudit(ctx, s.now().AddDate(0, 0, -s.Config.AuditDays))
}

// idleFor is after what time the counts of idle workspaces and the reservations
// of processes that have died are cleared away.
const idleFor = time.Hour

// forgetLimits clears away what limits across processes need no more.
func (s *Server) forgetLimits(ctx context.Context) error {
	before := s.now().Add(-idleFor)
	return errors.Join(s.Store.DeleteRequestMinutes(ctx, before), s.Store.SettleMessages(ctx, before))
}
