package chatbot

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/singleflight"

	"parley/core/fault"
	"parley/core/plan"
)

// Principal is who talks to a chatbot: a token of the public API, or a member who
// tries it in the playground, with the chatbot and the plan of their workspace.
// Requests share it: it is never changed.
type Principal struct {
	// Token is the zero Token for a member.
	Token   Token
	Chatbot Chatbot
	Plan    plan.Plan
	// MemberID is the user's, and empty for a token.
	MemberID string
}

// CallerID returns the member's id, or the token's id if the caller has a token.
func (p *Principal) CallerID() string { return cmp.Or(p.MemberID, p.Token.ID) }

// Needs refuses, as Forbidden, a token without the scope.
func (p *Principal) Needs(scope Scope) error {
	if slices.Contains(p.Token.Scopes, scope) {
		return nil
	}
	return fault.New(fault.Forbidden, "This token does not have the scope %q. Use a token that has it.", scope).Named(fault.MissingScope)
}

// Callers says who calls with which token, from where and how much.
type Callers struct {
	base
	known   *cache
	looking singleflight.Group
}

// Listening says whether [Callers.Changed] will be told of every change by other
// processes from now on. Those before were missed.
func (s *Callers) Listening(is bool) {
	s.known.listen(is)
}

// Changed says that another process may have changed tokens, chatbots or the plan of a
// workspace, or plans of all when it is empty.
func (s *Callers) Changed(workspaceID string) {
	s.known.drop(func(p *Principal) bool { return workspaceID == "" || p.Chatbot.WorkspaceID == workspaceID })
}

// Authenticate returns the principal of a token's secret. Missing, malformed,
// unknown, expired and revoked tokens give the same Unauthenticated fault. A
// plan without API access is Forbidden, and so is a token or a chatbot that is
// over a limit of the plan.
func (s *Callers) Authenticate(ctx context.Context, secret string) (*Principal, error) {
	if !wellFormed(secret) {
		return nil, refuse(Token{}, "malformed")
	}
	principal, err := s.principal(ctx, hash(secret))
	if err != nil {
		return nil, err
	}
	if status := principal.Token.Status(s.now()); status != TokenActive {
		return nil, refuse(principal.Token, string(status))
	}
	return principal, principal.admit()
}

// Lists reports whether a token is for pages of an origin or, if it is secret, another token
// of its chatbot is.
func (s *Callers) Lists(ctx context.Context, p *Principal, origin string) (bool, error) {
	if p.Token.Kind == PublishableToken {
		return p.Token.Lists(origin), nil
	}
	tokens, err := s.db.Tokens.Tokens(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID)
	return slices.ContainsFunc(tokens, func(t Token) bool { return t.Lists(origin) }), err
}

// RefusedToken is the cause of the fault of a token that does not work, for the
// log of security events. The caller reads nothing of it.
type RefusedToken struct {
	// Token is the zero Token if it is not known.
	Token Token
	// Reason is malformed, unknown, expired or revoked.
	Reason string
}

func (e *RefusedToken) Error() string { return "the token is " + e.Reason }

// refuse is the same fault for every token that does not work.
func refuse(token Token, reason string) error {
	return fault.Wrap(fault.Unauthenticated, &RefusedToken{token, reason}, "Invalid or expired API token.")
}

func (s *Callers) principal(ctx context.Context, hash string) (*Principal, error) {
	if principal, ok := s.known.get(hash); ok {
		return principal, nil
	}
	// Requests that look one token up at the same time share a look-up, unless
	// something has changed since that began. It does not end with one of them.
	generation := s.known.generation()
	shared := s.looking.DoChan(hash+strconv.FormatUint(generation, 10), func() (principal any, err error) {
		defer func() {
			if p := recover(); p != nil { // a panic here would end the process
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpWithin)
		defer cancel()
		if principal, ok := s.known.get(hash); ok { // another look-up ended since this request asked
			return principal, nil
		}
		return s.lookUp(ctx, hash, generation)
	})
	select {
	case found := <-shared:
		principal, _ := found.Val.(*Principal)
		return principal, found.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lookUpWithin bounds a look-up that no request waits for any longer.
const lookUpWithin = 15 * time.Second

func (s *Callers) lookUp(ctx context.Context, hash string, generation uint64) (*Principal, error) {
	principal, err := s.db.Tokens.PrincipalByTokenHash(ctx, s.db.System, hash)
	if fault.Is(err, fault.NotFound) {
		return nil, refuse(Token{}, "unknown")
	}
	if err != nil {
		return nil, err
	}
	s.known.put(hash, principal, generation)
	return principal, nil
}

var errTokenSuspended = fault.New(fault.Forbidden, "This API token is suspended because the workspace's plan includes fewer tokens for each chatbot. An owner can choose which ones stay active, or upgrade the plan.").Named(fault.Suspended)

// admit refuses, as Forbidden, a principal whose plan has no API access, or
// who is over one of its limits.
func (p *Principal) admit() error {
	if err := p.Plan.Admit(plan.API, 1); err != nil {
		return err
	}
	if err := p.Chatbot.Writable(); err != nil {
		return err
	}
	if p.Token.OverLimit {
		return errTokenSuspended
	}
	return nil
}

// Use is from where a request with a token comes.
type Use struct {
	// Address is the client's, as text; empty if it is not known.
	Address string
	// Origin is the origin of the web page that sent the request, empty if none did.
	Origin string
	// Own says that the page is one of this server.
	Own bool
}

// Lists reports whether the token is for pages of an origin.
func (t *Token) Lists(origin string) bool {
	return t.Kind == PublishableToken && slices.Contains(t.Origins, origin)
}

// Admits refuses, as Forbidden, a use that the token's kind, origins or ranges do
// not admit. It asks no database.
func (p *Principal) Admits(use Use) error {
	token := &p.Token
	if token.Kind == PublishableToken {
		if !token.Lists(use.Origin) {
			return notFrom(use.Origin)
		}
	} else if use.Origin != "" && !use.Own {
		return fault.New(fault.Forbidden, "This is a secret token, and a web page sent it: every visitor of the page can read and use it. "+
			"Revoke it, and give the page a publishable token, or send the request from your own server.").Named(fault.SecretInBrowser)
	}
	if len(token.IPRanges) == 0 {
		return nil
	}
	address, err := netip.ParseAddr(use.Address)
	if err == nil {
		address = address.Unmap().WithZone("")
		for _, network := range token.IPRanges {
			if network.Contains(address) {
				return nil
			}
		}
	}
	return fault.New(fault.Forbidden, "This token may not be used from the address %s. Add its range to the token, or use another token.", use.Address).Named(fault.AddressNotAllowed)
}

func notFrom(origin string) error {
	if origin == "" {
		return fault.New(fault.Forbidden, "This is a publishable token: only pages of its origins may use it, and this request names no origin. "+
			"Use a secret token outside of browsers.").Named(fault.OriginNotAllowed)
	}
	return fault.New(fault.Forbidden, "This token may not be used by pages of %s. Add that origin to the token, or use another token.", short(origin)).Named(fault.OriginNotAllowed)
}
