package app

import (
	"context"
	"strconv"

	"parley/core/chat"
	"parley/core/chatbot"
)

// ConversationID returns the database's number of a conversation from its public
// identifier.
func (p *Program) ConversationID(written string) (int64, error) {
	id, err := strconv.ParseInt(written, 10, 64)
	if err == nil {
		if sequence, ok := p.IDs.ConversationSequence(id); ok {
			return sequence, nil
		}
	}
	return 0, chat.ErrNoConversation
}

// OperatorOf returns the operator as a caller of a chatbot, with the plan of its
// workspace.
func (p *Program) OperatorOf(ctx context.Context, bot chatbot.Chatbot) (*chatbot.Principal, error) {
	workspace, err := p.Tenants.Workspaces.Workspace(ctx, bot.WorkspaceID)
	if err != nil {
		return nil, err
	}
	inForce, err := p.Tenants.Plans.Existing(ctx, workspace.Plan)
	if err != nil {
		return nil, err
	}
	return &chatbot.Principal{Chatbot: bot, Plan: inForce}, nil
}
