package store

import (
	"context"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/ent"
	entchatbot "parley/ent/chatbot"
	"parley/ent/scope"
	"parley/ent/token"
)

// CreateChatbot adds a chatbot.
func (s *Store) CreateChatbot(ctx context.Context, workspaceID string, bot chatbot.Chatbot) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Chatbot.Create().SetID(bot.ID).SetWorkspaceID(workspaceID).SetName(bot.Name).
			SetInstructions(bot.Instructions).SetNoAnswer(bot.NoAnswer).SetImageHosts(list(bot.ImageHosts)).
			SetPassageAim(bot.PassageAim).SetPassageLimit(bot.PassageLimit).
			SetAnswerWithoutKnowledge(bot.AnswerWithoutKnowledge).SetSeparateEndUsers(bot.SeparateEndUsers).SetCreatedAt(bot.CreatedAt).
			SetProviderID(bot.Model.ProviderID).SetModel(bot.Model.Name).
			SetFallbackProviderID(bot.Fallback.ProviderID).SetFallbackModel(bot.Fallback.Name).
			SetNillableTemperature(bot.Temperature).SetMaxAnswerTokens(bot.MaxAnswerTokens).
			SetGrounding(string(bot.Grounding)).SetCacheAnswers(bot.CacheAnswers).Exec(ctx)
	})
}

// Chatbot returns one chatbot.
func (s *Store) Chatbot(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error) {
	row, err := s.db(ctx).Chatbot.Query().Where(entchatbot.ID(chatbotID)).Only(within(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return chatbot.Chatbot{}, errNoChatbot
	}
	return one(row, err, chatbotFromRow)
}

var errNoChatbot = fault.New(fault.NotFound, "Chatbot not found.")

// Chatbots returns the chatbots of a workspace, oldest first.
func (s *Store) Chatbots(ctx context.Context, workspaceID string) ([]chatbot.Chatbot, error) {
	rows, err := s.db(ctx).Chatbot.Query().Where(entchatbot.WorkspaceID(workspaceID)).
		Order(entchatbot.ByCreatedAt(), entchatbot.ByID()).All(within(ctx, workspaceID))
	return mapped(rows, err, chatbotFromRow)
}

// UpdateChatbot changes a chatbot's settings.
func (s *Store) UpdateChatbot(ctx context.Context, workspaceID, chatbotID string, settings chatbot.Settings) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.Chatbot.Update().Where(entchatbot.ID(chatbotID)).SetName(settings.Name).
			SetInstructions(settings.Instructions).SetNoAnswer(settings.NoAnswer).
			SetImageHosts(list(settings.ImageHosts)).
			SetPassageAim(settings.PassageAim).SetPassageLimit(settings.PassageLimit).
			SetAnswerWithoutKnowledge(settings.AnswerWithoutKnowledge).SetSeparateEndUsers(settings.SeparateEndUsers)
		n, err := setAnswering(update, settings.Answering).Save(ctx)
		if err == nil && n == 0 {
			return errNoChatbot
		}
		return err
	})
}

func setAnswering(update *ent.ChatbotUpdate, a chatbot.Answering) *ent.ChatbotUpdate {
	if a.Temperature == nil {
		update.ClearTemperature()
	}
	return update.SetNillableTemperature(a.Temperature).
		SetProviderID(a.Model.ProviderID).SetModel(a.Model.Name).
		SetFallbackProviderID(a.Fallback.ProviderID).SetFallbackModel(a.Fallback.Name).
		SetMaxAnswerTokens(a.MaxAnswerTokens).SetGrounding(string(a.Grounding)).SetCacheAnswers(a.CacheAnswers)
}

// DeleteChatbot removes a chatbot and all that belongs to it.
func (s *Store) DeleteChatbot(ctx context.Context, workspaceID, chatbotID string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return affected(db.Chatbot.Delete().Where(entchatbot.ID(chatbotID)).Exec(ctx))
	})
}

// WorkspaceOf finds a chatbot in any workspace.
func (s *Store) WorkspaceOf(ctx context.Context, chatbotID string) (string, error) {
	row, err := s.db(ctx).Chatbot.Query().Where(entchatbot.ID(chatbotID)).Only(scope.System(ctx))
	if ent.IsNotFound(err) {
		return "", errNoChatbot
	}
	return one(row, err, func(row *ent.Chatbot) string { return row.WorkspaceID })
}

