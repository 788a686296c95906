// Package signin owns what a person shows of who they are, and what a browser has
// begun and not ended between the pages of a sign-in.
//
// It does not own sessions (package account), second factors (package factor) or
// identity providers.
package signin

import "time"

// Method is how a person signs in.
type Method string

// The methods.
const (
	ByPassword Method = "password"
	ByPasskey  Method = "passkey"
	// BySSO is an identity provider.
	BySSO Method = "sso"
)

// Proof is what a person has just shown of who they are.
type Proof struct {
	Method Method
	// SecondFactor says that they have shown a second factor, too. A passkey whose
	// device has checked its user is both factors.
	SecondFactor bool
	// SSOWorkspaceID is the workspace by whose own identity provider they signed in,
	// empty for any other way.
	SSOWorkspaceID string
	// At is when the person signed in at the identity provider, zero if it does not say.
	// Other ways are shown now.
	At time.Time
}

// ShownAt returns when the person showed it, at the latest now. One who comes from an
// identity provider that does not say when they signed in there has shown it at no known
// time: it may know them from hours ago.
func (p Proof) ShownAt(now time.Time) time.Time {
	switch {
	case p.Method != BySSO || p.SecondFactor || p.At.After(now):
		return now
	case p.At.IsZero():
		return time.Unix(0, 0).UTC()
	}
	return p.At
}

// Suffices reports whether the proof is enough for a workspace that demands a second
// factor of its members. The workspace's own identity provider decides by itself what it
// asks people for; any other one does not speak for the workspace.
func (p Proof) Suffices(workspaceID string) bool {
	return p.SecondFactor || p.SSOWorkspaceID != "" && p.SSOWorkspaceID == workspaceID
}

// SufficesForAll reports whether the proof is enough on a server that demands a second
// factor of everybody. The operator's own identity provider decides by itself what it asks
// people for; a workspace's identity provider does not speak for the operator.
func (p Proof) SufficesForAll() bool {
	return p.SecondFactor || p.Method == BySSO && p.SSOWorkspaceID == ""
}

// Sentence says for the audit log how a person signed in.
func (p Proof) Sentence() string {
	switch {
	case p.Method == ByPasskey:
		return "With a passkey."
	case p.Method == "" && p.SecondFactor:
		return "With a second factor."
	case p.Method == BySSO && p.SecondFactor:
		return "By single sign-on, with a second factor."
	case p.Method == BySSO:
		return "By single sign-on."
	case p.SecondFactor:
		return "With a password and a second factor."
	}
	return "With a password."
}
