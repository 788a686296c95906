package tenant

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/system"
)

// The shares of a month's messages, in percent, of which owners are told: most of
// them, and all.
const (
	mostUsed = 80
	allUsed  = 100
)

// QuotaUse is how much of a month's messages a workspace has used.
type QuotaUse struct {
	WorkspaceID    string
	Used, Included int
	// Told is the highest share, in percent, of which the owners were told, or zero.
	Told int
}

// Reached is the highest share to tell of that the use has reached, in percent, or zero.
func (u QuotaUse) Reached() int {
	switch {
	case u.Included <= 0: // unlimited, or none
		return 0
	case u.Used >= u.Included:
		return allUsed
	case u.Used*100 >= u.Included*mostUsed:
		return mostUsed
	}
	return 0
}

// QuotaStore stores what owners were told about their messages. Months are such as
// "2026-11", in UTC.
type QuotaStore interface {
	// Quotas reads the use of every workspace that is not ending, a portion at a time.
	Quotas(ctx context.Context, access system.Access, month string) iter.Seq2[QuotaUse, error]
	// QuotaUse returns the use of one workspace.
	QuotaUse(ctx context.Context, workspaceID, month string) (QuotaUse, error)
	// AddQuotaNotice records that the owners are told of a share. It is a Conflict if
	// they were.
	AddQuotaNotice(ctx context.Context, workspaceID, month string, percent int, at time.Time) error
	// DeleteQuotaNotices forgets of what the owners were told.
	DeleteQuotaNotices(ctx context.Context, workspaceID, month string) error
}

// QuotaSubscriber hears when a workspace reaches a share of its messages, in the
// transaction that records it.
type QuotaSubscriber interface {
	QuotaReached(ctx context.Context, use QuotaUse, percent int) error
}

// QuotaNotices tells owners when most of a month's messages are used, and when all are.
type QuotaNotices struct {
	db         Database
	mails      *outbox.Writer
	subscriber QuotaSubscriber
	now        func() time.Time
}

// Watch tells the owners of every workspace what they were not told yet. Of what is told,
// a higher plan makes news again.
func (n *QuotaNotices) Watch(ctx context.Context) error {
	month := plan.MonthOf(plan.Messages, n.now())
	var failures []error
	for use, err := range n.db.Quotas.Quotas(ctx, n.db.System, month) {
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		switch reached := use.Reached(); {
		case reached < use.Told:
			failures = append(failures, n.db.Quotas.DeleteQuotaNotices(ctx, use.WorkspaceID, month))
		case reached > use.Told:
			failures = append(failures, n.notifyOwners(ctx, use, month))
		}
	}
	return errors.Join(failures...)
}

// notifyOwners records a notice together with its mails, unless another process has.
func (n *QuotaNotices) notifyOwners(ctx context.Context, use QuotaUse, month string) error {
	err := n.db.Tx.InTx(ctx, func(ctx context.Context) error {
		workspace, err := n.db.Workspaces.Workspace(ctx, use.WorkspaceID)
		if err != nil || workspace.Ending() {
			return err
		}
		if err := n.db.Quotas.AddQuotaNotice(ctx, use.WorkspaceID, month, use.Reached(), n.now()); err != nil {
			return err
		}
		if n.subscriber != nil {
			if err := n.subscriber.QuotaReached(ctx, use, use.Reached()); err != nil {
				return err
			}
		}
		return n.mail(ctx, workspace, use)
	})
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) { // told by another process, or gone
		return nil
	}
	return err
}

func (n *QuotaNotices) mail(ctx context.Context, w Workspace, use QuotaUse) error {
	members, err := n.db.Members.Members(ctx, w.ID)
	if err != nil {
		return err
	}
	letter := n.letter(w, use)
	for _, m := range members {
		if m.Role != RoleOwner {
			continue
		}
		if err := n.mails.Write(ctx, m.Email, letter); err != nil {
			return err
		}
	}
	return nil
}

func (n *QuotaNotices) letter(w Workspace, use QuotaUse) outbox.Letter {
	renewal := plan.NextMonth(n.now()).Format("January 2")
	link := outbox.Link{Text: "Usage and billing", URL: n.mails.Link("/workspaces/" + w.ID + "/billing")}
	if use.Reached() == allUsed {
		return outbox.Letter{
			Subject: fmt.Sprintf("%s has used all of this month's messages", w.ShortName()),
			Says: []string{
				fmt.Sprintf("The workspace %s has used all %s messages that the %s plan includes each month. Its chatbots answer no more questions until %s.",
					w.Name, plan.Thousands(use.Included), w.Plan.Title(), renewal),
				"To go on now, upgrade the plan:",
			},
			Link: link,
		}
	}
	return outbox.Letter{
		Subject: fmt.Sprintf("%s has used %d%% of this month's messages", w.ShortName(), mostUsed),
		Says: []string{
			fmt.Sprintf("The workspace %s has used %s of the %s messages that the %s plan includes each month. When all are used, its chatbots stop answering until %s.",
				w.Name, plan.Thousands(use.Used), plan.Thousands(use.Included), w.Plan.Title(), renewal),
			"You can look at the use, or upgrade the plan, here:",
		},
		Link: link,
	}
}

// Near returns how much of the month's messages a workspace has used, if its owners were
// told of it and it still holds; otherwise its Told is zero.
func (n *QuotaNotices) Near(ctx context.Context, workspaceID string) (QuotaUse, error) {
	use, err := n.db.Quotas.QuotaUse(ctx, workspaceID, plan.MonthOf(plan.Messages, n.now()))
	if use.Reached() < use.Told {
		use.Told = use.Reached()
	}
	return use, err
}
