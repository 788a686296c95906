package sso

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
)

// VisitLifetime is how long a person may take at the provider.
const VisitLifetime = 10 * time.Minute

// The steps that are visits to a provider: one signs in, and in the other somebody who is
// signed in shows again who they are. Nothing that is kept of them can stand for the
// browser's secret.
const (
	visitKind signin.Kind = "sso"
	proofKind signin.Kind = "sso-proof"
)

// intent is what a visit is for.
type intent struct {
	kind signin.Kind
	// userID and sessionID are of whoever shows again who they are.
	userID, sessionID string
	// next is the page that the person wants to see afterward.
	next string
}

// begun is the stored state of a visit.
type begun struct {
	// ConnectionID and WorkspaceID are empty for the installation's provider.
	ConnectionID string `json:"connection_id,omitempty"`
	WorkspaceID  string `json:"workspace_id,omitempty"`
	Issuer       string `json:"issuer"`
	ClientID     string `json:"client_id"`
	SessionID    string `json:"session_id,omitempty"`
	Next         string `json:"next,omitempty"`
	ReturnURL    string `json:"return_url"`
}

// SignIns signs people in at identity providers.
type SignIns struct {
	ports       Ports
	neighbors   Neighbors
	connections *Connections
	admission   *admission
	options     Options
	now         func() time.Time
}

// Departure is how a browser gets to a provider.
type Departure struct {
	// URL is the provider's page.
	URL string
	// Secret is for a cookie of the browser.
	Secret string
	// Host is the provider's, for people.
	Host string
}

// Return says where a provider sends browsers back to: each workspace has an address of
// its own, and the empty one is the installation's. A provider that hands a browser on to
// another one gets the answer sent to the wrong address (RFC 9700, section 4.4).
type Return func(workspaceID string) string

// Installation returns the name of the installation's provider, empty if there is none.
func (s *SignIns) Installation() string {
	if s == nil || s.options.Provider.Issuer == "" {
		return ""
	}
	return s.options.Name
}

// door is what a person comes in by: a workspace's connection, or the installation's
// provider, whose connection is the zero one.
type door struct {
	provider   Provider
	connection Connection
}

// failure is why the provider cannot be used. That of the installation is the operator's to mend.
func (d door) failure(err error) error {
	if d.connection.ID != "" || !fault.Is(err, fault.Upstream) {
		return err
	}
	return fault.Wrap(fault.Upstream, err, "%s cannot be used to sign in right now, and the operator of this server has been told. Try again in a few minutes.", hostOf(d.provider.Issuer)).ForOperator()
}

// Begin sends a browser to the installation's provider. Next is the page that the person
// wants to see afterward.
func (s *SignIns) Begin(ctx context.Context, next string, back Return, client account.Client) (Departure, error) {
	if s.Installation() == "" {
		return Departure{}, fault.New(fault.NotFound, "This server has no single sign-on of its own.")
	}
	return s.depart(ctx, door{provider: s.options.Provider}, intent{kind: visitKind, next: next}, back, client)
}

// BeginFor sends a browser to the provider of an address's domain. Whether the address
// has an account makes no difference.
func (s *SignIns) BeginFor(ctx context.Context, email, next string, back Return, client account.Client) (Departure, error) {
	email, err := account.CheckEmail(email)
	if err != nil {
		return Departure{}, err
	}
	if err := s.neighbors.Throttle.CountVisit(ctx, client); err != nil {
		return Departure{}, err
	}
	claims, err := s.ports.Connections.ConnectionsOf(ctx, s.ports.System, domainOf(email))
	if err != nil {
		return Departure{}, err
	}
	for _, claim := range claims {
		if !claim.IsConfirmed() {
			continue
		}
		provider, err := s.connections.provider(claim)
		if err != nil {
			return Departure{}, err
		}
		return s.depart(ctx, door{provider, claim.Connection}, intent{kind: visitKind, next: next}, back, client)
	}
	return Departure{}, fault.InField("email", "No workspace uses single sign-on for addresses at %s. Sign in with your password.", domainOf(email))
}

