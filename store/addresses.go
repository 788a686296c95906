package store

import (
	"context"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/tenant"
	"parley/ent"
	"parley/ent/accountmail"
	"parley/ent/addresscode"
)

// CreateAddressCode adds a link that is mailed to an address.
func (s *Store) CreateAddressCode(ctx context.Context, c tenant.AddressCode) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.AddressCode.Create().SetID(c.Hash).SetEmail(c.Email).SetUserID(c.UserID).
			SetCreatedAt(c.CreatedAt).SetExpiresAt(c.ExpiresAt).Exec(ctx)
	})
}

// AddressCode returns the link with the hash of its code.
func (s *Store) AddressCode(ctx context.Context, hash string) (tenant.AddressCode, error) {
	row, err := s.db(ctx).AddressCode.Get(ctx, hash)
	return one(row, err, func(row *ent.AddressCode) tenant.AddressCode {
		return tenant.AddressCode{
			Hash: row.ID, Email: row.Email, UserID: row.UserID, CreatedAt: row.CreatedAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(),
		}
	})
}

// DeleteAddressCode removes a link that was used.
func (s *Store) DeleteAddressCode(ctx context.Context, hash string) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return affected(db.AddressCode.Delete().Where(addresscode.ID(hash)).Exec(ctx))
	})
}

// DeleteAddressCodes removes the links of a user.
func (s *Store) DeleteAddressCodes(ctx context.Context, userID string) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.AddressCode.Delete().Where(addresscode.UserID(userID)).Exec(ctx)
		return err
	})
}

// AddAccountMail writes a mail to a person that is about no workspace.
func (s *Store) AddAccountMail(ctx context.Context, m tenant.Mail) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.AccountMail.Create().SetKey(m.Key).SetRecipient(m.To).SetSubject(m.Subject).SetBody(m.Body).
			SetNillableDueAt(m.DueAt).SetCreatedAt(m.CreatedAt).Exec(ctx)
	})
}

// ClaimAccountMail is ClaimMail of those.
func (s *Store) ClaimAccountMail(ctx context.Context, now, again time.Time) (claimed tenant.Mail, err error) {
	err = s.InTx(ctx, func(ctx context.Context) error {
		query := s.db(ctx).AccountMail.Query().Where(accountmail.DueAtLTE(now)).Order(accountmail.ByDueAt(), accountmail.ByID())
		if s.dialect == dialect.Postgres {
			// Two who claim at once take one each.
			query = query.ForUpdate(entsql.WithLockAction(entsql.SkipLocked))
		}
		row, err := query.First(ctx)
		if err != nil {
			return mapError(err) // the caller's transaction may go on
		}
		row, err = row.Update().SetDueAt(again).AddAttempts(1).Save(ctx)
		if err != nil {
			return err
		}
		claimed = tenant.Mail{
			ID: row.ID, Key: row.Key, To: row.Recipient, Subject: row.Subject, Body: row.Body,
			DueAt: utc(row.DueAt), Attempts: row.Attempts, CreatedAt: row.CreatedAt.UTC(),
		}
		return nil
	})
	return claimed, err
}

// SettleAccountMail is SettleMail of those. One that is not tried again loses
// its text.
func (s *Store) SettleAccountMail(ctx context.Context, id int64, sentAt, dueAt *time.Time) error {
	return s.write(ctx, func(ctx context.Context, db *ent.Client) error {
		update := db.AccountMail.Update().Where(accountmail.ID(id)).SetNillableSentAt(sentAt)
		if dueAt != nil {
			update.SetDueAt(*dueAt)
		} else {
			update.ClearDueAt().SetBody("")
		}
		return affected(update.Save(ctx))
	})
}
