package oidc_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/sso"
	"parley/fetch"
	"parley/oidc"
	"parley/oidc/oidctest"
)

var visit = sso.Visit{
	State: "the state", Nonce: "the nonce", Verifier: strings.Repeat("verifier", 6), ReturnURL: "https://parley.example/sign-in/sso/callback",
}

func newClient() *oidc.Client {
	open := fetch.NewClient(fetch.Config{Allow: []fetch.Target{{Name: "127.0.0.1"}}})
	return oidc.New(oidc.Config{Public: open, Trusted: open})
}

func of(server *oidctest.Server) sso.Provider {
	return sso.Provider{Issuer: server.URL, ClientID: oidctest.ClientID, Secret: oidctest.ClientSecret}
}

// visited goes to the provider as a browser does, and returns what it brings back.
func visited(t *testing.T, client *oidc.Client, provider sso.Provider) sso.Answer {
	t.Helper()
	address, err := client.SignInURL(t.Context(), provider, visit)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"response_type": "code", "code_challenge_method": "S256", "state": visit.State, "nonce": visit.Nonce, "redirect_uri": visit.ReturnURL, "scope": "openid email"} {
		if got := asked.Query().Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if strings.Contains(address, visit.Verifier) {
		t.Error("the address has the verifier")
	}
	back := oidctest.Browse(t, address)
	query := back.Query()
	return sso.Answer{Code: query.Get("code"), State: query.Get("state"), Issuer: query.Get("iss"), Error: query.Get("error")}
}

func TestRedeem(t *testing.T) {
	redeem := func(t *testing.T, lies oidctest.Lies) (sso.Claims, error) {
		t.Helper()
		server, client := oidctest.New(t), newClient()
		server.Lie(lies)
		return client.Redeem(t.Context(), of(server), visit, visited(t, client, of(server)))
	}
	t.Run("an honest provider says who somebody is", func(t *testing.T) {
		claims, err := redeem(t, oidctest.Lies{})
		if err != nil || claims.Subject != "subject-1" || claims.Email != "ada@example.com" || !claims.EmailVerified {
			t.Errorf("got %+v: %v", claims, err)
		}
	})
	t.Run("an address that is not in the ID token is asked for", func(t *testing.T) {
		claims, err := redeem(t, oidctest.Lies{Claims: map[string]any{"email": nil, "email_verified": nil}})
		if err != nil || claims.Email != "ada@example.com" || !claims.EmailVerified {
			t.Errorf("got %+v: %v", claims, err)
		}
	})
	t.Run("an address counts as verified only if the provider says so", func(t *testing.T) {
		for value, want := range map[any]bool{true: true, "true": true, false: false, "false": false, "yes": false, 1: false, nil: false} {
			claims, err := redeem(t, oidctest.Lies{Claims: map[string]any{"email_verified": value, "xms_edov": true}})
			if err != nil || claims.EmailVerified != want {
				t.Errorf("%v is %v: %v", value, claims.EmailVerified, err)
			}
		}
	})
	for name, lies := range map[string]oidctest.Lies{
		"a token that nobody signed":              {Unsigned: true},
		"a token that somebody else signed":       {Forged: true},
		"a token of another issuer":               {Claims: map[string]any{"iss": "https://evil.example"}},
		"a token for another client":              {Claims: map[string]any{"aud": "another"}},
		"a token for several, issued to another":  {Claims: map[string]any{"aud": []string{"another", oidctest.ClientID}, "azp": "another"}},
		"a token for another visit":               {Claims: map[string]any{"nonce": "another"}},
		"a token without a nonce":                 {Claims: map[string]any{"nonce": nil}},
		"a token that has expired":                {Claims: map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}},
		"a token without an expiry":               {Claims: map[string]any{"exp": nil}},
		"a token from the future":                 {Claims: map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}},
		"information about another person":        {Claims: map[string]any{"email": nil}, Info: map[string]any{"sub": "subject-2", "email": "ada@example.com", "email_verified": true}},
		"an answer without the iss that it needs": {NamesIssuer: true},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			claims, err := redeem(t, lies)
			if !fault.Is(err, fault.Forbidden) {
				t.Errorf("got %+v: %v", claims, err)
			}
		})
	}
	t.Run("a code is redeemed once, and by its own visit only", func(t *testing.T) {
		server, client := oidctest.New(t), newClient()
		other := visit
		other.Verifier = strings.Repeat("another!", 6)
		if _, err := client.Redeem(t.Context(), of(server), other, visited(t, client, of(server))); !fault.Is(err, fault.Forbidden) {
			t.Errorf("another verifier gives %v", err)
		}
		answer := visited(t, client, of(server))
		if _, err := client.Redeem(t.Context(), of(server), visit, answer); err != nil {
			t.Error(err)
		}
		if _, err := client.Redeem(t.Context(), of(server), visit, answer); !fault.Is(err, fault.Forbidden) {
			t.Errorf("the second time gives %v", err)
		}
	})
	t.Run("a description is read once for several sign-ins", func(t *testing.T) {
		server, client := oidctest.New(t), newClient()
		for range 3 {
			if _, err := client.Redeem(t.Context(), of(server), visit, visited(t, client, of(server))); err != nil {
				t.Error(err)
			}
		}
		if n := server.Seen("/.well-known/openid-configuration"); n != 1 {
			t.Errorf("it was read %d times", n)
		}
	})
}

