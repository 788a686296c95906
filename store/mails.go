package store

import (
	"context"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/tenant"
	"parley/ent"
	"parley/ent/accountmail"
	"parley/ent/mail"
	"parley/ent/scope"
)

// AddMail writes a mail, unless one of its key is there.
func (s *Store) AddMail(ctx context.Context, workspaceID string, m tenant.Mail) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return unlessThere(db.Mail.Create().SetWorkspaceID(workspaceID).SetKey(m.Key).SetRecipient(m.To).
			SetSubject(m.Subject).SetBody(m.Body).SetNillableDueAt(m.DueAt).SetCreatedAt(m.CreatedAt).
			OnConflict(entsql.ConflictColumns(mail.FieldKey), entsql.DoNothing()).Exec(ctx))
	})
}

// ClaimMail returns a mail of any workspace that is due, and makes it due again
// at a later time. Its attempts include the one that begins with this.
func (s *Store) ClaimMail(ctx context.Context, now, again time.Time) (claimed tenant.Mail, err error) {
	err = s.InTx(scope.System(ctx), func(ctx context.Context) error {
		query := s.db(ctx).Mail.Query().Where(mail.DueAtLTE(now)).Order(mail.ByDueAt(), mail.ByID())
		if s.dialect == dialect.Postgres {
			// Two who claim at once take one each.
			query = query.ForUpdate(entsql.WithLockAction(entsql.SkipLocked))
		}
		row, err := query.First(ctx)
		if err != nil {
			return err
		}
		row, err = row.Update().SetDueAt(again).AddAttempts(1).Save(ctx)
		if err != nil {
			return err
		}
		claimed = toMail(row)
		return nil
	})
	return claimed, err
}

// SettleMail says that a mail was sent or, with none of the two times, given
// up; or when it is tried again.
func (s *Store) SettleMail(ctx context.Context, workspaceID string, id int64, sentAt, dueAt *time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Mail.Update().Where(mail.ID(id)).SetNillableSentAt(sentAt)
		if dueAt != nil {
			update.SetDueAt(*dueAt)
		} else {
			update.ClearDueAt()
		}
		return affected(update.Save(ctx))
	})
}

// DeleteMails deletes those that were settled before a time. What was given up
// counts from when it was written.
func (s *Store) DeleteMails(ctx context.Context, before time.Time) error {
	return s.InTx(scope.System(ctx), func(ctx context.Context) error {
		db := s.db(ctx)
		_, err := db.AccountMail.Delete().Where(accountmail.DueAtIsNil(), accountmail.CreatedAtLT(before)).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = db.Mail.Delete().Where(mail.DueAtIsNil(), mail.Or(
			mail.SentAtLT(before), mail.And(mail.SentAtIsNil(), mail.CreatedAtLT(before)))).Exec(ctx)
		return err
	})
}

func toMail(row *ent.Mail) tenant.Mail {
	return tenant.Mail{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Key: row.Key, To: row.Recipient, Subject: row.Subject, Body: row.Body,
		DueAt: utc(row.DueAt), Attempts: row.Attempts, CreatedAt: row.CreatedAt.UTC(),
	}
}
