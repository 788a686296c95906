package outbox

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
)

const (
	// lease is how long a process has for one mail before another tries.
	lease = 5 * time.Minute
	// attempts are spread over ten hours: the pause doubles.
	attempts = 8
	pause    = 5 * time.Minute
	// atOnce bounds one call of [Sender.SendMails].
	atOnce = 100
	// accountMailLifetime is how long a mail about an account is worth sending.
	// The links in it last as long.
	accountMailLifetime = 24 * time.Hour
	// remembered is how long a mail is kept that was sent or given up.
	remembered = 90 * 24 * time.Hour
)

// MailStore keeps mails until they are sent.
type MailStore interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	// ClaimMail returns the mail of any workspace that has been due for
	// longest, and makes it due again at a later time: a process that dies with
	// it leaves it to others. Its Attempts count this one. NotFound means that
	// none is due.
	ClaimMail(ctx context.Context, now, again time.Time) (Mail, error)
	// SettleMail says that a mail was sent or, with none of the two times,
	// given up; or when it is tried again.
	SettleMail(ctx context.Context, workspaceID string, id int64, sentAt, dueAt *time.Time) error
	// ClaimAccountMail and SettleAccountMail are ClaimMail and SettleMail for
	// mails of no workspace. One that is not tried again loses its text, which
	// may hold a link that signs up.
	ClaimAccountMail(ctx context.Context, now, again time.Time) (Mail, error)
	SettleAccountMail(ctx context.Context, id int64, sentAt, dueAt *time.Time) error
	// DeleteMails deletes those that were settled before a time.
	DeleteMails(ctx context.Context, before time.Time) error
}

// News knows which mails about workspaces are still true.
type News interface {
	// AsOfNow returns a mail as it would be written now, and false if nobody
	// would write it any more.
	AsOfNow(ctx context.Context, mail Mail) (Mail, bool, error)
}

// Sender sends what is due.
type Sender struct {
	store MailStore
	news  News
	now   func() time.Time
}

// NewSender returns a sender over a store.
func NewSender(store MailStore, news News, now func() time.Time) *Sender {
	return &Sender{store: store, news: news, now: now}
}

// SendMails sends what is due and returns how many mails were sent. A mail that
// is no news any more is not sent. One that send refuses as Invalid is given
// up. After any other failure it is tried again later, and the rest waits for
// the next call: the mail server may be away.
func (s *Sender) SendMails(ctx context.Context, send func(context.Context, Mail) error) (sent int, err error) {
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
	return s.store.DeleteMails(ctx, s.now().Add(-remembered))
}

func (s *Sender) claim(ctx context.Context) (mail Mail, err error) {
	now := s.now()
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		// Somebody waits for these.
		mail, err = s.store.ClaimAccountMail(ctx, now, now.Add(lease))
		if fault.Is(err, fault.NotFound) {
			mail, err = s.store.ClaimMail(ctx, now, now.Add(lease))
		}
		return err
	})
	return mail, err
}

// post sends one mail and settles it. The transaction has ended meanwhile.
func (s *Sender) post(ctx context.Context, mail Mail, send func(context.Context, Mail) error) (sent bool, err error) {
	news, isNews, err := s.asOfNow(ctx, mail)
	if err != nil {
		return false, err
	}
	// The process that claimed it for the last time may have died of it.
	if !isNews || mail.Attempts > attempts {
		return false, s.settle(ctx, mail, nil, nil)
	}
	now := s.now()
	failure := send(ctx, news)
	if failure == nil {
		return true, s.settle(ctx, mail, &now, nil)
	}
	if ctx.Err() != nil {
		return false, failure // the lease ends
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

// settle is no failure for a mail that was deleted with its workspace.
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