func (s *SignIns) depart(ctx context.Context, d door, to intent, back Return, client account.Client) (Departure, error) {
	if d.connection.ID == "" || to.kind == proofKind { // the others were counted before the look-up
		if err := s.neighbors.Throttle.CountVisit(ctx, client); err != nil {
			return Departure{}, err
		}
	}
	returnURL := back(d.connection.WorkspaceID)
	data, err := json.Marshal(begun{
		ConnectionID: d.connection.ID, WorkspaceID: d.connection.WorkspaceID, Issuer: d.provider.Issuer, ClientID: d.provider.ClientID,
		SessionID: to.sessionID, Next: to.next, ReturnURL: returnURL,
	})
	if err != nil {
		return Departure{}, err
	}
	secret, err := s.ports.Steps.Begin(ctx, to.kind, to.userID, string(data), VisitLifetime)
	if err != nil {
		return Departure{}, err
	}
	visit := visitOf(secret, returnURL)
	visit.Fresh = to.kind == proofKind
	address, err := s.ports.Client.SignInURL(ctx, d.provider, visit)
	return Departure{URL: address, Secret: secret, Host: hostOf(d.provider.Issuer)}, d.failure(err)
}

// visitOf derives everything about a visit from the browser's secret, so that the
// database has nothing to steal.
func visitOf(secret, returnURL string) Visit {
	return Visit{State: derived(secret, "state"), Nonce: derived(secret, "nonce"), Verifier: derived(secret, "verifier"), ReturnURL: returnURL}
}

func derived(secret, purpose string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("parley sso " + purpose))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Proof is what an arrival shows of who the person is.
func (a Arrival) Proof() signin.Proof {
	return signin.Proof{Method: signin.BySSO, SSOWorkspaceID: a.WorkspaceID, At: a.at}
}

// Arrival is a person who came back from a provider and was let in.
type Arrival struct {
	User account.User
	// WorkspaceID is the workspace whose provider it was, empty for the installation's.
	WorkspaceID string
	// Next is the page that the person wanted to see.
	Next string
	// at is when the provider says that they signed in, zero if it does not.
	at time.Time
}

// errEnded is also what somebody gets whose browser did not begin the visit.
func errEnded() error {
	return fault.New(fault.Invalid, "This sign-in was begun in another browser or tab, has ended, or took longer than 10 minutes. Start again.")
}

// Finish ends a visit: it checks what the browser brings back, and returns whose account
// it is. Secret comes from the browser's cookie, and workspaceID from the address that the
// browser came back to.
func (s *SignIns) Finish(ctx context.Context, secret, workspaceID string, answer Answer) (Arrival, error) {
	back, err := s.end(ctx, visitKind, secret, workspaceID, answer)
	if err != nil {
		return Arrival{}, err
	}
	claims, err := s.receive(ctx, back.door, back.visit, answer)
	if err == nil {
		var user account.User
		if user, err = s.admission.admit(ctx, back.door, claims); err == nil {
			return Arrival{User: user, WorkspaceID: back.connection.WorkspaceID, Next: back.was.Next, at: claims.AuthTime}, nil
		}
	}
	return Arrival{}, errors.Join(err, s.recordFailure(ctx, back.door, err))
}

// returned is a browser that has come back from its visit.
type returned struct {
	door
	step  signin.Step
	was   begun
	visit Visit
}

// end takes the visit of a browser that brings back an answer to it.
func (s *SignIns) end(ctx context.Context, kind signin.Kind, secret, workspaceID string, answer Answer) (returned, error) {
	if !IsAnswer(secret, answer) {
		return returned{}, errEnded()
	}
	step, err := s.ports.Steps.Open(ctx, kind, secret)
	if err == nil {
		err = s.ports.Steps.Take(ctx, step)
	}
	if fault.Is(err, fault.Unauthenticated) { // it is over
		return returned{}, errEnded()
	}
	if err != nil {
		return returned{}, err
	}
	var was begun
	if err := json.Unmarshal([]byte(step.Data), &was); err != nil {
		return returned{}, err
	}
	if was.WorkspaceID != workspaceID {
		return returned{}, errEnded()
	}
	d, err := s.doorOf(ctx, was)
	return returned{door: d, step: step, was: was, visit: visitOf(secret, was.ReturnURL)}, err
}

