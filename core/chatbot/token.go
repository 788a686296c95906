package chatbot

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
	"parley/internal/id"
)

// Scope is a part of the public API that a token may use.
type Scope string

// The scopes. A token has the first two unless it was created with others.
const (
	// ScopeChat sends messages and creates conversations.
	ScopeChat Scope = "chat"
	// ScopeRead reads conversations back.
	ScopeRead Scope = "conversations:read"
	// ScopeWrite changes and deletes conversations.
	ScopeWrite Scope = "conversations:write"
	// ScopeReadKnowledge reads the documents that the chatbot answers from.
	ScopeReadKnowledge Scope = "knowledge:read"
	// ScopeWriteKnowledge adds, replaces and removes them.
	ScopeWriteKnowledge Scope = "knowledge:write"
)

// AllScopes returns the scopes that a token can have.
func AllScopes() []Scope {
	return []Scope{ScopeChat, ScopeRead, ScopeWrite, ScopeReadKnowledge, ScopeWriteKnowledge}
}

// DefaultScopes returns the scopes that a token has unless it is given others.
func DefaultScopes() []Scope { return []Scope{ScopeChat, ScopeRead} }

// Token is the record of an API token, without its secret.
type Token struct {
	ID          string
	WorkspaceID string
	ChatbotID   string
	Kind        TokenKind
	Name, Note  string
	Restrictions
	// Replaces is the token that was rolled into this one, or empty.
	Replaces string
	// Hint shows the first and last characters of the secret.
	Hint   string
	Scopes []Scope
	// CreatedBy is the e-mail address of who created it, or "operator".
	CreatedBy string
	CreatedAt time.Time
	// LastUse is the latest use that was written, or the zero LastUse.
	LastUse
	ExpiresAt *time.Time
	RevokedAt *time.Time
	// WarnedDays is how many days before its end its owners were last told of it:
	// 14, 3, or 0 for not yet.
	WarnedDays int
	// OverLimit says that the plan includes fewer tokens for each chatbot, and
	// that this one is suspended.
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

// TokenStore keeps tokens. A missing row is a NotFound fault.
type TokenStore interface {
	// CreateToken adds a token. If an owner has chosen to keep a token on a lower
	// plan, the token that replaces it is kept, too.
	CreateToken(ctx context.Context, workspaceID string, token Token, hash string) error
	Tokens(ctx context.Context, workspaceID, chatbotID string) ([]Token, error)
	// RevokeToken sets revoked_at once, and returns the token's hash.
	RevokeToken(ctx context.Context, workspaceID, chatbotID, tokenID string, at time.Time) (hash string, err error)
	// UpdateToken stores what can be changed of a token. It is a NotFound fault for
	// a token that the chatbot does not have.
	UpdateToken(ctx context.Context, workspaceID string, token Token) error
	// TouchToken records a use, unless the token was used later.
	TouchToken(ctx context.Context, workspaceID, tokenID string, use LastUse) error
	// CountMessage counts a question of a month such as 2026-11, and reports false
	// if the token has asked as many as its limit.
	CountMessage(ctx context.Context, workspaceID, tokenID, month string, limit int) (bool, error)
	// UncountMessage takes one back.
	UncountMessage(ctx context.Context, workspaceID, tokenID, month string) error
	// ExpiringTokens are the active tokens of all workspaces that expire before a
	// time, and whose owners were not told so many days before it.
	ExpiringTokens(ctx context.Context, access system.Access, now, before time.Time, days int) ([]Token, error)
	// WarnedOfToken notes that owners are told so many days before the token
	// expires. It reports false if they were told before.
	WarnedOfToken(ctx context.Context, workspaceID, tokenID string, days int) (bool, error)
	// PrincipalByTokenHash finds a token of any workspace, with its chatbot and plan.
	PrincipalByTokenHash(ctx context.Context, access system.Access, hash string) (*Principal, error)
}

// Tokens issues, changes and revokes API tokens. What requests ask of them is in
// [Callers], and when they were used in [Uses].
type Tokens struct {
	base
	callers   *Callers
	announcer *Announcer
}

// NewToken is what a person gives to create a token.
type NewToken struct {
	// Kind is SecretToken when empty.
	Kind       TokenKind
	Name, Note string
	// Scopes are [DefaultScopes] when empty. A publishable token always has [ScopeChat].
	Scopes []Scope
	Restrictions
	// ExpiresAt is never when nil.
	ExpiresAt *time.Time
	CreatedBy string
}

// Issue creates a token of a chatbot, if the plan admits one more and the
// chatbot is not over a limit itself, and returns its secret: the only time
// that it is seen.
func (s *Tokens) Issue(ctx context.Context, workspaceID, chatbotID string, request NewToken) (Token, string, error) {
	request, err := s.check(request)
	if err != nil {
		return Token{}, "", err
	}
	secret := mint(s.random, request.Kind)
	token := Token{
		ID: id.New(s.random, "tok"), WorkspaceID: workspaceID, ChatbotID: chatbotID,
		Kind: request.Kind, Name: request.Name, Note: request.Note, Hint: hint(secret), Scopes: request.Scopes, Restrictions: request.Restrictions,
		CreatedBy: request.CreatedBy, CreatedAt: s.now(), ExpiresAt: request.ExpiresAt, WarnedDays: warnedDays(request.ExpiresAt, s.now()),
	}
	err = s.change(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		if err := s.admit(ctx, workspace, chatbotID); err != nil {
			return err
		}
		if err := s.db.Tokens.CreateToken(ctx, workspaceID, token, hash(secret)); err != nil {
			return err
		}
		if err := s.announcer.tellOwners(ctx, workspace, token, letterOfNew); err != nil {
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

func (s *Tokens) check(request NewToken) (NewToken, error) {
	name, err := checkName(request.Name)
	if err != nil {
		return request, err
	}
	request.Name = cmp.Or(name, "API token")
	if request.Note, err = checkText("note", request.Note, maxNote); err != nil {
		return request, err
	}
	request.Kind = cmp.Or(request.Kind, SecretToken)
	if request.Scopes, err = checkScopes(request.Kind, request.Scopes); err != nil {
		return request, err
	}
	if request.Restrictions, err = request.Restrictions.check(request.Kind); err != nil {
		return request, err
	}
	return request, s.checkExpiry(request.ExpiresAt)
}

// checkScopes refuses scopes that a token of a kind cannot have. None stand for the
// default.
func checkScopes(kind TokenKind, scopes []Scope) ([]Scope, error) {
	switch kind {
	case PublishableToken:
		if len(scopes) > 1 || len(scopes) == 1 && scopes[0] != ScopeChat {
			return scopes, fault.InField("scopes", "A publishable token has the scope %q and no other.", ScopeChat)
		}
		return []Scope{ScopeChat}, nil
	case SecretToken:
	default:
		return scopes, fault.InField("kind", "There is no kind %q. Choose %q or %q.", kind, SecretToken, PublishableToken)
	}
	if len(scopes) == 0 {
		return DefaultScopes(), nil
	}
	for i, scope := range scopes {
		if !slices.Contains(AllScopes(), scope) {
			return scopes, fault.InField("scopes", "There is no scope %q. Choose from %q, %q, %q, %q and %q.", scope, ScopeChat, ScopeRead, ScopeWrite, ScopeReadKnowledge, ScopeWriteKnowledge)
		}
		if slices.Contains(scopes[:i], scope) {
			return scopes, fault.InField("scopes", "The scope %q is given twice.", scope)
		}
	}
	return scopes, nil
}

func (s *Tokens) checkExpiry(at *time.Time) error {
	if at != nil && !at.After(s.now()) {
		return fault.InField("expires_at", "expires_at must be in the future.")
	}
	return nil
}

func (s *Tokens) admit(ctx context.Context, workspace tenant.Workspace, chatbotID string) error {
	bot, err := s.db.Chatbots.Chatbot(ctx, workspace.ID, chatbotID)
	if err != nil {
		return err
	}
	p, err := s.db.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	tokens, err := s.db.Tokens.Tokens(ctx, workspace.ID, chatbotID)
	if err != nil {
		return err
	}
	if err := p.Admit(plan.Tokens, counted(tokens, s.now())+1); err != nil {
		return err
	}
	return bot.Writable()
}

// List returns the records of a chatbot's tokens, revoked ones too, newest
// first.
func (s *Tokens) List(ctx context.Context, workspaceID, chatbotID string) ([]Token, error) {
	if _, err := s.db.Chatbots.Chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.db.Tokens.Tokens(ctx, workspaceID, chatbotID)
}

// Revoke ends a token. It acts on the next request of this process and within
// 5 s on every other. Revoking twice is success. Another token of the chatbot
// that was suspended may become active by it.
func (s *Tokens) Revoke(ctx context.Context, workspaceID, chatbotID, tokenID string) error {
	err := s.change(ctx, workspaceID, func(ctx context.Context, workspace tenant.Workspace) error {
		return s.revoke(ctx, workspace, chatbotID, tokenID)
	})
	s.callers.known.dropChatbot(chatbotID)
	return err
}

func (s *Tokens) revoke(ctx context.Context, workspace tenant.Workspace, chatbotID, tokenID string) error {
	workspaceID := workspace.ID
	tokens, err := s.db.Tokens.Tokens(ctx, workspaceID, chatbotID)
	if err != nil {
		return err
	}
	if _, err := s.db.Tokens.RevokeToken(ctx, workspaceID, chatbotID, tokenID, s.now()); err != nil {
		return err
	}
	token := tokens[slices.IndexFunc(tokens, func(t Token) bool { return t.ID == tokenID })]
	if token.RevokedAt != nil { // it was revoked before
		return nil
	}
	if err := s.announcer.tellOwners(ctx, workspace, token, letterOfRevoked); err != nil {
		return err
	}
	return s.record(ctx, workspaceID, audit.Entry{Action: audit.TokenRevoked, Object: token.object(), Detail: token.describe()})
}

// Status of a token just now.
func (s *Tokens) Status(token Token) TokenStatus { return token.Status(s.now()) }
