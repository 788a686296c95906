package store

import (
	"context"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/ent"
	"parley/ent/scope"
	"parley/ent/token"
)

// Tokens keeps API tokens.
type Tokens struct{ store *Store }

// NewTokens returns the tokens of a database.
func NewTokens(db *Store) *Tokens { return &Tokens{db} }

// CreateToken adds a token with the hash of its secret. One that replaces
// another is kept if that one is.
func (s *Tokens) CreateToken(ctx context.Context, workspaceID string, t chatbot.Token, hash string) error {
	return s.store.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		kept := false
		if t.Replaces != "" {
			var err error
			kept, err = db.Token.Query().Where(token.ID(t.Replaces), token.ChatbotID(t.ChatbotID), token.Kept(true)).Exist(ctx)
			if err != nil {
				return err
			}
		}
		return db.Token.Create().SetID(t.ID).SetWorkspaceID(workspaceID).SetChatbotID(t.ChatbotID).SetName(t.Name).
			SetReplaces(t.Replaces).SetKept(kept).SetHint(t.Hint).SetHash(hash).SetScopes(fromScopes(t.Scopes)).SetCreatedBy(t.CreatedBy).
			SetNillableExpiresAt(t.ExpiresAt).SetCreatedAt(t.CreatedAt).Exec(ctx)
	})
}

// Tokens returns the tokens of a chatbot, newest first.
func (s *Tokens) Tokens(ctx context.Context, workspaceID, chatbotID string) ([]chatbot.Token, error) {
	rows, err := s.store.db(ctx).Token.Query().Where(token.ChatbotID(chatbotID)).
		Order(ent.Desc(token.FieldCreatedAt, token.FieldID)).All(within(ctx, workspaceID))
	return mapped(rows, err, tokenFromRow)
}

// RevokeToken sets revoked_at once, and returns the token's hash.
func (s *Tokens) RevokeToken(ctx context.Context, workspaceID, chatbotID, tokenID string, at time.Time) (hash string, err error) {
	err = s.store.InTx(within(ctx, workspaceID), func(ctx context.Context) error {
		db := s.store.db(ctx)
		row, err := db.Token.Query().Where(token.ID(tokenID), token.ChatbotID(chatbotID)).Only(ctx)
		if ent.IsNotFound(err) {
			return fault.New(fault.NotFound, "Token not found.")
		}
		if err != nil {
			return err
		}
		hash = row.Hash
		return db.Token.Update().Where(token.ID(tokenID), token.RevokedAtIsNil()).SetRevokedAt(at).Exec(ctx)
	})
	return hash, err
}

// RenameToken gives a token another name.
func (s *Tokens) RenameToken(ctx context.Context, workspaceID, chatbotID, tokenID, name string) error {
	return s.store.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return affected(db.Token.Update().Where(token.ID(tokenID), token.ChatbotID(chatbotID)).SetName(name).Save(ctx))
	})
}

// SetExpiry ends a token at a time.
func (s *Tokens) SetExpiry(ctx context.Context, workspaceID, chatbotID, tokenID string, at time.Time) error {
	return s.store.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return affected(db.Token.Update().Where(token.ID(tokenID), token.ChatbotID(chatbotID)).SetExpiresAt(at).Save(ctx))
	})
}

// TouchToken records the use of a token.
func (s *Tokens) TouchToken(ctx context.Context, workspaceID, tokenID string, at time.Time) error {
	return s.store.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Token.Update().Where(token.ID(tokenID)).SetLastUsedAt(at).Exec(ctx)
	})
}

// PrincipalByTokenHash finds a token of any workspace, with its chatbot and
// the plan of their workspace.
func (s *Tokens) PrincipalByTokenHash(ctx context.Context, hash string) (*chatbot.Principal, error) {
	row, err := s.store.db(ctx).Token.Query().Where(token.Hash(hash)).
		WithChatbot(func(q *ent.ChatbotQuery) { q.WithWorkspace() }).Only(scope.System(ctx))
	if err != nil {
		return nil, mapError(err)
	}
	if row.WorkspaceID != row.Edges.Chatbot.WorkspaceID {
		return nil, fault.New(fault.NotFound, "Token not found.")
	}
	p, err := s.store.db(ctx).Plan.Get(ctx, row.Edges.Chatbot.Edges.Workspace.Plan)
	return one(p, err, func(p *ent.Plan) *chatbot.Principal {
		return &chatbot.Principal{Token: tokenFromRow(row), Chatbot: chatbotFromRow(row.Edges.Chatbot), Plan: planFromRow(p)}
	})
}

func fromScopes(scopes []chatbot.Scope) []string {
	out := make([]string, len(scopes))
	for i, s := range scopes {
		out[i] = string(s)
	}
	return out
}

func tokenFromRow(row *ent.Token) chatbot.Token {
	scopes := make([]chatbot.Scope, len(row.Scopes))
	for i, s := range row.Scopes {
		scopes[i] = chatbot.Scope(s)
	}
	return chatbot.Token{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, Name: row.Name, Replaces: row.Replaces, Hint: row.Hint,
		Scopes: scopes, CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC(),
		LastUsedAt: utc(row.LastUsedAt), ExpiresAt: utc(row.ExpiresAt), RevokedAt: utc(row.RevokedAt),
		OverLimit: row.OverLimit,
	}
}
