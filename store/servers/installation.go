package servers

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	ent "parley/ent/generated"
	"parley/ent/generated/installationkey"
	"parley/store"
)

// publicIDs names the key of package publicid.
const publicIDs = "public_ids"

// Installation keeps what belongs to the installation as a whole.
type Installation struct{ store *store.Store }

// NewInstallation returns the installation of a database.
func NewInstallation(db *store.Store) *Installation { return &Installation{db} }

// KeepPublicIDKey returns the key of public identifiers, which is the given one
// if there is none yet: of several processes that start at once, the first to
// insert decides for all.
func (s *Installation) KeepPublicIDKey(ctx context.Context, fresh []byte) (key []byte, err error) {
	if key, err = s.publicIDKey(ctx); !fault.Is(err, fault.NotFound) {
		return key, err
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		err := s.store.Exec(ctx, s.store.Into(installationkey.Table).
			Set(installationkey.FieldID, publicIDs).Set(installationkey.FieldKey, fresh).Set(installationkey.FieldCreatedAt, time.Now().UTC()).OnConflict(entsql.DoNothing()))
		if err != nil {
			return err
		}
		key, err = s.publicIDKey(ctx)
		return err
	})
	return key, err
}

func (s *Installation) publicIDKey(ctx context.Context) ([]byte, error) {
	row, err := s.store.Client(ctx).InstallationKey.Get(ctx, publicIDs)
	return store.One(row, err, func(row *ent.InstallationKey) []byte { return row.Key })
}
