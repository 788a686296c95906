package chatbot

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"slices"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
)

// A token's secret is "parley_", 43 base62 characters of 256-bit randomness
// and 6 base62 characters of their CRC32, so that a typing error is refused
// without a look-up. Only its SHA-256 is stored.
const (
	tokenPrefix = "parley_"
	randomLen   = 43
	checkLen    = 6
	secretLen   = len(tokenPrefix) + randomLen + checkLen
)

// Scope is a part of the public API that a token may use.
type Scope string

// The scopes. A token has both unless it was created with fewer.
const (
	// ScopeChat sends messages and creates conversations.
	ScopeChat Scope = "chat"
	// ScopeRead reads conversations back.
	ScopeRead Scope = "conversations:read"
)

// AllScopes returns the scopes that a token has by default.
func AllScopes() []Scope { return []Scope{ScopeChat, ScopeRead} }

// Token is the record of an API token, without its secret.
type Token struct {
	ID          string
	WorkspaceID string
	ChatbotID   string
	Name        string
	// Hint shows the first and last characters of the secret.
	Hint   string
	Scopes []Scope
	// CreatedBy is the e-mail address of who created it, or "operator".
	CreatedBy  string
	CreatedAt  time.Time
	LastUsedAt *time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	// OverLimit says that the plan includes fewer tokens for each chatbot, and
	// that this one rests.
	OverLimit bool
}

// TokenStatus says whether a token works.
type TokenStatus string

// The statuses of a token.
const (
	TokenActive  TokenStatus = "active"
	TokenExpired TokenStatus = "expired"
	TokenRevoked TokenStatus = "revoked"
)

// Status of the token at a time.
func (t Token) Status(now time.Time) TokenStatus {
	switch {
	case t.RevokedAt != nil:
		return TokenRevoked
	case t.ExpiresAt != nil && !now.Before(*t.ExpiresAt):
		return TokenExpired
	}
	return TokenActive
}

// Principal is who calls the public API: a token, its chatbot and the plan of
// their workspace. Requests share it: it is never changed.
type Principal struct {
	Token   Token
	Chatbot Chatbot
	Plan    plan.Plan
}

// Needs refuses, as Forbidden, a token without the scope.
func (p *Principal) Needs(scope Scope) error {
	if slices.Contains(p.Token.Scopes, scope) {
		return nil
	}
	return fault.New(fault.Forbidden, "This token does not have the scope %q. Use a token that has it.", scope)
}

// NewToken is what a person gives to create a token.
type NewToken struct {
	Name string
	// Scopes are all scopes when empty.
	Scopes []Scope
	// ExpiresAt is never when nil.
	ExpiresAt *time.Time
	CreatedBy string
}

// Issue creates a token of a chatbot, if the plan admits one more and the
// chatbot is not over a limit itself, and returns its secret: the only time
// that it is seen.
func (s *Service) Issue(ctx context.Context, workspaceID, chatbotID string, request NewToken) (Token, string, error) {
	request, err := s.checkToken(request)
	if err != nil {
		return Token{}, "", err
	}
	secret := mint(s.random)
	token := Token{
		ID: id.New(s.random, "tok"), WorkspaceID: workspaceID, ChatbotID: chatbotID,
		Name: request.Name, Hint: hint(secret), Scopes: request.Scopes,
		CreatedBy: request.CreatedBy, CreatedAt: s.now(), ExpiresAt: request.ExpiresAt,
	}
	err = s.change(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		if err := s.admitToken(ctx, workspace, chatbotID); err != nil {
			return err
		}
		if err := s.store.CreateToken(ctx, workspaceID, token, hash(secret)); err != nil {
			return err
		}
		return s.record(ctx, workspaceID, audit.Entry{
			Action: audit.TokenCreated, Object: token.object(), Detail: token.describe(),
		})
	})
	if err != nil {
		return Token{}, "", err
	}
	return token, secret, nil
}

func (s *Service) checkToken(request NewToken) (NewToken, error) {
	name, err := checkText("name", request.Name, maxName)
	if err != nil {
		return request, err
	}
	if name == "" {
		name = "API token"
	}
	request.Name = name
	if len(request.Scopes) == 0 {
		request.Scopes = AllScopes()
	}
	for i, scope := range request.Scopes {
		if !slices.Contains(AllScopes(), scope) {
			return request, fault.InField("scopes", "There is no scope %q. Choose from %q and %q.", scope, ScopeChat, ScopeRead)
		}
		if slices.Contains(request.Scopes[:i], scope) {
			return request, fault.InField("scopes", "The scope %q is given twice.", scope)
		}
	}
	if request.ExpiresAt != nil && !request.ExpiresAt.After(s.now()) {
		return request, fault.InField("expires_at", "expires_at must be in the future.")
	}
	return request, nil
}

