package chatbot

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
)

// askingTime bounds how long somebody waits for a provider's list of models.
const askingTime = 8 * time.Second

// Statuses of a provider's answer that mean something to an owner.
const (
	statusOK             = 200
	statusUnauthorized   = 401
	statusForbidden      = 403
	statusNotFound       = 404
	statusNotAllowed     = 405
	statusTooMany        = 429
	statusNotImplemented = 501
)

// Catalog asks providers which models they have.
type Catalog struct{ providers *Providers }

// Models are those that a provider lists.
type Models struct {
	// Names are in the order of the alphabet.
	Names []string
	// Unlisted says that the provider answers, and has no list.
	Unlisted bool
}

// Of asks a provider of a workspace which models it has. It fails as
// [Catalog.Try] does.
func (s *Catalog) Of(ctx context.Context, workspaceID, providerID string) (Models, error) {
	provider, err := s.providers.Open(ctx, workspaceID, providerID)
	if err != nil {
		return Models{}, err
	}
	return s.ask(ctx, provider)
}

// Try asks a provider which models it has, by settings that were not
// saved. With the id of a provider an empty key stands for the one that it has,
// under the rule of [Providers.UpdateProvider].
//
// It is Invalid for settings that cannot be saved, for a key that the provider
// refuses, and for an address at which no provider answers within seconds.
func (s *Catalog) Try(ctx context.Context, workspaceID, providerID string, settings ProviderSettings) (Models, error) {
	settings, err := s.providers.check(settings)
	if err != nil {
		return Models{}, err
	}
	provider := OpenedProvider{Provider{WorkspaceID: workspaceID, Kind: settings.Kind, BaseURL: settings.BaseURL}, settings.Key}
	if providerID == "" {
		if err := checkKind(settings.Kind); err != nil {
			return Models{}, err
		}
		return s.ask(ctx, provider)
	}
	kept, err := s.providers.db.Providers.Provider(ctx, workspaceID, providerID)
	if err != nil {
		return Models{}, err
	}
	provider.Kind = kept.Kind
	if settings.Key == "" {
		if err := keepsKey(kept.Provider, settings); err != nil {
			return Models{}, err
		}
		if provider.Key, err = s.providers.opened(kept); err != nil {
			return Models{}, err
		}
	}
	return s.ask(ctx, provider)
}

// keepsKey refuses to send the key of a provider to another server than the one
// that it was given for.
func keepsKey(old Provider, settings ProviderSettings) error {
	if settings.Key == "" && old.KeyHint != "" && origin(old.BaseURL) != origin(settings.BaseURL) {
		return fault.InField("key", "Give the key, too: the address is another server's than the one that it was given for.")
	}
	return nil
}

func (s *Catalog) ask(ctx context.Context, provider OpenedProvider) (Models, error) {
	if s.providers.options.ModelNames == nil {
		return Models{}, fault.New(fault.Unavailable, "This server asks no providers for their models.")
	}
	limited, cancel := context.WithTimeout(ctx, askingTime)
	defer cancel()
	names, err := s.providers.options.ModelNames(limited, provider)
	var answered interface{ Status() int }
	switch {
	case err == nil:
		return Models{Names: names}, nil
	case ctx.Err() != nil:
		return Models{}, ctx.Err()
	case !errors.As(err, &answered):
		return Models{}, inField("base_url", err, "Parley could not connect to a model server at this address. Check the address, and that it can be reached from the internet.")
	}
	switch status := answered.Status(); status {
	case statusOK:
		return Models{}, inField("base_url", err, "The server at this address answers, but not as a model server does. Check the address: it often ends with /v1.")
	case statusUnauthorized, statusForbidden:
		return Models{}, inField("key", err, "The provider refused this key. Copy it once more from the provider's dashboard.")
	case statusNotFound, statusNotAllowed, statusNotImplemented:
		return Models{Unlisted: true}, nil
	case statusTooMany:
		return Models{}, inField("base_url", err, "The provider is busy, or the account has used up its quota. Try again in a minute.")
	default:
		return Models{}, inField("base_url", err, "The server at this address answered with an error (%d). Check the address.", status)
	}
}

// inField is [fault.InField] with a cause, for the log.
func inField(field string, cause error, format string, values ...any) error {
	failure := *fault.As(fault.InField(field, format, values...))
	failure.Cause = cause
	return &failure
}
