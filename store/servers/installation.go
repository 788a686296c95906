package servers

import (
	"context"
	"time"

	"parley/core/fault"
	"parley/store"
)

// publicIDs names the key of package publicid.
const publicIDs = "public_ids"

// Installation keeps what belongs to the installation as a whole.
type Installation struct{ store *store.Store }

// NewInstallation returns the installation of a database.
func NewInstallation(db *store.Store) *Installation { return &Installation{db} }

const (
	addInstallationKey = `INSERT INTO installation_keys (id, key, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`
	installationKey    = `SELECT key FROM installation_keys WHERE id = $1`
)

// KeepPublicIDKey returns the key of public identifiers, which is the given one
// if there is none yet: of several processes that start at once, the first to
// insert decides for all.
func (s *Installation) KeepPublicIDKey(ctx context.Context, fresh []byte) (key []byte, err error) {
	if key, err = s.publicIDKey(ctx); !fault.Is(err, fault.NotFound) {
		return key, err
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.store.Run(ctx, addInstallationKey, publicIDs, fresh, time.Now().UTC()); err != nil {
			return err
		}
		key, err = s.publicIDKey(ctx)
		return err
	})
	return key, err
}

func (s *Installation) publicIDKey(ctx context.Context) (key []byte, err error) {
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&key}, installationKey, publicIDs)
	return key, err
}
