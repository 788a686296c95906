package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"parley/ent"
)

// publicIDs names the key of package publicid.
const publicIDs = "public_ids"

// KeepPublicIDKey returns the key that public identifiers are made with. The
// given one becomes it if there is none yet: of several processes that start
// at once, the first to insert decides for all.
func (s *Store) KeepPublicIDKey(ctx context.Context, fresh []byte) (key []byte, err error) {
	err = s.InTx(ctx, func(ctx context.Context) error {
		err := s.db(ctx).InstallationKey.Create().SetID(publicIDs).SetKey(fresh).OnConflict(entsql.DoNothing()).Exec(ctx)
		if unlessThere(err) != nil {
			return err
		}
		row, err := s.db(ctx).InstallationKey.Get(ctx, publicIDs)
		key, err = one(row, err, func(row *ent.InstallationKey) []byte { return row.Key })
		return err
	})
	return key, err
}
