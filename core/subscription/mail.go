package subscription

import (
	"context"
	"slices"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/tenant"
)

// Notices writes the mails to owners about the plan.
type Notices struct {
	db    Database
	mails *outbox.Writer
	now   func() time.Time
}

// MailStore stores mails about workspaces until they are sent.
type MailStore interface {
	// AddMail adds a mail that is due at its DueAt, which is never nil, unless one with
	// its key exists.
	AddMail(ctx context.Context, workspaceID string, mail outbox.Mail) error
}

// announce writes the mails that follow from a subscription's state. Existing ones stay. The
// end of the plan is news only if this change ended it.
func (n *Notices) announce(ctx context.Context, workspace tenant.Workspace, before, after Subscription) error {
	if !n.mails.On() {
		return nil
	}
	now := n.now()
	news := notices(workspace, after, now)
	if !before.Access.Plan.Above(after.Access.Plan) {
		news = slices.DeleteFunc(news, func(n notice) bool { return n.ended })
	}
	mails, err := n.toOwners(ctx, workspace, news)
	if err != nil {
		return err
	}
	for _, mail := range mails {
		if mail.DueAt.Before(now) {
			continue // a reminder of what today's mail says
		}
		if err := n.db.Mails.AddMail(ctx, workspace.ID, mail); err != nil {
			return err
		}
	}
	return nil
}

// toOwners addresses notices to every owner.
func (n *Notices) toOwners(ctx context.Context, workspace tenant.Workspace, news []notice) ([]outbox.Mail, error) {
	members, err := n.db.Members.Members(ctx, workspace.ID)
	if err != nil {
		return nil, err
	}
	var mails []outbox.Mail
	for _, news := range news {
		for _, m := range members {
			if m.Role != tenant.RoleOwner {
				continue
			}
			mail, err := n.mail(news, workspace, m)
			if err != nil {
				return nil, err
			}
			mails = append(mails, mail)
		}
	}
	return mails, nil
}

// mail addresses a notice to one owner.
func (n *Notices) mail(news notice, w tenant.Workspace, owner tenant.Member) (outbox.Mail, error) {
	return n.mails.Compose(outbox.Mail{
		WorkspaceID: w.ID, Key: news.key + ":" + owner.UserID, To: owner.Email, DueAt: &news.due, CreatedAt: n.now(),
	}, n.letter(news, w))
}

// letter has a link to what the notice wants done: to pay an invoice, if one is open,
// or to look at the plan.
func (n *Notices) letter(news notice, w tenant.Workspace) outbox.Letter {
	billing := n.mails.Link("/workspaces/" + w.ID + "/billing")
	letter := outbox.Letter{Subject: news.subject, Says: news.says, Link: outbox.Link{Text: "Usage and billing", URL: billing}}
	if news.invoiceURL != "" {
		letter.Link = outbox.Link{Text: "Pay the invoice", URL: news.invoiceURL}
		letter.Then = []string{"Or update the payment method:", billing}
	}
	return letter
}

// AsOfNow returns a mail as it would be written now, or false if it is no longer true: an
// owner who has resumed a subscription gets no mail about its end.
func (n *Notices) AsOfNow(ctx context.Context, mail outbox.Mail) (outbox.Mail, bool, error) {
	workspace, err := n.db.Workspaces.Workspace(ctx, mail.WorkspaceID)
	if fault.Is(err, fault.NotFound) {
		return outbox.Mail{}, false, nil
	}
	if err != nil {
		return outbox.Mail{}, false, err
	}
	subscription, err := n.db.subscriptionOf(ctx, mail.WorkspaceID)
	if err != nil {
		return outbox.Mail{}, false, err
	}
	current, err := n.toOwners(ctx, workspace, notices(workspace, subscription, n.now()))
	for _, news := range current {
		if news.Key == mail.Key {
			news.ID, news.Attempts = mail.ID, mail.Attempts
			return news, true, err
		}
	}
	return outbox.Mail{}, false, err
}
