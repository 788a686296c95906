package people

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	ent "parley/ent/generated"
	"parley/ent/generated/device"
	"parley/store"
)

// Devices keeps the browsers that people trust.
type Devices struct{ store *store.Store }

// NewDevices returns the devices of a database.
func NewDevices(db *store.Store) *Devices { return &Devices{db} }

// TrustDevice notes that a user trusts a browser until a time, and forgets the
// oldest beyond so many.
func (s *Devices) TrustDevice(ctx context.Context, userID, secretHash string, now, until time.Time, most int) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		db := s.store.Client(ctx)
		err := s.store.Exec(ctx, s.store.Into(device.Table).
			Set(device.FieldUserID, userID).Set(device.FieldSecretHash, secretHash).Set(device.FieldCreatedAt, now).Set(device.FieldExpiresAt, until).
			OnConflict(entsql.ConflictColumns(device.FieldSecretHash, device.FieldUserID), store.Overwrite(device.FieldExpiresAt)))
		if err != nil {
			return err
		}
		kept, err := db.Device.Query().Where(device.UserID(userID)).
			Order(device.ByExpiresAt(entsql.OrderDesc()), device.ByID(entsql.OrderDesc())).Limit(most).IDs(ctx)
		if err != nil {
			return err
		}
		_, err = db.Device.Delete().Where(device.UserID(userID), device.IDNotIn(kept...)).Exec(ctx)
		return err
	})
}

// TrustedBy returns the e-mail addresses of the users who trust a browser at a
// time.
func (s *Devices) TrustedBy(ctx context.Context, secretHash string, at time.Time) ([]string, error) {
	rows, err := s.store.Client(ctx).Device.Query().
		Where(device.SecretHash(secretHash), device.ExpiresAtGT(at)).WithUser().All(ctx)
	return store.Mapped(rows, err, func(row *ent.Device) string { return row.Edges.User.Email })
}

// ForgetDevices ends all that a user trusts.
func (s *Devices) ForgetDevices(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Device.Delete().Where(device.UserID(userID)).Exec(ctx)
		return err
	})
}
