package oidc

import (
	"errors"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"parley/core/fault"
	"parley/core/sso"
)

// describeFailure says why a provider cannot be used. What it answered is for the log
// alone: it may come from a server that is none.
func describeFailure(provider sso.Provider, cause error) error {
	var mismatch *oidc.IssuerMismatchError
	if errors.As(cause, &mismatch) {
		return fault.Wrap(fault.Upstream, cause, "The provider at this address calls itself otherwise. Copy the issuer exactly as the provider shows it: a slash at its end matters, and an address for many organizations does not work.")
	}
	return fault.Wrap(fault.Upstream, cause, "There is no identity provider at %s that this server can reach. Check the issuer's address, and try again.", host(provider))
}

func unreachable(provider sso.Provider, cause error) error {
	return fault.Wrap(fault.Upstream, cause, "%s did not answer. Try again in a minute.", host(provider))
}

// exchangeFailure says why a provider gave no token. Its own words are for the log alone.
func exchangeFailure(provider sso.Provider, cause error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(cause, &refused) {
		return unreachable(provider, cause)
	}
	// The answer's body may hold what somebody else may not read.
	shown := errors.New("the token endpoint answered " + refused.ErrorCode)
	switch {
	case refused.ErrorCode == "invalid_client" || refused.ErrorCode == "unauthorized_client", refused.ErrorCode == "" && refused.Response.StatusCode == 401:
		return fault.Wrap(fault.Upstream, shown, "%s does not know this client ID with this secret. Copy both again, and mind that a secret may have expired.", host(provider))
	case refused.ErrorCode == "invalid_grant":
		return fault.Wrap(fault.Forbidden, shown, "%s says that this sign-in has ended. Start again.", host(provider))
	}
	return fault.Wrap(fault.Upstream, shown, "%s did not complete the sign-in. Ask who set up single sign-on to check the client ID, its secret and the redirect address.", host(provider))
}

func verifyFailure(cause error) error {
	var expired *oidc.TokenExpiredError
	if errors.As(cause, &expired) {
		return fault.Wrap(fault.Forbidden, cause, "The identity provider's answer had expired. Start again. If that happens every time, a clock is wrong.")
	}
	return unbelievable(cause)
}

func unbelievable(cause error) error {
	return fault.Wrap(fault.Forbidden, cause, "The identity provider's answer could not be verified, so you were not signed in. Start again, and tell who set up single sign-on if it happens again.")
}
