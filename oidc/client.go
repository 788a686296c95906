// Package oidc speaks OpenID Connect with identity providers: it implements the port of
// package sso with go-oidc, which ends here.
//
// It does not own whom a provider may sign in, nor what becomes of a visit (package sso).
package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/hashicorp/golang-lru/v2/expirable"
	"golang.org/x/oauth2"

	"parley/core/fault"
	"parley/core/sso"
)

const (
	// answerTime is how long a provider may take for one answer.
	answerTime = 10 * time.Second
	// maxAnswer is how large an answer may be.
	maxAnswer = 1 << 20
	// maxValues is how many values an answer may have, and maxToken how many bytes an ID
	// token: the libraries make many times as much of them.
	maxValues = 5_000
	maxToken  = 64 << 10
	// knownFor is how long a provider's description is kept, and knownMost how many.
	// Its keys are read again whenever a token names an unknown one.
	knownFor  = 10 * time.Minute
	knownMost = 256
)

// Config configures a [Client].
type Config struct {
	// Public reaches the providers that workspaces name, Trusted the one that the operator
	// chose. Neither follows redirects.
	Public, Trusted *http.Client
	// Now is the clock for the expiry of tokens. Nil is [time.Now].
	Now func() time.Time
}

// Client speaks with identity providers.
type Client struct {
	public, trusted *http.Client
	known           *expirable.LRU[key, *described]
	now             func() time.Time
}

var _ sso.Client = (*Client)(nil)

// New returns a client.
func New(config Config) *Client {
	return &Client{
		public: bounded(config.Public), trusted: bounded(config.Trusted),
		known: expirable.NewLRU[key, *described](knownMost, nil, knownFor), now: config.Now,
	}
}

// key tells descriptions apart: what the operator's client may reach, another may not.
type key struct {
	issuer  string
	trusted bool
}

// described is a provider with what its description says beside go-oidc's part.
type described struct {
	*oidc.Provider
	extra struct {
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
		NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
		Challenges  []string `json:"code_challenge_methods_supported"`
	}
}

// SignInURL returns the provider's page for a visit.
func (c *Client) SignInURL(ctx context.Context, provider sso.Provider, visit sso.Visit) (string, error) {
	d, err := c.describe(ctx, provider)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(visit.Nonce), oauth2.S256ChallengeOption(visit.Verifier)}
	if visit.Fresh { // OpenID Connect Core 1.0, section 3.1.2.1
		options = append(options, oauth2.SetAuthURLParam("prompt", asking(provider)), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return config(d, provider, visit.ReturnURL).AuthCodeURL(visit.State, options...), nil
}

// google has no prompt for signing in again: it documents none, consent and select_account.
const google = "https://accounts.google.com"

// asking is the prompt by which a provider asks a person whom it knows.
func asking(provider sso.Provider) string {
	if provider.Issuer == google {
		return "select_account"
	}
	return "login"
}

// Redeem exchanges the code of an answer for claims, and checks them.
func (c *Client) Redeem(ctx context.Context, provider sso.Provider, visit sso.Visit, answer sso.Answer) (sso.Claims, error) {
	d, err := c.describe(ctx, provider)
	if err != nil {
		return sso.Claims{}, err
	}
	if d.extra.NamesIssuer && answer.Issuer == "" {
		return sso.Claims{}, unbelievable(errors.New("the answer has no iss, though the provider says that it has"))
	}
	ctx = oidc.ClientContext(ctx, c.client(provider))
	token, err := config(d, provider, visit.ReturnURL).Exchange(ctx, answer.Code, oauth2.VerifierOption(visit.Verifier))
	if err != nil {
		return sso.Claims{}, exchangeFailure(provider, err)
	}
	raw, is := token.Extra("id_token").(string)
	if !is {
		return sso.Claims{}, unbelievable(errors.New("the provider sent no ID token"))
	}
	if len(raw) > maxToken {
		return sso.Claims{}, unbelievable(errors.New("the ID token is too long"))
	}
	idToken, err := d.Verifier(&oidc.Config{ClientID: provider.ClientID, Now: c.now}).Verify(ctx, raw)
	if err != nil {
		return sso.Claims{}, verifyFailure(err)
	}
	if subtle.ConstantTimeCompare([]byte(idToken.Nonce), []byte(visit.Nonce)) != 1 {
		return sso.Claims{}, unbelievable(errors.New("the ID token is for another visit"))
	}
	return c.claims(ctx, d, provider, idToken, token)
}

// claims reads an ID token that was verified, and asks the provider for the address
// where the token has none.
func (c *Client) claims(ctx context.Context, d *described, provider sso.Provider, idToken *oidc.IDToken, token *oauth2.Token) (sso.Claims, error) {
	var said said
	if err := idToken.Claims(&said); err != nil {
		return sso.Claims{}, unbelievable(err)
	}
	if said.AuthorizedParty != "" && said.AuthorizedParty != provider.ClientID {
		return sso.Claims{}, unbelievable(errors.New("the ID token was issued to another client"))
	}
	if said.Email == "" && d.UserInfoEndpoint() != "" {
		info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return sso.Claims{}, unreachable(provider, err)
		}
		if info.Subject != idToken.Subject {
			return sso.Claims{}, unbelievable(errors.New("the information is about another person than the ID token"))
		}
		if err := info.Claims(&said); err != nil {
			return sso.Claims{}, unbelievable(err)
		}
	}
	return sso.Claims{
		Issuer: provider.Issuer, Subject: idToken.Subject, Email: said.Email, EmailVerified: said.verified(provider.Issuer), HostedDomain: strings.ToLower(said.HostedDomain),
		AuthTime: said.authTime(),
	}, nil
}