func TestFreshVisits(t *testing.T) {
	server, fresh := oidctest.New(t), visit
	fresh.Fresh = true
	address, err := newClient().SignInURL(t.Context(), of(server), fresh)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := url.Parse(address)
	if err != nil || asked.Query().Get("prompt") != "login" || asked.Query().Get("max_age") != "0" {
		t.Errorf("it asks by %s: %v", address, err)
	}
	for value, want := range map[any]bool{float64(1_700_000_000): true, "1700000000": false, nil: false} {
		server.Lie(oidctest.Lies{Claims: map[string]any{"auth_time": value}})
		claims, err := newClient().Redeem(t.Context(), of(server), visit, visited(t, newClient(), of(server)))
		if err != nil || !claims.AuthTime.IsZero() != want || want && claims.AuthTime.Unix() != 1_700_000_000 {
			t.Errorf("%v is read as %v: %v", value, claims.AuthTime, err)
		}
	}
}

func TestCheck(t *testing.T) {
	check := func(t *testing.T, change func(*oidctest.Server, *sso.Provider)) *fault.Error {
		t.Helper()
		server := oidctest.New(t)
		provider := of(server)
		change(server, &provider)
		err := newClient().Check(t.Context(), provider, visit.ReturnURL)
		if err == nil {
			return nil
		}
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("it is %v", err)
		}
		return fault.As(err)
	}
	for name, wrong := range map[string]struct {
		change func(*oidctest.Server, *sso.Provider)
		field  string
	}{
		"a wrong secret":               {func(_ *oidctest.Server, p *sso.Provider) { p.Secret = "wrong" }, "client_id"},
		"a wrong client":               {func(_ *oidctest.Server, p *sso.Provider) { p.ClientID = "wrong" }, "client_id"},
		"a server that is no provider": {func(_ *oidctest.Server, p *sso.Provider) { p.Issuer += "/jwks" }, "issuer"},
		"a slash too many":             {func(_ *oidctest.Server, p *sso.Provider) { p.Issuer += "/" }, "issuer"},
		"another issuer's description": {func(s *oidctest.Server, _ *sso.Provider) {
			s.Lie(oidctest.Lies{DescribedIssuer: "https://other.example"})
		}, "issuer"},
		"an endless answer": {func(s *oidctest.Server, _ *sso.Provider) { s.Lie(oidctest.Lies{Flood: true}) }, "issuer"},
	} {
		t.Run(name+" is found out", func(t *testing.T) {
			failure := check(t, wrong.change)
			if failure == nil || failure.Field != wrong.field || strings.Contains(failure.Message, oidctest.ClientSecret) {
				t.Errorf("got %v", failure)
			}
		})
	}
	t.Run("a provider that works is accepted", func(t *testing.T) {
		if failure := check(t, func(*oidctest.Server, *sso.Provider) {}); failure != nil {
			t.Error(failure)
		}
	})
	t.Run("a provider that is silent takes no longer than its request", func(t *testing.T) {
		server := oidctest.New(t)
		server.Lie(oidctest.Lies{Silent: true})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := newClient().Check(ctx, of(server), visit.ReturnURL); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a provider in a private network is not asked unless the operator allows it", func(t *testing.T) {
		server := oidctest.New(t)
		closed := oidc.New(oidc.Config{Public: fetch.NewClient(fetch.Config{}), Trusted: fetch.NewClient(fetch.Config{Allow: []fetch.Target{{Name: "127.0.0.1"}}})})
		if err := closed.Check(t.Context(), of(server), visit.ReturnURL); !errors.Is(err, fetch.ErrPrivate) || server.Seen("/.well-known/openid-configuration") != 0 {
			t.Errorf("got %v", err)
		}
		provider := of(server)
		provider.ByOperator = true
		if err := closed.Check(t.Context(), provider, visit.ReturnURL); err != nil {
			t.Error(err)
		}
		if err := closed.Check(t.Context(), of(server), visit.ReturnURL); !errors.Is(err, fetch.ErrPrivate) {
			t.Errorf("what the operator's client has read is known to workspaces: %v", err)
		}
	})
}
