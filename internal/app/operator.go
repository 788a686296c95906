package app

import (
	"context"
	"strconv"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
)

// ConversationID returns the database's number of a conversation from the
// identifier that callers see.
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
	plans, err := p.Tenants.Plans.All(ctx)
	if err != nil {
		return nil, err
	}
	caller := &chatbot.Principal{Chatbot: bot, Plan: plan.Plan{}}
	for _, candidate := range plans {
		if candidate.Name == workspace.Plan {
			caller.Plan = candidate
		}
	}
	return caller, nil
}

// PlanNamed returns a plan by its name.
func (p *Program) PlanNamed(ctx context.Context, name plan.Name) (plan.Plan, error) {
	plans, err := p.Tenants.Plans.All(ctx)
	if err != nil {
		return plan.Plan{}, err
	}
	for _, one := range plans {
		if one.Name == name {
			return one, nil
		}
	}
	return plan.Plan{}, fault.New(fault.NotFound, "There is no plan %q.", name)
}
