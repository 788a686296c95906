package knowledge

import (
	"context"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
)

// Transactions is the port to the database's transactions.
type Transactions interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// Workspaces is the port to workspaces.
type Workspaces interface {
	LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
}

// Plans is the port to plans.
type Plans interface {
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
}

// Chatbots is the port to chatbots.
type Chatbots interface {
	Chatbot(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error)
}

// Sizes is the port to how much a workspace stores.
type Sizes interface {
	// KnowledgeSizes returns the length of all documents of a workspace in characters,
	// and what they and their files count of its storage: see [Stored].
	KnowledgeSizes(ctx context.Context, workspaceID string) (chars, stored int, err error)
}

// Stored is what documents count of a plan's storage, whose texts and files have so
// many bytes.
func Stored(documents, bytes int) int { return documents*DocumentBytes + bytes }

// workspaces knows what a workspace may store, and changes its knowledge.
type workspaces struct {
	Transactions
	locks    Workspaces
	plans    Plans
	chatbots Chatbots
	sizes    Sizes
	queue    Queue
}

// lock locks a workspace until the transaction of ctx ends.
func (s *workspaces) lock(ctx context.Context, workspaceID string) (tenant.Workspace, error) {
	return s.locks.LockWorkspace(ctx, workspaceID)
}

func (s *workspaces) enqueue(ctx context.Context, workspaceID, work string) error {
	return s.queue.Enqueue(ctx, workspaceID, work)
}

// change runs fn in one transaction under the workspace's lock, and has
// kinds of work done for the workspace after it.
func (s *workspaces) change(ctx context.Context, workspaceID string, work []string, fn func(context.Context) error) error {
	return s.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.lock(ctx, workspaceID); err != nil {
			return err
		}
		if err := fn(ctx); err != nil {
			return err
		}
		for _, kind := range work {
			if err := s.queue.Enqueue(ctx, workspaceID, kind); err != nil {
				return err
			}
		}
		return nil
	})
}

// admit refuses characters and bytes that the plan does not include. The caller
// holds the workspace's lock, and stores them in the same transaction.
func (s *workspaces) admit(ctx context.Context, workspace tenant.Workspace, chars, bytes int) error {
	p, err := s.plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	if chars <= 0 && bytes <= 0 {
		return nil
	}
	used, stored, err := s.sizes.KnowledgeSizes(ctx, workspace.ID)
	if err != nil {
		return err
	}
	if chars > 0 {
		if err := p.Admit(plan.KnowledgeChars, used+chars); err != nil {
			return err
		}
	}
	if bytes <= 0 {
		return nil
	}
	return p.Admit(plan.StoredBytes, stored+bytes)
}

// planOf returns the plan in force of a workspace, which stays locked.
func (s *workspaces) planOf(ctx context.Context, workspaceID string) (plan.Plan, error) {
	workspace, err := s.lock(ctx, workspaceID)
	if err != nil {
		return plan.Plan{}, err
	}
	return s.plans.Plan(ctx, workspace.Plan)
}

// roomForPages is for how many more documents a workspace has room, up to those
// that are wanted. The caller holds the workspace's lock.
func (s *workspaces) roomForPages(ctx context.Context, workspaceID string, wanted int) (room int, err error) {
	p, err := s.planOf(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	if p.Limits.StoredBytes == plan.Unlimited {
		return wanted, nil
	}
	_, stored, err := s.sizes.KnowledgeSizes(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	return min(max(p.Limits.StoredBytes-stored, 0)/Stored(1, 0), wanted), nil
}

// writable fails unless there is such a chatbot and it takes documents.
func (s *workspaces) writable(ctx context.Context, workspaceID, chatbotID string) error {
	bot, err := s.chatbot(ctx, workspaceID, chatbotID)
	if err != nil {
		return err
	}
	return bot.Writable()
}

func (s *workspaces) chatbot(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error) {
	return s.chatbots.Chatbot(ctx, workspaceID, chatbotID)
}
