package tenant

import (
	"context"

	"parley/core/plan"
)

// Usage is how much a workspace uses of what a plan limits.
type Usage struct {
	Chatbots int
	// Members counts open invitations, too.
	Members int
	// TokensPerChatbot counts the active API tokens of the chatbot with the most.
	TokensPerChatbot int
	// MessagesPerMonth counts the questions of this calendar month, UTC.
	MessagesPerMonth int
	// PlaygroundPerMonth are the questions of this month in the playground.
	PlaygroundPerMonth int
	// KnowledgeChars is the length of all documents in characters.
	KnowledgeChars int
	// StoredBytes is the size of all files and texts: see [plan.Limits].
	StoredBytes int
}

// messageCounter counts a workspace's questions.
type messageCounter interface {
	// MessagesOf returns how many questions were counted in a month such as "2026-11",
	// in UTC.
	MessagesOf(ctx context.Context, workspaceID, month string) (int, error)
}

// knowledgeMeter measures a workspace's documents.
type knowledgeMeter interface {
	// KnowledgeSizes returns the length of all documents in characters, and the size of
	// all files and texts in bytes.
	KnowledgeSizes(ctx context.Context, workspaceID string) (chars, bytes int, err error)
}

// Usage returns a workspace's usage, for the billing page.
func (h *Holdings) Usage(ctx context.Context, workspaceID string) (Usage, error) {
	holdings, err := h.List(ctx, workspaceID)
	if err != nil {
		return Usage{}, err
	}
	invitations, err := h.db.Invitations.Invitations(ctx, workspaceID)
	if err != nil {
		return Usage{}, err
	}
	messages, err := h.db.Messages.MessagesOf(ctx, workspaceID, plan.MonthOf(plan.Messages, h.now()))
	if err != nil {
		return Usage{}, err
	}
	tried, err := h.Tried(ctx, workspaceID)
	if err != nil {
		return Usage{}, err
	}
	chars, stored, err := h.db.Knowledge.KnowledgeSizes(ctx, workspaceID)
	if err != nil {
		return Usage{}, err
	}
	return Usage{
		Chatbots:           count(holdings, plan.Chatbots),
		Members:            count(holdings, plan.Members) + len(invitations),
		TokensPerChatbot:   mostTokens(holdings),
		MessagesPerMonth:   messages,
		PlaygroundPerMonth: tried,
		KnowledgeChars:     chars,
		StoredBytes:        stored,
	}, nil
}

// Tried returns how many questions a workspace has asked in the playground this
// month.
func (h *Holdings) Tried(ctx context.Context, workspaceID string) (int, error) {
	return h.db.Messages.MessagesOf(ctx, workspaceID, plan.MonthOf(plan.Playground, h.now()))
}

func count(holdings []Holding, resource plan.Resource) int {
	n := 0
	for _, h := range holdings {
		if h.Resource == resource {
			n++
		}
	}
	return n
}

func mostTokens(holdings []Holding) int {
	most, tokens := 0, map[string]int{}
	for _, h := range holdings {
		if h.Resource == plan.Tokens {
			tokens[h.ChatbotID]++
			most = max(most, tokens[h.ChatbotID])
		}
	}
	return most
}
