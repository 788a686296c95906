package chatbot

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	"parley/internal/id"
)

// ProviderStore keeps providers. Keys go in and come out sealed.
type ProviderStore interface {
	CreateProvider(ctx context.Context, workspaceID string, provider SealedProvider) error
	Provider(ctx context.Context, workspaceID, providerID string) (SealedProvider, error)
	// Providers returns a workspace's providers, oldest first.
	Providers(ctx context.Context, workspaceID string) ([]Provider, error)
	// UpdateProvider changes all but the kind and the time of creation.
	UpdateProvider(ctx context.Context, workspaceID string, provider SealedProvider) error
	DeleteProvider(ctx context.Context, workspaceID, providerID string) error
	// AllProviders reads the providers of every workspace, a portion at a time, for the operator.
	AllProviders(ctx context.Context, access system.Access) iter.Seq2[Provider, error]
}

// Providers keeps the accounts that workspaces have with providers of models.
type Providers struct {
	base
	options Options
}

// Create adds a provider. It is a Conflict when the workspace has
// [MaxProviders], and Unavailable when the server cannot keep its key.
func (s *Providers) Create(ctx context.Context, workspaceID string, settings ProviderSettings) (Provider, error) {
	if err := checkKind(settings.Kind); err != nil {
		return Provider{}, err
	}
	settings, err := s.check(settings)
	if err != nil {
		return Provider{}, err
	}
	provider := SealedProvider{Provider: Provider{
		ID: id.New(s.random, "mp"), WorkspaceID: workspaceID, Name: settings.Name, Kind: settings.Kind,
		BaseURL: settings.BaseURL, Tools: settings.Tools, UpdatedAt: s.now(), CreatedAt: s.now(),
	}}
	if provider, err = withKey(s.options.Sealer, provider, settings.Key); err != nil {
		return Provider{}, err
	}
	err = s.withProviders(ctx, workspaceID, func(ctx context.Context) error {
		others, err := s.db.Providers.Providers(ctx, workspaceID)
		if err != nil {
			return err
		}
		if len(others) >= MaxProviders {
			return fault.New(fault.Conflict, "A workspace has at most %d providers. Delete one that is not used.", MaxProviders)
		}
		if err := s.db.Providers.CreateProvider(ctx, workspaceID, provider); err != nil {
			return err
		}
		return s.record(ctx, workspaceID, audit.Entry{Action: audit.ProviderCreated, Object: provider.object()})
	})
	return provider.Provider, err
}

// Get returns a provider of a workspace.
func (s *Providers) Get(ctx context.Context, workspaceID, providerID string) (Provider, error) {
	found, err := s.db.Providers.Provider(ctx, workspaceID, providerID)
	return found.Provider, err
}

// List returns the providers of a workspace, oldest first.
func (s *Providers) List(ctx context.Context, workspaceID string) ([]Provider, error) {
	return s.db.Providers.Providers(ctx, workspaceID)
}

// Open returns a provider with its key. It is Upstream when the key
// cannot be read.
func (s *Providers) Open(ctx context.Context, workspaceID, providerID string) (OpenedProvider, error) {
	found, err := s.db.Providers.Provider(ctx, workspaceID, providerID)
	if err != nil {
		return OpenedProvider{}, err
	}
	key, err := s.opened(found)
	return OpenedProvider{found.Provider, key}, err
}

func (s *Providers) opened(provider SealedProvider) (Key, error) {
	key, err := keyOf(s.options.Sealer, provider)
	if err != nil {
		return "", fault.Wrap(fault.Upstream, err, "This server can no longer read the key of the chatbot's model provider, and the operator of this server has been told. The chatbot's owner can also enter it again.").Named(fault.ModelKeyRejected).ForOperator()
	}
	return key, nil
}

// Update changes a provider. It is a Conflict when its settings are not
// those that were seen. Without a key it keeps the one that it
// has, unless the address is another server's: that is Invalid, because a key
// must not be sent to whom it was not given for.
func (s *Providers) Update(ctx context.Context, workspaceID, providerID string, settings ProviderSettings) (Provider, error) {
	settings, err := s.check(settings)
	if err != nil {
		return Provider{}, err
	}
	var changed SealedProvider
	err = s.withProviders(ctx, workspaceID, func(ctx context.Context) error {
		old, err := s.db.Providers.Provider(ctx, workspaceID, providerID)
		if err != nil {
			return err
		}
		if settings.Seen != "" && settings.Seen != old.Fingerprint() {
			return errOvertaken
		}
		if changed, err = s.revised(old, settings); err != nil {
			return err
		}
		if err := s.db.Providers.UpdateProvider(ctx, workspaceID, changed); err != nil {
			return err
		}
		return s.recordProvider(ctx, old.Provider, settings)
	})
	return changed.Provider, err
}

// revised is a provider with other settings.
func (s *Providers) revised(old SealedProvider, settings ProviderSettings) (SealedProvider, error) {
	if err := keepsKey(old.Provider, settings); err != nil {
		return old, err
	}
	changed := old
	changed.Name, changed.BaseURL, changed.Tools = settings.Name, settings.BaseURL, settings.Tools
	changed.UpdatedAt = s.now()
	if !changed.UpdatedAt.After(old.UpdatedAt) { // two changes in one tick of the clock
		changed.UpdatedAt = old.UpdatedAt.Add(time.Microsecond)
	}
	if settings.Key == "" {
		return changed, nil
	}
	return withKey(s.options.Sealer, changed, settings.Key)
}

// Delete removes a provider with its key. It is a Conflict while a
// chatbot uses it.
func (s *Providers) Delete(ctx context.Context, workspaceID, providerID string) error {
	return s.withProviders(ctx, workspaceID, func(ctx context.Context) error {
		bots, err := s.db.Chatbots.Chatbots(ctx, workspaceID)
		if err != nil {
			return err
		}
		if names := usersOf(bots, providerID); len(names) > 0 {
			return fault.New(fault.Conflict, "This provider is used by %s. Choose another model there first.", listed(names))
		}
		provider, err := s.db.Providers.Provider(ctx, workspaceID, providerID)
		if err != nil {
			return err
		}
		if err := s.db.Providers.DeleteProvider(ctx, workspaceID, providerID); err != nil {
			return err
		}
		return s.record(ctx, workspaceID, audit.Entry{Action: audit.ProviderDeleted, Object: provider.object()})
	})
}

func usersOf(bots []Chatbot, providerID string) (names []string) {
	for _, bot := range bots {
		if bot.Uses(providerID) {
			names = append(names, bot.Name)
		}
	}
	return names
}

// listed writes up to five names, and how many there are beside them.
func listed(names []string) string {
	const most = 5
	rest := len(names) - most
	if rest > 0 {
		names = names[:most]
	}
	text := strings.Join(names, ", ")
	if rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// OwnModels are the names of the server's own models, its default first.
func (s *Providers) OwnModels() []string { return s.options.OwnModels }

// withProviders runs do in a transaction that no other change to the
// workspace's providers, or to what uses them, runs beside.
func (s *Providers) withProviders(ctx context.Context, workspaceID string, do func(ctx context.Context) error) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.db.Workspaces.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		return do(ctx)
	})
}
