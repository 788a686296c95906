package outbox

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
	"parley/core/system"
)

const (
	// lease is how long a process has for one mail before another may try.
	lease = 5 * time.Minute
	// The attempts are spread over ten hours, because the pause doubles.
	attempts = 8
	pause    = 5 * time.Minute
	// atOnce bounds one call of [Sender.Send].
	atOnce = 100
	// accountMailLifetime is how long a mail about an account is worth sending,
	// which is also the lifetime of the links in it.
	accountMailLifetime = 24 * time.Hour
	// remembered is how long a mail is kept after it was sent or given up.
	remembered = 90 * 24 * time.Hour
)

// MailStore stores mails until they are sent.
type MailStore interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	// ClaimMail returns the mail that has been due for longest in any workspace,
	// and makes it due again at a later time, so that others retry it if this
	// process dies. Its Attempts include this one. NotFound means that none is
	// due.
	ClaimMail(ctx context.Context, access system.Access, now, again time.Time) (Mail, error)
	// SettleMail records that a mail was sent, or when to retry it, or, with
	// neither time, that it was given up.
	SettleMail(ctx context.Context, workspaceID string, id int64, sentAt, dueAt *time.Time) error
	// ClaimAccountMail and SettleAccountMail do the same for mails that belong
	// to no workspace. A mail without another attempt loses its text, which may
	// hold a sign-up link; one that was written once is deleted.
	ClaimAccountMail(ctx context.Context, now, again time.Time) (Mail, error)
	SettleAccountMail(ctx context.Context, id int64, sentAt, dueAt *time.Time) error
	// DeleteMails deletes mails that were settled before a time.
	DeleteMails(ctx context.Context, access system.Access, before time.Time) error
}

// News knows whether mails about workspaces are still true.
type News interface {
	// AsOfNow returns a mail as it would be written now, or false if it would no
	// longer be written.
	AsOfNow(ctx context.Context, mail Mail) (Mail, bool, error)
}

// Sender sends due mails.
type Sender struct {
	store  MailStore
	system system.Access
	news   News
	now    func() time.Time
}

// NewSender returns a sender over a store.
func NewSender(store MailStore, access system.Access, news News, now func() time.Time) *Sender {
	return &Sender{store: store, system: access, news: news, now: now}
}

// Send sends due mails and returns how many it sent. It drops mails that are no
// longer true, and gives up those that send refuses as Invalid. After any other
// failure it schedules a retry and leaves the rest to the next call, because the
// mail server may be down.
func (s *Sender) Send(ctx context.Context, send func(context.Context, Mail) error) (sent int, err error) {
	var failures []error
	for range atOnce {
		mail, err := s.claim(ctx)
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

// DeleteOld deletes mails that were sent, or given up, long ago.
func (s *Sender) DeleteOld(ctx context.Context) error {
	return s.store.DeleteMails(ctx, s.system, s.now().Add(-remembered))
}

func (s *Sender) claim(ctx context.Context) (mail Mail, err error) {
	now := s.now()
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		// Somebody is waiting for these.
		mail, err = s.store.ClaimAccountMail(ctx, now, now.Add(lease))
		if fault.Is(err, fault.NotFound) {
			mail, err = s.store.ClaimMail(ctx, s.system, now, now.Add(lease))
		}
		return err
	})
	return mail, err
}

// post sends one mail and settles it, outside of any transaction.
func (s *Sender) post(ctx context.Context, mail Mail, send func(context.Context, Mail) error) (sent bool, err error) {
	news, isNews, err := s.asOfNow(ctx, mail)
	if err != nil {
		return false, err
	}
	// The process that made the last attempt may have died.
	if !isNews || mail.Attempts > attempts {
		return false, s.settle(ctx, mail, nil, nil)
	}
	now := s.now()
	failure := send(ctx, news)
	if failure == nil {
		return true, s.settle(ctx, mail, &now, nil)
	}
	if ctx.Err() != nil {
		return false, failure // the lease expires
	}
	if fault.Is(failure, fault.Invalid) || mail.Attempts == attempts {
		return false, errors.Join(failure, s.settle(ctx, mail, nil, nil))
	}
	again := now.Add(pause << (mail.Attempts - 1))
	return false, errors.Join(failure, s.settle(ctx, mail, nil, &again))
}

func (s *Sender) asOfNow(ctx context.Context, mail Mail) (Mail, bool, error) {
	if mail.WorkspaceID == "" {
		return mail, s.now().Sub(mail.CreatedAt) < accountMailLifetime, nil
	}
	return s.news.AsOfNow(ctx, mail)
}

// settle ignores a mail that was deleted with its workspace.
func (s *Sender) settle(ctx context.Context, mail Mail, sentAt, dueAt *time.Time) error {
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
