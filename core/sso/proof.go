package sso

import (
	"context"
	"errors"
	"time"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/fault"
)

// clockDrift is how far a provider's clock may be behind.
const clockDrift = time.Minute

// ProofPlace is a provider at which a person can show again who they are.
type ProofPlace struct {
	// WorkspaceID is the workspace whose provider it is, empty for the installation's.
	WorkspaceID string
	// Name is what people call it.
	Name string
}

// ProofPlaces returns the providers at which a user has an account that is linked with
// theirs here.
func (s *SignIns) ProofPlaces(ctx context.Context, user account.User) (places []ProofPlace, err error) {
	if s == nil {
		return nil, nil
	}
	connections, err := s.linkedConnections(ctx, user)
	for _, c := range connections {
		place := ProofPlace{WorkspaceID: c.WorkspaceID, Name: hostOf(c.Issuer)}
		if c.ID == "" {
			place.Name = s.options.Name
		}
		places = append(places, place)
	}
	return places, err
}

// linkedConnections are those by which a user can sign in today. That of the
// installation's provider has no identifier.
func (s *SignIns) linkedConnections(ctx context.Context, user account.User) (linked []SealedConnection, err error) {
	identities, err := s.ports.Identities.IdentitiesOf(ctx, user.ID)
	if err != nil || len(identities) == 0 {
		return nil, err
	}
	claims, err := s.ports.Connections.ConnectionsOf(ctx, s.ports.System, domainOf(user.Email))
	if err != nil {
		return nil, err
	}
	for _, identity := range identities {
		if identity.ConnectionID == "" && identity.Issuer == s.options.Provider.Issuer {
			linked = append(linked, SealedConnection{Connection: Connection{Issuer: identity.Issuer}})
		}
		for _, claim := range claims {
			if claim.ID == identity.ConnectionID && claim.Issuer == identity.Issuer && claim.IsConfirmed() {
				linked = append(linked, claim)
			}
		}
	}
	return linked, nil
}

// BeginProof sends a browser to a provider, where the person of a session signs in anew.
// It is NotFound if the provider of the workspace, or of the installation if workspaceID
// is empty, is none of [SignIns.ProofPlaces].
func (s *SignIns) BeginProof(ctx context.Context, user account.User, session account.Session, workspaceID, next string, back Return, client account.Client) (Departure, error) {
	linked, err := s.linkedConnections(ctx, user)
	if err != nil {
		return Departure{}, err
	}
	for _, c := range linked {
		if c.WorkspaceID != workspaceID {
			continue
		}
		d := door{s.options.Provider, c.Connection}
		if c.ID != "" {
			if d.provider, err = s.connections.provider(c); err != nil {
				return Departure{}, err
			}
		}
		return s.depart(ctx, d, intent{kind: proofKind, userID: user.ID, sessionID: session.ID, next: next}, back, client)
	}
	return Departure{}, fault.New(fault.NotFound, "You have no account at this identity provider.")
}

// FinishProof ends a visit of [SignIns.BeginProof]: the session counts as one in which the
// person has just shown who they are. It signs nobody in. Next is where the person wanted
// to go on, also where the proof is refused.
func (s *SignIns) FinishProof(ctx context.Context, user account.User, session account.Session, secret, workspaceID string, answer Answer) (next string, err error) {
	back, err := s.end(ctx, proofKind, secret, workspaceID, answer)
	if err != nil {
		return "", err
	}
	if back.step.UserID != user.ID || back.was.SessionID != session.ID {
		return "", errEnded()
	}
	claims, err := s.receive(ctx, back.door, back.visit, answer)
	if err == nil {
		err = isFresh(back, claims)
	}
	if err == nil {
		err = s.ports.Tx.InTx(ctx, func(ctx context.Context) error {
			if err := s.admission.recognize(ctx, back.door, claims, user); err != nil {
				return err
			}
			return s.neighbors.Sessions.Proved(ctx, user, session, signin.Proof{Method: signin.BySSO})
		})
	}
	if err != nil {
		err = errors.Join(err, s.recordFailure(ctx, back.door, err))
	}
	return back.was.Next, err
}

// isFresh refuses a provider that still knew the person, and says so. One that does not
// say when they signed in is believed for having answered this visit, and no other.
func isFresh(back returned, claims Claims) error {
	if claims.AuthTime.IsZero() || !claims.AuthTime.Before(back.step.CreatedAt.Add(-clockDrift)) {
		return nil
	}
	return fault.New(fault.Forbidden, "%s did not ask you to sign in again. Sign out there, and try once more.", hostOf(back.provider.Issuer))
}

// recognize refuses anybody but the user with whom a subject is linked.
func (s *admission) recognize(ctx context.Context, d door, claims Claims, user account.User) error {
	other := fault.New(fault.Forbidden, "You signed in at %s with another account than that of %s. Sign out there, and try once more.", hostOf(d.provider.Issuer), user.Email)
	if claims.Subject == "" || claims.Issuer != d.provider.Issuer {
		return other
	}
	identity, err := s.ports.Identities.Identity(ctx, claims.Issuer, claims.Subject, d.connection.ID)
	if fault.Is(err, fault.NotFound) || err == nil && identity.UserID != user.ID {
		return other
	}
	if err != nil {
		return err
	}
	_, err = s.linked(ctx, d, identity)
	return err
}
