package tenant

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/core/fault"
)

const (
	// mailLease is how long a process has for one mail before another tries.
	mailLease = 5 * time.Minute
	// mailAttempts are spread over ten hours: the pause doubles.
	mailAttempts = 8
	mailPause    = 5 * time.Minute
	// mailsAtOnce bounds one call of SendMails.
	mailsAtOnce = 100
)

// announce writes the mails that follow from a subscription's state. Those that
// are written already stay as they are. That the plan has ended is news only
// when this change ended it.
func (s *Service) announce(ctx context.Context, workspace Workspace, before, after Subscription) error {
	if !s.options.Mails {
		return nil
	}
	now := s.now()
	news := notices(workspace, after, now)
	if !before.Access.Plan.Above(after.Access.Plan) {
		news = slices.DeleteFunc(news, func(n notice) bool { return n.ended })
	}
	mails, err := s.mails(ctx, workspace, news)
	if err != nil {
		return err
	}
	for _, mail := range mails {
		if mail.DueAt.Before(now) {
			continue // a reminder of what is told today
		}
		if err := s.store.AddMail(ctx, workspace.ID, mail); err != nil {
			return err
		}
	}
	return nil
}

// mails are notices to every owner.
func (s *Service) mails(ctx context.Context, workspace Workspace, news []notice) ([]Mail, error) {
	members, err := s.store.Members(ctx, workspace.ID)
	if err != nil {
		return nil, err
	}
	var mails []Mail
	for _, n := range news {
		for _, m := range members {
			if m.Role == RoleOwner {
				mails = append(mails, s.mail(n, workspace, m))
			}
		}
	}
	return mails, nil
}

// SendMails sends what is due and returns how many mails were sent. A mail that
// is no news any more is not sent. One that send refuses as Invalid is given
// up; after any other failure it is tried again later, and the rest waits for
// the next call, for the mail server may be away.
func (s *Service) SendMails(ctx context.Context, send func(context.Context, Mail) error) (sent int, err error) {
	var failures []error
	for range mailsAtOnce {
		mail, err := s.claimMail(ctx)
		if fault.Is(err, fault.NotFound) {
			break
		}
		if err != nil {
			return sent, errors.Join(append(failures, err)...)
		}
		was, err := s.post(ctx, mail, send)
		if was {
			sent++
		}
		if err != nil {
			failures = append(failures, err)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			break
		}
	}
	return sent, errors.Join(failures...)
}

func (s *Service) claimMail(ctx context.Context) (mail Mail, err error) {
	now := s.now()
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		// Somebody waits for these.
		mail, err = s.store.ClaimAccountMail(ctx, now, now.Add(mailLease))
		if fault.Is(err, fault.NotFound) {
			mail, err = s.store.ClaimMail(ctx, now, now.Add(mailLease))
		}
		return err
	})
	return mail, err
}

// post sends one mail and settles it. The transaction has ended meanwhile.
func (s *Service) post(ctx context.Context, mail Mail, send func(context.Context, Mail) error) (sent bool, err error) {
	news, isNews, err := s.asOfNow(ctx, mail)
	if err != nil {
		return false, err
	}
	// Whoever claimed it for the last time may have died of it.
	if !isNews || mail.Attempts > mailAttempts {
		return false, s.settleMail(ctx, mail, nil, nil)
	}
	now := s.now()
	failure := send(ctx, news)
	if failure == nil {
		return true, s.settleMail(ctx, mail, &now, nil)
	}
	if ctx.Err() != nil {
		return false, failure // the lease ends
	}
	if fault.Is(failure, fault.Invalid) || mail.Attempts == mailAttempts {
		return false, errors.Join(failure, s.settleMail(ctx, mail, nil, nil))
	}
	again := now.Add(mailPause << (mail.Attempts - 1))
	return false, errors.Join(failure, s.settleMail(ctx, mail, nil, &again))
}

// asOfNow returns a mail as it would be written now, if it would be: who has
// resumed a subscription is not told that it ends.
func (s *Service) asOfNow(ctx context.Context, mail Mail) (Mail, bool, error) {
	if mail.WorkspaceID == "" {
		return mail, s.now().Sub(mail.CreatedAt) < addressCodeLifetime, nil
	}
	workspace, err := s.store.Workspace(ctx, mail.WorkspaceID)
	if fault.Is(err, fault.NotFound) {
		return Mail{}, false, nil
	}
	if err != nil {
		return Mail{}, false, err
	}
	subscription, err := s.Subscription(ctx, mail.WorkspaceID)
	if err != nil {
		return Mail{}, false, err
	}
	current, err := s.mails(ctx, workspace, notices(workspace, subscription, s.now()))
	for _, news := range current {
		if news.Key == mail.Key {
			news.ID, news.Attempts = mail.ID, mail.Attempts
			return news, true, err
		}
	}
	return Mail{}, false, err
}

// settleMail is no failure for a mail that went with its workspace.
func (s *Service) settleMail(ctx context.Context, mail Mail, sentAt, dueAt *time.Time) error {
	err := s.store.InTx(ctx, func(ctx context.Context) error {
		if mail.WorkspaceID == "" {
			return s.store.SettleAccountMail(ctx, mail.ID, sentAt, dueAt)
		}
		return s.store.SettleMail(ctx, mail.WorkspaceID, mail.ID, sentAt, dueAt)
	})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
