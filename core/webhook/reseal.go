package webhook

import (
	"context"
	"errors"

	"parley/core/audit"
	"parley/core/fault"
)

// errUnreadable says that no key of the server opens a secret.
var errUnreadable = errors.New("the secret of the endpoint cannot be read")

// Resealer changes what the secrets of endpoints are sealed with.
type Resealer struct{ endpoints *Endpoints }

// NewResealer returns the service of the same endpoints.
func NewResealer(endpoints *Endpoints) *Resealer { return &Resealer{endpoints} }

// Reseal seals the secrets of every workspace's endpoints with the server's current key,
// for an operator who wants to take a former one away. It returns how many endpoints
// were sealed, and those whose secrets cannot be read. What was sealed before an error
// stays so.
func (s *Resealer) Reseal(ctx context.Context) (sealed int, unreadable []Endpoint, err error) {
	for e, err := range s.endpoints.ports.Endpoints.AllEndpoints(ctx, s.endpoints.ports.System) {
		if err != nil {
			return sealed, unreadable, err
		}
		switch err := s.reseal(ctx, e.WorkspaceID, e.ID); {
		case err == nil:
			sealed++
		case fault.Is(err, fault.NotFound): // deleted meanwhile
		case errors.Is(err, errUnreadable):
			unreadable = append(unreadable, e.Endpoint)
		default:
			return sealed, unreadable, err
		}
	}
	return sealed, unreadable, nil
}

// reseal leaves an endpoint as it is but for the seals. A previous secret that no longer
// signs, or cannot be read, is forgotten.
func (s *Resealer) reseal(ctx context.Context, workspaceID, endpointID string) error {
	return s.endpoints.change(ctx, workspaceID, endpointID, audit.WebhookResealed, func(_ context.Context, e *SealedEndpoint) error {
		secret, err := unsealed(s.endpoints.ports.Vault, *e, e.SealedSecret)
		if err != nil {
			return errUnreadable
		}
		previous, signs := e.previous(s.endpoints.ports.Vault, s.endpoints.now())
		if e.SealedSecret, err = s.endpoints.seal(*e, secret); err != nil {
			return err
		}
		if !signs {
			e.SealedPrevious, e.PreviousUntil = nil, nil
			return nil
		}
		e.SealedPrevious, err = s.endpoints.seal(*e, previous)
		return err
	})
}