// said are the claims that matter here.
type said struct {
	Email           string `json:"email"`
	EmailVerified   any    `json:"email_verified"`
	DomainVerified  any    `json:"xms_edov"`
	HostedDomain    string `json:"hd"`
	AuthorizedParty string `json:"azp"`
	AuthTime        any    `json:"auth_time"`
}

// authTime is zero unless the provider says it in the form of a NumericDate (RFC 7519).
func (s said) authTime() time.Time {
	seconds, is := s.AuthTime.(float64)
	if !is {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// entra begins the issuers of Microsoft Entra ID. It says xms_edov instead of
// email_verified: that the address's domain belongs to the person's organization.
const entra = "https://login.microsoftonline.com/"

// verified reports whether the provider has verified the address. Some write true as
// text.
func (s said) verified(issuer string) bool {
	if isTrue(s.EmailVerified) {
		return true
	}
	return s.EmailVerified == nil && strings.HasPrefix(issuer, entra) && (isTrue(s.DomainVerified) || s.DomainVerified == "1" || s.DomainVerified == 1.0)
}

func isTrue(value any) bool { return value == true || value == "true" }

// Check finds out whether a provider answers, and knows the client: it redeems a code
// that does not exist, which a provider refuses in other words for an unknown client.
func (c *Client) Check(ctx context.Context, provider sso.Provider, returnURL string) error {
	d, err := c.describe(ctx, provider)
	if err != nil {
		return inField("issuer", err)
	}
	ctx = oidc.ClientContext(ctx, c.client(provider))
	_, err = config(d, provider, returnURL).Exchange(ctx, "parley-connection-test", oauth2.VerifierOption(oauth2.GenerateVerifier()))
	var refused *oauth2.RetrieveError
	if err == nil || errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return nil
	}
	return inField("client_id", exchangeFailure(provider, err))
}

// inField makes a failure one of an input.
func inField(field string, err error) error {
	failure := fault.InField(field, "%s", fault.As(err).Message)
	failure.Cause = err
	return failure
}

// config is how oauth2 knows a client of a provider.
func config(d *described, provider sso.Provider, returnURL string) *oauth2.Config {
	endpoint := d.Endpoint()
	// Without this oauth2 tries both ways, and the second try finds the code used up.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if methods := d.extra.AuthMethods; len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") && slices.Contains(methods, "client_secret_post") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: provider.ClientID, ClientSecret: string(provider.Secret), Endpoint: endpoint, RedirectURL: returnURL,
		Scopes: []string{oidc.ScopeOpenID, "email"},
	}
}

func (c *Client) client(provider sso.Provider) *http.Client {
	if provider.ByOperator {
		return c.trusted
	}
	return c.public
}

// describe returns the provider's description of itself.
func (c *Client) describe(ctx context.Context, provider sso.Provider) (*described, error) {
	at := key{provider.Issuer, provider.ByOperator}
	if d, known := c.known.Get(at); known {
		return d, nil
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, c.client(provider)), provider.Issuer)
	if err != nil {
		return nil, describeFailure(provider, err)
	}
	d := &described{Provider: found}
	if err := found.Claims(&d.extra); err != nil {
		return nil, describeFailure(provider, err)
	}
	if methods := d.extra.Challenges; len(methods) > 0 && !slices.Contains(methods, "S256") {
		return nil, fault.New(fault.Upstream, "%s does not support PKCE with S256, which Parley needs.", host(provider))
	}
	for _, address := range []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL} {
		if !isWebPage(address, provider.Issuer) {
			return nil, describeFailure(provider, fmt.Errorf("an endpoint has the address %q", address))
		}
	}
	c.known.Add(at, d)
	return d, nil
}

// isWebPage reports whether a browser may be sent to an address: https, or http where
// the issuer itself has no TLS.
func isWebPage(address, issuer string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(issuer, "http://")
}

func host(provider sso.Provider) string {
	if u, err := url.Parse(provider.Issuer); err == nil && u.Host != "" {
		return u.Host
	}
	return "The identity provider"
}
