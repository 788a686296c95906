package chatbot

import (
	"context"

	"parley/core/audit"
	"parley/core/fault"
)

// ResealKeys seals the keys of every workspace's providers with the server's
// current key, for an operator who wants to take a former one away. It returns
// how many were sealed, and the providers whose keys cannot be read. What was
// sealed before an error stays so.
func (s *Providers) ResealKeys(ctx context.Context) (sealed int, unreadable []Provider, err error) {
	for provider, err := range s.db.Providers.AllProviders(ctx, s.db.System) {
		if err != nil {
			return sealed, unreadable, err
		}
		if provider.KeyHint == "" {
			continue
		}
		switch err := s.reseal(ctx, provider); {
		case err == nil:
			sealed++
		case fault.Is(err, fault.NotFound): // deleted meanwhile
		case fault.Is(err, fault.Upstream):
			unreadable = append(unreadable, provider)
		default:
			return sealed, unreadable, err
		}
	}
	return sealed, unreadable, nil
}

// reseal leaves the provider as it is but for the seal.
func (s *Providers) reseal(ctx context.Context, provider Provider) error {
	return s.withProviders(ctx, provider.WorkspaceID, func(ctx context.Context) error {
		found, err := s.db.Providers.Provider(ctx, provider.WorkspaceID, provider.ID)
		if err != nil {
			return err
		}
		key, err := s.opened(found)
		if err != nil {
			return err
		}
		if found, err = withKey(s.options.Sealer, found, key); err != nil {
			return err
		}
		if err := s.db.Providers.UpdateProvider(ctx, provider.WorkspaceID, found); err != nil {
			return err
		}
		return s.record(ctx, provider.WorkspaceID, audit.Entry{Action: audit.ProviderKeyResealed, Object: provider.object()})
	})
}
