package api

import (
	"context"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/requestline"
	"parley/internal/trace"
)

const apiKeyHeader = "X-API-Key"

var (
	errNoToken   = fault.New(fault.Unauthenticated, "Invalid or expired API token.")
	errTwoTokens = fault.New(fault.Invalid, "The request carries two different tokens. Send one, as Authorization: Bearer or as X-API-Key.")
)

// secretOf returns the token's secret that a request carries in either header.
// Two that differ are refused: RFC 6750, section 2.
func secretOf(c *fiber.Ctx) (string, error) {
	var found []string
	for _, value := range c.Request().Header.PeekAll(fiber.HeaderAuthorization) {
		if secret, ok := bearer(string(value)); ok {
			found = append(found, secret)
		}
	}
	for _, value := range c.Request().Header.PeekAll(apiKeyHeader) {
		found = append(found, string(value))
	}
	if len(found) == 0 {
		return "", errNoToken
	}
	for _, other := range found[1:] {
		if other != found[0] {
			return "", errTwoTokens
		}
	}
	return found[0], nil
}

// bearer returns the credentials of the Bearer scheme, in any case: RFC 9110,
// section 11.1. Exactly one space stands before them.
func bearer(value string) (string, bool) {
	scheme, secret, _ := strings.Cut(value, " ")
	return secret, strings.EqualFold(scheme, "Bearer")
}

// caller is a program with the token that it showed.
type caller struct {
	*chatbot.Principal
	secret string
	use    chatbot.Use
}

// actorContext returns a context with the program as the actor of the audit log.
func actorContext(c *fiber.Ctx, by caller) context.Context {
	return audit.As(c.UserContext(), audit.Program(by.Token.Name, by.Token.Hint))
}

// withToken lets in a program whose token has the scope that the route declares.
func (a *API) withToken(d route.Declaration, handle func(*fiber.Ctx, caller) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		secret, err := secretOf(c)
		if err != nil {
			return err
		}
		use := a.useOf(c)
		principal, err := a.Chatbots.Callers.Authenticate(c.UserContext(), secret)
		if principal != nil {
			requestline.Of(c).For(principal.Chatbot.WorkspaceID, principal.Token.ID)
		}
		if !use.Own {
			a.readableBy(c, use.Origin, principal, err)
		}
		if err == nil {
			err = principal.Admits(use)
		}
		if err != nil {
			return aboutToken(principal, err)
		}
		trace.Of(c.UserContext()).Text(trace.WorkspaceID, principal.Chatbot.WorkspaceID)
		a.Chatbots.Uses.Used(&principal.Token, func() (ip, agent string) { return use.Address, c.Get(fiber.HeaderUserAgent) })
		defer a.sayLimits(c, principal)
		if err := principal.Needs(d.TokenScope); err != nil {
			return aboutToken(principal, err)
		}
		return handle(c, caller{principal, secret, use})
	}
}

// DeniedToken is in the chain of the error of a token that is known, and may not
// do what it was used for.
type DeniedToken struct {
	Token chatbot.Token
	cause error
}

func (e *DeniedToken) Error() string { return e.cause.Error() }

// Unwrap returns the fault that the caller reads.
func (e *DeniedToken) Unwrap() error { return e.cause }

// aboutToken adds the token to an error, for the log of security events.
func aboutToken(principal *chatbot.Principal, err error) error {
	if err == nil || principal == nil {
		return err
	}
	return &DeniedToken{principal.Token, err}
}

// useOf is from where a request with a token comes.
func (a *API) useOf(c *fiber.Ctx) chatbot.Use {
	use := chatbot.Use{Address: audit.OriginOf(c.UserContext()).Address}
	if use.Origin = c.Get(fiber.HeaderOrigin); use.Origin != "" {
		use.Own = a.isOwn(c, use.Origin)
	}
	return use
}

// isOwn reports whether an origin is this server's: the one that it is known by, or
// the one that the request was sent to.
func (a *API) isOwn(c *fiber.Ctx, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	own, err := url.Parse(a.BaseURL)
	return err == nil && strings.EqualFold(u.Scheme+"://"+u.Host, own.Scheme+"://"+own.Host) || u.Host == string(c.Request().URI().Host())
}
