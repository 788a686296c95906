package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"

	"parley/core/sso"
	"parley/fetch"
)

// SSO configures single sign-on by OpenID Connect.
type SSO struct {
	OIDCIssuer   string   `name:"oidc-issuer" env:"OIDC_ISSUER" placeholder:"URL" help:"Identity provider by which everybody may sign in, such as https://login.example.com/realms/main: its issuer, exactly as it writes it. Register /sign-in/sso/callback under BASE_URL there as the redirect address. Without it, people sign in with passwords, and by the providers of their workspaces."`
	OIDCClientID string   `name:"oidc-client-id" env:"OIDC_CLIENT_ID" placeholder:"ID" help:"Client ID of this server at the identity provider."`
	OIDCSecret   string   `name:"oidc-client-secret" env:"OIDC_CLIENT_SECRET" placeholder:"SECRET" secret:"text" help:"Client secret of this server at the identity provider."`
	OIDCName     string   `name:"oidc-name" env:"OIDC_NAME" placeholder:"NAME" help:"What the sign-in page calls the identity provider, such as Example Inc. Default: single sign-on."`
	OIDCDomains  []string `name:"oidc-domains" env:"OIDC_DOMAINS" placeholder:"DOMAIN" help:"Domains of e-mail addresses, separated by commas, whose people may create an account by the identity provider, whether or not anybody may sign up. Default: whoever may sign up."`
	// SSOAllow has nothing from the other settings, because client secrets are sent there.
	SSOAllow []string `name:"sso-allow" env:"SSO_ALLOW" placeholder:"TARGET" help:"Private hosts and networks where workspaces may have identity providers of their own, also over http. Written as in FETCH_ALLOW, such as keycloak.internal:8443. The provider of OIDC_ISSUER needs no entry. Default: none."`
}

func (c *SSO) check() error {
	if _, err := c.SSOTargets(); err != nil {
		return err
	}
	if c.OIDCIssuer == "" {
		if c.OIDCClientID != "" || c.OIDCSecret != "" || len(c.OIDCDomains) > 0 {
			return errors.New("OIDC_ISSUER must be the address of the identity provider when another setting of OIDC is set")
		}
		return nil
	}
	if _, err := sso.CheckIssuer(c.OIDCIssuer, isOnThisMachine(c.OIDCIssuer)); err != nil {
		return errors.New("OIDC_ISSUER must be an https:// address, such as https://login.example.com")
	}
	if c.OIDCClientID == "" || c.OIDCSecret == "" {
		return errors.New("OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set when OIDC_ISSUER is")
	}
	for _, domain := range c.OIDCDomains {
		if _, err := sso.CheckDomain(domain); err != nil {
			return fmt.Errorf("OIDC_DOMAINS must be domains of e-mail addresses, such as example.com, separated by commas")
		}
	}
	return nil
}

// isOnThisMachine reports whether requests to an address never leave this machine.
func isOnThisMachine(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// SSOOptions returns what the operator decides about single sign-on.
func (c *Config) SSOOptions() sso.Options {
	options := sso.Options{SignUp: c.SignUp, PlainHTTP: len(c.SSOAllow) > 0}
	if c.OIDCIssuer == "" {
		return options
	}
	issuer, _ := sso.CheckIssuer(c.OIDCIssuer, true) // checked before
	options.Provider = sso.Provider{Issuer: issuer, ClientID: c.OIDCClientID, Secret: sso.Secret(c.OIDCSecret), ByOperator: true}
	options.Name = c.OIDCName
	if options.Name == "" {
		options.Name = "single sign-on"
	}
	for _, domain := range c.OIDCDomains {
		domain, _ := sso.CheckDomain(domain) // checked before
		options.Domains = append(options.Domains, domain)
	}
	return options
}

// SSOTargets returns the private hosts and networks where workspaces may have identity
// providers.
func (c *SSO) SSOTargets() ([]fetch.Target, error) { return targets("SSO_ALLOW", c.SSOAllow) }