// CreateToken adds a token with the hash of its secret.
func (s *Store) CreateToken(ctx context.Context, workspaceID string, t chatbot.Token, hash string) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Token.Create().SetID(t.ID).SetWorkspaceID(workspaceID).SetChatbotID(t.ChatbotID).SetName(t.Name).
			SetHint(t.Hint).SetHash(hash).SetScopes(fromScopes(t.Scopes)).SetCreatedBy(t.CreatedBy).
			SetNillableExpiresAt(t.ExpiresAt).SetCreatedAt(t.CreatedAt).Exec(ctx)
	})
}

// Tokens returns the tokens of a chatbot, newest first.
func (s *Store) Tokens(ctx context.Context, workspaceID, chatbotID string) ([]chatbot.Token, error) {
	rows, err := s.db(ctx).Token.Query().Where(token.ChatbotID(chatbotID)).
		Order(ent.Desc(token.FieldCreatedAt, token.FieldID)).All(within(ctx, workspaceID))
	return mapped(rows, err, tokenFromRow)
}

// RevokeToken sets revoked_at once, and returns the token's hash.
func (s *Store) RevokeToken(ctx context.Context, workspaceID, chatbotID, tokenID string, at time.Time) (hash string, err error) {
	err = s.InTx(within(ctx, workspaceID), func(ctx context.Context) error {
		db := s.db(ctx)
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

// TouchToken records the use of a token.
func (s *Store) TouchToken(ctx context.Context, workspaceID, tokenID string, at time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Token.Update().Where(token.ID(tokenID)).SetLastUsedAt(at).Exec(ctx)
	})
}

// PrincipalByTokenHash finds a token of any workspace, with its chatbot and
// the plan of their workspace.
func (s *Store) PrincipalByTokenHash(ctx context.Context, hash string) (*chatbot.Principal, error) {
	row, err := s.db(ctx).Token.Query().Where(token.Hash(hash)).
		WithChatbot(func(q *ent.ChatbotQuery) { q.WithWorkspace() }).Only(scope.System(ctx))
	if err != nil {
		return nil, mapError(err)
	}
	if row.WorkspaceID != row.Edges.Chatbot.WorkspaceID {
		return nil, fault.New(fault.NotFound, "Token not found.")
	}
	p, err := s.db(ctx).Plan.Get(ctx, row.Edges.Chatbot.Edges.Workspace.Plan)
	return one(p, err, func(p *ent.Plan) *chatbot.Principal {
		return &chatbot.Principal{Token: tokenFromRow(row), Chatbot: chatbotFromRow(row.Edges.Chatbot), Plan: planFromRow(p)}
	})
}

// list makes sure that a JSON column holds a list and not null.
func list(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}

func fromScopes(scopes []chatbot.Scope) []string {
	out := make([]string, len(scopes))
	for i, s := range scopes {
		out[i] = string(s)
	}
	return out
}

func chatbotFromRow(row *ent.Chatbot) chatbot.Chatbot {
	return chatbot.Chatbot{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Name: row.Name, Instructions: row.Instructions,
		NoAnswer: row.NoAnswer, ImageHosts: row.ImageHosts, PassageAim: row.PassageAim, PassageLimit: row.PassageLimit,
		AnswerWithoutKnowledge: row.AnswerWithoutKnowledge, SeparateEndUsers: row.SeparateEndUsers, Answering: answeringFromRow(row),
		OverLimit: row.OverLimit, CreatedAt: row.CreatedAt.UTC(),
	}
}

func answeringFromRow(row *ent.Chatbot) chatbot.Answering {
	return chatbot.Answering{
		Model:       chatbot.ModelChoice{ProviderID: row.ProviderID, Name: row.Model},
		Fallback:    chatbot.ModelChoice{ProviderID: row.FallbackProviderID, Name: row.FallbackModel},
		Temperature: row.Temperature, MaxAnswerTokens: row.MaxAnswerTokens,
		Grounding: chatbot.Grounding(row.Grounding), CacheAnswers: row.CacheAnswers,
	}
}

func tokenFromRow(row *ent.Token) chatbot.Token {
	scopes := make([]chatbot.Scope, len(row.Scopes))
	for i, s := range row.Scopes {
		scopes[i] = chatbot.Scope(s)
	}
	return chatbot.Token{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, Name: row.Name, Hint: row.Hint,
		Scopes: scopes, CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC(),
		LastUsedAt: utc(row.LastUsedAt), ExpiresAt: utc(row.ExpiresAt), RevokedAt: utc(row.RevokedAt),
		OverLimit: row.OverLimit,
	}
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