func (s *Service) admitToken(ctx context.Context, workspace tenant.Workspace, chatbotID string) error {
	bot, err := s.store.Chatbot(ctx, workspace.ID, chatbotID)
	if err != nil {
		return err
	}
	p, err := s.store.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	tokens, err := s.store.Tokens(ctx, workspace.ID, chatbotID)
	if err != nil {
		return err
	}
	active := 0
	for _, t := range tokens {
		if t.Status(s.now()) == TokenActive {
			active++
		}
	}
	if err := p.Admit(plan.Tokens, active+1); err != nil {
		return err
	}
	return bot.Writable()
}

// Tokens returns the records of a chatbot's tokens, revoked ones too, newest
// first.
func (s *Service) Tokens(ctx context.Context, workspaceID, chatbotID string) ([]Token, error) {
	if _, err := s.store.Chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.store.Tokens(ctx, workspaceID, chatbotID)
}

// Revoke ends a token. It acts on the next request of this process and within
// 5 s on every other. Revoking twice is success. Another token of the chatbot
// that was over the limit may be woken up by it.
func (s *Service) Revoke(ctx context.Context, workspaceID, chatbotID, tokenID string) error {
	err := s.change(ctx, workspaceID, func(ctx context.Context, _ tenant.Workspace) error {
		return s.revoke(ctx, workspaceID, chatbotID, tokenID)
	})
	s.known.dropChatbot(chatbotID)
	return err
}

func (s *Service) revoke(ctx context.Context, workspaceID, chatbotID, tokenID string) error {
	tokens, err := s.store.Tokens(ctx, workspaceID, chatbotID)
	if err != nil {
		return err
	}
	if _, err := s.store.RevokeToken(ctx, workspaceID, chatbotID, tokenID, s.now()); err != nil {
		return err
	}
	token := tokens[slices.IndexFunc(tokens, func(t Token) bool { return t.ID == tokenID })]
	if token.RevokedAt != nil { // it was revoked before
		return nil
	}
	return s.record(ctx, workspaceID, audit.Entry{Action: audit.TokenRevoked, Object: token.object(), Detail: token.describe()})
}

// Status of a token just now.
func (s *Service) Status(token Token) TokenStatus { return token.Status(s.now()) }

// Authenticate returns the principal of a token's secret. Missing, malformed,
// unknown, expired and revoked tokens give the same Unauthenticated fault. A
// plan without API access is Forbidden, and so is a token or a chatbot that is
// over a limit of the plan.
func (s *Service) Authenticate(ctx context.Context, secret string) (*Principal, error) {
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

func (s *Service) principal(ctx context.Context, hash string) (*Principal, error) {
	if principal, ok := s.known.get(hash); ok {
		return principal, nil
	}
	generation := s.known.generation()
	principal, err := s.store.PrincipalByTokenHash(ctx, hash)
	if fault.Is(err, fault.NotFound) {
		return nil, refuse(Token{}, "unknown")
	}
	if err != nil {
		return nil, err
	}
	s.known.put(hash, principal, generation)
	s.touch(ctx, principal.Token)
	return principal, nil
}

// touchEvery bounds how often the last use of a token is written.
const touchEvery = time.Minute

// touch records the use of a token. That it fails must not fail the request.
func (s *Service) touch(ctx context.Context, token Token) {
	now := s.now()
	if token.RevokedAt != nil || token.LastUsedAt != nil && now.Sub(*token.LastUsedAt) < touchEvery {
		return
	}
	_ = s.store.InTx(ctx, func(ctx context.Context) error {
		return s.store.TouchToken(ctx, token.WorkspaceID, token.ID, now)
	})
}

func mint(random io.Reader) string {
	body := id.Base62(id.Bytes(random, 32), randomLen)
	return tokenPrefix + body + checksum(body)
}

func checksum(body string) string {
	return id.Base62(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(body))), checkLen)
}

func wellFormed(secret string) bool {
	if len(secret) != secretLen || secret[:len(tokenPrefix)] != tokenPrefix {
		return false
	}
	body := secret[len(tokenPrefix):]
	return body[randomLen:] == checksum(body[:randomLen])
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func hint(secret string) string {
	return secret[:len(tokenPrefix)+4] + "…" + secret[len(secret)-4:]
}
