package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	chatstore "parley/store/chat"
	"parley/store/servers"
)

// chore is a task that one of all processes does once in each period.
type chore struct {
	name string
	// since returns when the period that a time belongs to began.
	since func(time.Time) time.Time
	do    func(context.Context) error
	// tries is how often this process, which started the chore and failed, may
	// still retry it.
	tries int
}

const (
	// choresEvery is how often processes look for due chores.
	choresEvery = time.Minute
	// mailsEvery is how often mails are sent: people wait for some of them.
	mailsEvery = 5 * time.Second
	// maxTries is how often a failing chore is tried, once a minute.
	maxTries = 30
	// slowChore is how long a chore may take before its duration is logged.
	slowChore = time.Second
	// nightly is the time of day at which nightly chores become due, UTC.
	nightly = 3 * time.Hour
)

func thisMinute(at time.Time) time.Time { return at.Truncate(time.Minute) }

func fiveMinutes(at time.Time) time.Time { return at.Truncate(5 * time.Minute) }

func thisHour(at time.Time) time.Time { return at.Truncate(time.Hour) }

// lastNight returns the most recent three o'clock before a time, UTC.
func lastNight(at time.Time) time.Time {
	return at.Add(-nightly).Truncate(24 * time.Hour).Add(nightly)
}

// chores returns the tasks that concern all processes together.
func (s *Server) chores() []*chore {
	all := []*chore{
		{name: "retention", since: thisHour, do: s.Chat.DeleteExpired},
		{name: "privacy.erase", since: thisMinute, do: s.Privacy.Work},
		{name: "privacy.addresses", since: lastNight, do: s.Privacy.ForgetAddresses},
		{name: "audit.forget", since: lastNight, do: s.forgetAudit},
		{name: "plans.settle", since: lastNight, do: s.Tenants.Plans.SettleAll},
		{name: "quota.notices", since: fiveMinutes, do: s.Tenants.Quotas.Watch},
		{name: "tokens.expiring", since: thisHour, do: s.Chatbots.Announcer.WarnOfExpiring},
		{name: "knowledge.reread", since: thisMinute, do: s.Knowledge.Selections.RereadOutdated},
		{name: "limits.forget", since: thisHour, do: s.forgetLimits},
	}
	if s.Billing == nil {
		return append(all, &chore{name: "billing.unverified", since: lastNight, do: s.warnOfUnverified})
	}
	return append(all,
		&chore{name: "billing.prices", since: thisHour, do: s.readPrices},
		&chore{name: "billing.catch-up", since: thisHour, do: s.catchUpWithStripe},
		&chore{name: "billing.reconcile", since: lastNight, do: s.reconcileWithStripe},
	)
}

// run does the chore if it is due and no other process has started it. The process
// that started a chore retries it when it fails.
func (c *chore) run(ctx context.Context, begin func(ctx context.Context, name string, since, now time.Time) (bool, error), at time.Time, log *slog.Logger) error {
	if c.tries == 0 {
		begun, err := begin(ctx, c.name, c.since(at), at)
		if err != nil || !begun {
			return err
		}
		c.tries = maxTries
	}
	c.tries--
	started := time.Now()
	err := c.do(ctx)
	took, level := time.Since(started), slog.LevelDebug
	if took > slowChore {
		level = slog.LevelInfo
	}
	log.Log(ctx, level, "chore ended", "chore", c.name, "duration_ms", took.Milliseconds())
	if err != nil {
		return err
	}
	c.tries = 0
	return nil
}

// runChores ends expired access, sends mails, encodes passages, exchanges news with Stripe,
// and deletes old rows. Each task has its own goroutine, because another may be waiting for the
// network.
func (s *Server) runChores(k *keeper) {
	k.every(choresEvery, "end expired access", s.endExpiredAccess)
	if s.Mails != nil {
		k.every(mailsEvery, "send mails", func(ctx context.Context) error {
			_, err := s.Tenants.Mails.Send(ctx, s.sendMail)
			return err
		})
	}
	if s.Encoding != nil {
		k.every(encodeEvery, "encode passages", s.encodePassages)
	}
	if s.Billing != nil {
		k.every(choresEvery, "send customers' new addresses to Stripe", s.Billing.PushCustomers)
	}
	for _, c := range s.chores() {
		k.keep(c.name, func(ctx context.Context) error {
			every(ctx, choresEvery, func() {
				logUnlessStopped(ctx, s.Log, "chore failed: "+c.name, c.run(ctx, servers.NewChores(s.Store).BeginChore, s.now(), s.Log))
			})
			return nil
		})
	}
}

// stripePatience is how long a workspace keeps access after its end while Stripe
// does not say whether it has really ended.
const stripePatience = 24 * time.Hour

// endExpiredAccess ends expired access.
func (s *Server) endExpiredAccess(ctx context.Context) error {
	_, granted := s.Tenants.Grants.EndDue(ctx)
	if s.Billing == nil {
		unverified := s.Tenants.Lapses.EndUnverified(ctx)
		_, err := s.Tenants.Lapses.Lapse(ctx)
		return errors.Join(granted, unverified, err)
	}
	asked := s.Billing.RefreshLapsed(ctx)
	_, err := s.Tenants.Lapses.LapseBefore(ctx, s.now().Add(-stripePatience))
	return errors.Join(granted, asked, err)
}

// warnOfUnverified logs daily which plans were paid for before Stripe was switched
// off.
func (s *Server) warnOfUnverified(ctx context.Context) error {
	found, err := s.Tenants.Lapses.Unverified(ctx)
	if err == nil && found.Workspaces > 0 {
		s.Log.Error("plans paid for at Stripe will end because Stripe is switched off: set STRIPE_SECRET_KEY again, or lower the plans with parley plan set",
			"workspaces", found.Workspaces, "first", found.Until.Format(time.DateOnly))
	}
	return err
}

// readPrices stores the prices at which Stripe sells the plans.
func (s *Server) readPrices(ctx context.Context) error {
	plans, err := s.Tenants.Plans.All(ctx)
	if err != nil {
		return err
	}
	return s.Billing.Setup.RefreshPrices(ctx, plans)
}

func (s *Server) catchUpWithStripe(ctx context.Context) error {
	handled, err := s.Billing.CatchUp(ctx)
	if handled > 0 {
		s.Log.Info("missed events of Stripe handled", "events", handled)
	}
	return err
}

func (s *Server) reconcileWithStripe(ctx context.Context) error {
	corrected, err := s.Billing.Reconcile(ctx)
	if corrected > 0 {
		s.Log.Warn("subscriptions corrected from Stripe", "workspaces", corrected)
	}
	return err
}

// forgetAudit deletes the entries of the audit log that are older than AUDIT_DAYS.
func (s *Server) forgetAudit(ctx context.Context) error {
	return s.Tenants.Audit.ForgetAudit(ctx, s.now().AddDate(0, 0, -s.Config.AuditDays))
}

// idleFor is how long the counts of idle workspaces and the reservations of dead
// processes are kept.
const idleFor = time.Hour

// forgetLimits deletes counts and reservations that limits no longer need.
func (s *Server) forgetLimits(ctx context.Context) error {
	before := s.now().Add(-idleFor)
	return errors.Join(servers.NewRequestMinutes(s.Store).DeleteRequestMinutes(ctx, accesses.leftovers, before), chatstore.NewMonths(s.Store).SettleMessages(ctx, accesses.leftovers, before),
		servers.NewBusyHosts(s.Store).DeleteFreeHosts(ctx))
}
