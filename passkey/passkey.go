// Package passkey owns the messages of WebAuthn: what a browser is asked, and whether
// its answer proves what was asked.
//
// It does not own whose a passkey is, what it lets in to, or where it is kept (package
// factor, whose port it implements), nor how browsers get the messages (package web).
package passkey

import (
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/fault"
	"parley/internal/jsonsize"
)

// The limits of an answer, of which the library makes many times as much: an answer of a
// device has a few thousand bytes.
const (
	maxAnswer = 64 << 10
	maxValues = 200
)

// checkSize refuses an answer above the limits.
func checkSize(answer string) error {
	if len(answer) > maxAnswer {
		return refused(errors.New("the answer is too long"))
	}
	if err := jsonsize.Check([]byte(answer), maxValues); err != nil {
		return refused(err)
	}
	return nil
}

// displayName is what devices show for the site.
const displayName = "Parley"

// Browsers implements [factor.WebAuthn].
type Browsers struct{}

var _ factor.WebAuthn = Browsers{}

// relyingParty returns the rules for a site. Every passkey is found without a name, and
// its device checks its user each time, so that it is two factors.
func relyingParty(party factor.Party) (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{
		RPID: party.ID, RPDisplayName: displayName, RPOrigins: []string{party.Origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
	})
}

// person is a user as the library knows them.
type person struct {
	user  account.User
	known []webauthn.Credential
}

func (p person) WebAuthnID() []byte                         { return []byte(p.user.ID) }
func (p person) WebAuthnName() string                       { return p.user.Email }
func (p person) WebAuthnDisplayName() string                { return p.user.Email }
func (p person) WebAuthnCredentials() []webauthn.Credential { return p.known }

func personOf(user account.User, known []factor.Passkey) (person, error) {
	p := person{user: user}
	for _, key := range known {
		var credential webauthn.Credential
		if err := json.Unmarshal([]byte(key.Credential), &credential); err != nil {
			return person{}, err
		}
		p.known = append(p.known, credential)
	}
	return p, nil
}

// Create asks for a new passkey, on a device that has none of the known ones.
func (Browsers) Create(party factor.Party, user account.User, known []factor.Passkey) (options, memory string, err error) {
	rp, err := relyingParty(party)
	if err != nil {
		return "", "", err
	}
	p, err := personOf(user, known)
	if err != nil {
		return "", "", err
	}
	exclude := webauthn.Credentials(p.known).CredentialDescriptors()
	creation, session, err := rp.BeginRegistration(p, webauthn.WithExclusions(exclude))
	if err != nil {
		return "", "", err
	}
	return encoded(creation.Response, session)
}

// Created checks the answer to [Browsers.Create].
func (Browsers) Created(party factor.Party, user account.User, memory, answer string) (credentialID, credential string, err error) {
	rp, session, err := resume(party, memory)
	if err != nil {
		return "", "", err
	}
	if err := checkSize(answer); err != nil {
		return "", "", err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return "", "", refused(err)
	}
	made, err := rp.CreateCredential(person{user: user}, session, parsed)
	if err != nil {
		return "", "", refused(err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // it is not asked for, and of no use later
	text, err := json.Marshal(made)
	return base64.RawURLEncoding.EncodeToString(made.ID), string(text), err
}

// Ask asks for one of a user's passkeys, or for anybody's.
func (Browsers) Ask(party factor.Party, user *account.User, known []factor.Passkey) (options, memory string, err error) {
	rp, err := relyingParty(party)
	if err != nil {
		return "", "", err
	}
	verified := webauthn.WithUserVerification(protocol.VerificationRequired)
	if user == nil {
		assertion, session, err := rp.BeginDiscoverableLogin(verified)
		if err != nil {
			return "", "", err
		}
		return encoded(assertion.Response, session)
	}
	p, err := personOf(*user, known)
	if err != nil {
		return "", "", err
	}
	assertion, session, err := rp.BeginLogin(p, verified)
	if err != nil {
		return "", "", err
	}
	return encoded(assertion.Response, session)
}

// Answered checks the answer to [Browsers.Ask].
func (Browsers) Answered(party factor.Party, memory, answer string, find func(userID string) (account.User, []factor.Passkey, error)) (factor.Passkey, error) {
	rp, session, err := resume(party, memory)
	if err != nil {
		return factor.Passkey{}, err
	}
	if err := checkSize(answer); err != nil {
		return factor.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return factor.Passkey{}, refused(err)
	}
	userID := string(session.UserID)
	if userID == "" {
		userID = string(parsed.Response.UserHandle)
	}
	user, known, err := find(userID)
	if fault.Is(err, fault.NotFound) {
		return factor.Passkey{}, refused(err)
	}
	if err != nil {
		return factor.Passkey{}, err
	}
	p, err := personOf(user, known)
	if err != nil {
		return factor.Passkey{}, err
	}
	used, err := validate(rp, p, session, parsed)
	if err != nil {
		return factor.Passkey{}, refused(err)
	}
	text, err := json.Marshal(used)
	if err != nil {
		return factor.Passkey{}, err
	}
	for _, key := range known {
		if key.CredentialID == base64.RawURLEncoding.EncodeToString(used.ID) {
			key.Credential = string(text)
			return key, nil
		}
	}
	return factor.Passkey{}, refused(errors.New("the credential is not among the user's passkeys"))
}

var errCopied = errors.New("the counter of the credential went back: there may be a copy of it")

func validate(rp *webauthn.WebAuthn, p person, session webauthn.SessionData, parsed *protocol.ParsedCredentialAssertionData) (*webauthn.Credential, error) {
	var used *webauthn.Credential
	var err error
	if len(session.UserID) > 0 {
		used, err = rp.ValidateLogin(p, session, parsed)
	} else {
		used, err = rp.ValidateDiscoverableLogin(func([]byte, []byte) (webauthn.User, error) { return p, nil }, session, parsed)
	}
	if err == nil && used.Authenticator.CloneWarning {
		err = errCopied
	}
	return used, err
}

// encoded returns a challenge as the browser gets it, and as the server remembers it.
func encoded(options any, session *webauthn.SessionData) (text, memory string, err error) {
	sent, err := json.Marshal(options)
	if err != nil {
		return "", "", err
	}
	kept, err := json.Marshal(session)
	return string(sent), string(kept), err
}

func resume(party factor.Party, memory string) (*webauthn.WebAuthn, webauthn.SessionData, error) {
	var session webauthn.SessionData
	if json.Unmarshal([]byte(memory), &session) != nil || session.Challenge == "" {
		return nil, session, refused(errors.New("no challenge waits for an answer"))
	}
	rp, err := relyingParty(party)
	return rp, session, err
}

// refused is what the person reads. The cause is for the log of security events.
func refused(cause error) error {
	return fault.Wrap(fault.Invalid, cause, "This passkey was not accepted. Try again, or use another way.")
}
