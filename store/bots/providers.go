package bots

import (
	"context"
	"iter"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/provider"
	"parley/ent/scope"
	"parley/store"
)

// Providers keeps the accounts that workspaces have with providers of models.
type Providers struct{ store *store.Store }

// NewProviders returns the providers of a database.
func NewProviders(db *store.Store) *Providers { return &Providers{db} }

var errNoProvider = fault.New(fault.NotFound, "Provider not found.")

// CreateProvider adds a provider of models.
func (s *Providers) CreateProvider(ctx context.Context, workspaceID string, p chatbot.SealedProvider) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Provider.Create().SetID(p.ID).SetWorkspaceID(workspaceID).SetName(p.Name).SetKind(string(p.Kind)).
			SetBaseURL(p.BaseURL).SetSealedKey(p.SealedKey).SetKeyHint(p.KeyHint).SetTools(p.Tools).
			SetUpdatedAt(p.UpdatedAt).SetCreatedAt(p.CreatedAt).Exec(ctx)
	})
}

// Provider returns a provider with its sealed key.
func (s *Providers) Provider(ctx context.Context, workspaceID, providerID string) (chatbot.SealedProvider, error) {
	row, err := s.store.Client(ctx).Provider.Query().Where(provider.ID(providerID)).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return chatbot.SealedProvider{}, errNoProvider
	}
	return store.One(row, err, func(row *ent.Provider) chatbot.SealedProvider {
		return chatbot.SealedProvider{Provider: providerFromRow(row), SealedKey: row.SealedKey}
	})
}

// Providers returns the providers of a workspace, oldest first.
func (s *Providers) Providers(ctx context.Context, workspaceID string) ([]chatbot.Provider, error) {
	rows, err := s.store.Client(ctx).Provider.Query().Where(provider.WorkspaceID(workspaceID)).
		Order(provider.ByCreatedAt(), provider.ByID()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, providerFromRow)
}

// UpdateProvider changes all of a provider but its kind and the time at which
// it was made.
func (s *Providers) UpdateProvider(ctx context.Context, workspaceID string, p chatbot.SealedProvider) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return providerAffected(db.Provider.Update().Where(provider.ID(p.ID)).SetName(p.Name).SetBaseURL(p.BaseURL).
			SetSealedKey(p.SealedKey).SetKeyHint(p.KeyHint).SetTools(p.Tools).SetUpdatedAt(p.UpdatedAt).Save(ctx))
	})
}

// DeleteProvider removes a provider with its key.
func (s *Providers) DeleteProvider(ctx context.Context, workspaceID, providerID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return providerAffected(db.Provider.Delete().Where(provider.ID(providerID)).Exec(ctx))
	})
}

func providerAffected(n int, err error) error {
	if err == nil && n == 0 {
		return errNoProvider
	}
	return err
}

// AllProviders reads the providers of every workspace.
func (s *Providers) AllProviders(ctx context.Context, access system.Access) iter.Seq2[chatbot.Provider, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]chatbot.Provider, error) {
		rows, err := s.store.Client(ctx).Provider.Query().Where(provider.IDGT(after)).Order(provider.ByID()).Limit(store.PortionRows).All(ctx)
		return store.Mapped(rows, err, providerFromRow)
	}, func(p chatbot.Provider) string { return p.ID })
}

func providerFromRow(row *ent.Provider) chatbot.Provider {
	return chatbot.Provider{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Name: row.Name, Kind: chatbot.ProviderKind(row.Kind),
		BaseURL: row.BaseURL, KeyHint: row.KeyHint, Tools: row.Tools,
		UpdatedAt: row.UpdatedAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
}
