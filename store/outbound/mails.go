// Package outbound keeps what is on its way out: mails, and the deliveries of webhooks.
package outbound

import (
	"context"
	"errors"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/outbox"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/accountmail"
	"parley/ent/generated/mail"
	"parley/ent/scope"
	"parley/store"
)

// Mails keeps mails until they are sent.
type Mails struct{ store *store.Store }

// NewMails returns the mails of a database.
func NewMails(db *store.Store) *Mails { return &Mails{db} }

// AddAccountMail writes a mail to a person that is about no workspace.
func (s *Mails) AddAccountMail(ctx context.Context, m outbox.Mail) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.AccountMail.Create().SetKey(m.Key).SetRecipient(m.To).SetSubject(m.Subject).SetBody(m.Body).SetHTML(m.HTML).
			SetNillableDueAt(m.DueAt).SetCreatedAt(m.CreatedAt).Exec(ctx)
	})
}

// ClaimAccountMail is ClaimMail of those.
func (s *Mails) ClaimAccountMail(ctx context.Context, now, again time.Time) (claimed outbox.Mail, err error) {
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		query := s.store.Client(ctx).AccountMail.Query().Where(accountmail.DueAtLTE(now)).Order(accountmail.ByDueAt(), accountmail.ByID())
		if !s.store.IsSQLite() {
			// Two processes that claim at once get different mails.
			query = query.ForUpdate(entsql.WithLockAction(entsql.SkipLocked))
		}
		row, err := query.First(ctx)
		if err != nil {
			return store.MapError(err) // the caller's transaction may go on
		}
		if err := s.store.Client(ctx).AccountMail.Update().Where(accountmail.ID(row.ID)).SetDueAt(again).AddAttempts(1).Exec(ctx); err != nil {
			return err
		}
		if row, err = s.store.Client(ctx).AccountMail.Get(ctx, row.ID); err != nil {
			return err
		}
		claimed = outbox.Mail{
			ID: row.ID, Key: row.Key, To: row.Recipient, Subject: row.Subject, Body: row.Body, HTML: row.HTML,
			DueAt: store.UTC(row.DueAt), Attempts: row.Attempts, CreatedAt: row.CreatedAt.UTC(),
		}
		return nil
	})
	return claimed, err
}

// SettleAccountMail is SettleMail of those. One that is not tried again loses
// its text.
func (s *Mails) SettleAccountMail(ctx context.Context, id int64, sentAt, dueAt *time.Time) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		if dueAt == nil {
			n, err := db.AccountMail.Delete().Where(accountmail.ID(id), once).Exec(ctx)
			if err != nil || n > 0 {
				return err
			}
		}
		update := db.AccountMail.Update().Where(accountmail.ID(id)).SetNillableSentAt(sentAt)
		if dueAt != nil {
			update.SetDueAt(*dueAt)
		} else {
			update.ClearDueAt().SetBody("").SetHTML("")
		}
		return store.Affected(update.Save(ctx))
	})
}

// once selects mails that are deleted when they are settled, and NotOnce the others.
var once, NotOnce = accountmail.KeyHasPrefix(outbox.OnceKey + "_"), accountmail.Not(accountmail.KeyHasPrefix(outbox.OnceKey + "_"))

// AddMail writes a mail, unless there is one with its key.
func (s *Mails) AddMail(ctx context.Context, workspaceID string, m outbox.Mail) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		return s.store.Exec(ctx, s.store.Into(mail.Table).
			Set(mail.FieldWorkspaceID, workspaceID).Set(mail.FieldKey, m.Key).Set(mail.FieldRecipient, m.To).
			Set(mail.FieldSubject, m.Subject).Set(mail.FieldBody, m.Body).Set(mail.FieldHTML, m.HTML).
			Set(mail.FieldDueAt, m.DueAt).Set(mail.FieldCreatedAt, m.CreatedAt).
			OnConflict(entsql.ConflictColumns(mail.FieldKey), entsql.DoNothing()))
	})
}

// ClaimMail returns a mail of any workspace that is due, and makes it due again
// later. Its attempts include the one that this begins. Mails of a workspace that is being
// deleted wait.
func (s *Mails) ClaimMail(ctx context.Context, access system.Access, now, again time.Time) (claimed outbox.Mail, err error) {
	err = s.store.InTx(scope.System(ctx, access), func(ctx context.Context) error {
		query := s.store.Client(ctx).Mail.Query().Where(mail.DueAtLTE(now), store.Staying).Order(mail.ByDueAt(), mail.ByID())
		if !s.store.IsSQLite() {
			// Two processes that claim at once get different mails.
			query = query.ForUpdate(entsql.WithLockAction(entsql.SkipLocked))
		}
		row, err := query.First(ctx)
		if err != nil {
			return err
		}
		if err := s.store.Client(ctx).Mail.Update().Where(mail.ID(row.ID)).SetDueAt(again).AddAttempts(1).Exec(ctx); err != nil {
			return err
		}
		if row, err = s.store.Client(ctx).Mail.Get(ctx, row.ID); err != nil {
			return err
		}
		claimed = mailFromRow(row)
		return nil
	})
	return claimed, err
}

// SettleMail says that a mail was sent or, with none of the two times, given
// up; or when it is tried again.
func (s *Mails) SettleMail(ctx context.Context, workspaceID string, id int64, sentAt, dueAt *time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Mail.Update().Where(mail.ID(id)).SetNillableSentAt(sentAt)
		if dueAt != nil {
			update.SetDueAt(*dueAt)
		} else {
			update.ClearDueAt().SetHTML("")
		}
		return store.Affected(update.Save(ctx))
	})
}

// DeleteMails deletes mails that were settled before a time. For one that was
// given up, the time it was written counts.
func (s *Mails) DeleteMails(ctx context.Context, access system.Access, before time.Time) error {
	ctx = scope.System(ctx, access)
	return errors.Join(s.store.Expire(ctx, "account_mails", "due_at IS NULL AND created_at < $1", before),
		s.store.Expire(ctx, "mails", "due_at IS NULL AND (sent_at < $1 OR sent_at IS NULL AND created_at < $1)", before))
}

func mailFromRow(row *ent.Mail) outbox.Mail {
	return outbox.Mail{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Key: row.Key, To: row.Recipient, Subject: row.Subject, Body: row.Body, HTML: row.HTML,
		DueAt: store.UTC(row.DueAt), Attempts: row.Attempts, CreatedAt: row.CreatedAt.UTC(),
	}
}

// InTx runs fn in one transaction; calls inside it join.
func (s *Mails) InTx(ctx context.Context, fn func(context.Context) error) error {
	return s.store.InTx(ctx, fn)
}
