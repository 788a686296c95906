package bots

import (
	"context"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/token"
	"parley/ent/scope"
	"parley/store"
)

// PrincipalByTokenHash finds a token of any workspace, with its chatbot and
// the plan of their workspace.
func (s *Tokens) PrincipalByTokenHash(ctx context.Context, access system.Access, hash string) (*chatbot.Principal, error) {
	row, err := s.store.Client(ctx).Token.Query().Where(token.Hash(hash)).
		WithChatbot(func(q *ent.ChatbotQuery) { q.WithWorkspace() }).Only(scope.System(ctx, access))
	if err != nil {
		return nil, store.MapError(err)
	}
	// The chatbot is read after the token: it may have been removed between.
	bot := row.Edges.Chatbot
	// One that an owner has deleted answers as if it were gone already.
	if bot == nil || bot.Edges.Workspace == nil || row.WorkspaceID != bot.WorkspaceID || bot.Edges.Workspace.DeleteAt != nil {
		return nil, fault.New(fault.NotFound, "Token not found.")
	}
	p, err := s.store.Client(ctx).Plan.Get(ctx, bot.Edges.Workspace.Plan)
	return store.One(p, err, func(p *ent.Plan) *chatbot.Principal {
		return &chatbot.Principal{Token: tokenFromRow(row), Chatbot: ChatbotFromRow(bot), Plan: store.PlanFromRow(p)}
	})
}