// IsAnswer reports whether an answer is to the visit of a secret.
func IsAnswer(secret string, answer Answer) bool {
	return secret != "" && subtle.ConstantTimeCompare([]byte(answer.State), []byte(visitOf(secret, "").State)) == 1
}

// doorOf returns what a visit went through, unless that has changed since.
func (s *SignIns) doorOf(ctx context.Context, was begun) (door, error) {
	if was.ConnectionID == "" {
		if s.options.Provider.Issuer != was.Issuer || s.options.Provider.ClientID != was.ClientID {
			return door{}, errEnded()
		}
		return door{provider: s.options.Provider}, nil
	}
	found, err := s.ports.Connections.Connection(ctx, was.WorkspaceID)
	if fault.Is(err, fault.NotFound) {
		return door{}, errEnded()
	}
	if err != nil {
		return door{}, err
	}
	if found.ID != was.ConnectionID || found.Issuer != was.Issuer || found.ClientID != was.ClientID || !found.IsConfirmed() {
		return door{}, errEnded()
	}
	provider, err := s.connections.provider(found)
	return door{provider, found.Connection}, err
}

// receive returns what the provider says of the person.
func (s *SignIns) receive(ctx context.Context, d door, visit Visit, answer Answer) (Claims, error) {
	if answer.Error != "" {
		return Claims{}, refusedBy(d.provider, answer.Error)
	}
	if answer.Issuer != "" && answer.Issuer != d.provider.Issuer {
		return Claims{}, fault.New(fault.Forbidden, "Another identity provider answered than the one that was asked. Start again, and tell an admin of your workspace if it happens again.")
	}
	claims, err := s.ports.Client.Redeem(ctx, d.provider, visit, answer)
	return claims, d.failure(err)
}

// refusedBy says why a provider let nobody in. Its own words are not shown: anybody can
// write them into an address.
func refusedBy(provider Provider, code string) error {
	host := hostOf(provider.Issuer)
	cause := errors.New("the provider answered " + shortened(code))
	switch code {
	case "access_denied":
		return fault.Wrap(fault.Forbidden, cause, "%s did not let you in, or you canceled. Try again, or ask who manages your account there.", host)
	case "login_required", "interaction_required", "consent_required", "account_selection_required":
		return fault.Wrap(fault.Forbidden, cause, "%s wants you to sign in there first. Try again.", host)
	case "temporarily_unavailable", "server_error":
		return fault.Wrap(fault.Upstream, cause, "%s has a problem right now. Try again in a few minutes.", host)
	}
	return fault.Wrap(fault.Upstream, cause, "%s refused the request of this server. Ask who set up single sign-on to check the client ID, its secret and the redirect address.", host)
}

func shortened(text string) string { return text[:min(len(text), 60)] }

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "The identity provider"
}

// recordFailure records why somebody was not let in, where the workspace's owners, or the
// operator, can read it: the 1st, 2nd, 4th, 8th … time in quick succession.
func (s *SignIns) recordFailure(ctx context.Context, d door, refused error) error {
	failure := fault.As(refused)
	if failure.Kind == fault.Internal || failure.Kind == fault.Unavailable {
		return nil
	}
	object := d.connection.object()
	if d.connection.ID == "" {
		object = audit.Object{Kind: "sso_provider", Name: hostOf(d.provider.Issuer)}
	}
	return s.ports.Tx.InTx(ctx, func(ctx context.Context) error {
		worth, err := s.neighbors.Throttle.IsNoteworthy(ctx, "sso:"+d.connection.ID)
		if err != nil || !worth {
			return err
		}
		return audit.Record(ctx, s.ports.Audit, d.connection.WorkspaceID, s.now(), audit.Entry{Action: audit.SSOFailed, Object: object, Detail: failure.Message})
	})
}
