package testrun

import (
	"context"
	"time"

	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// Budget is the port to how many questions may be asked.
type Budget interface {
	// Take admits one question of a run. It is RateLimited when no more are admitted, and
	// Invalid for a question that the plan does not admit.
	Take(ctx context.Context, run Run, question string) (*quota.Ticket, error)
}

// Months counts the questions of a run as questions of the playground. Runs after a
// change leave half of a month's to people.
type Months struct {
	Quota interface {
		Take(ctx context.Context, workspaceID, chatbotID string, origin chat.Origin, p plan.Plan, question string) (*quota.Ticket, error)
	}
	Workspaces interface {
		Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	}
	Plans interface {
		Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
	}
	Used interface {
		MessagesOf(ctx context.Context, workspaceID, month string) (int, error)
	}
	Now func() time.Time
}

var errHalf = fault.New(fault.RateLimited, "Half of this month's playground questions are used up, so the test questions are asked after changes no more this month. Run them by hand.").Named(fault.QuotaExceeded)

// MostAfterChanges is how many of the playground questions that a plan includes in a month
// are used when runs after a change ask no more: half of them.
func MostAfterChanges(included int) int { return (included + 1) / 2 }

// Take implements [Budget].
func (m Months) Take(ctx context.Context, run Run, question string) (*quota.Ticket, error) {
	workspace, err := m.Workspaces.Workspace(ctx, run.WorkspaceID)
	if err != nil {
		return nil, err
	}
	p, err := m.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return nil, err
	}
	if most := p.Limits.PlaygroundPerMonth; run.Cause != ByPerson && most != plan.Unlimited {
		used, err := m.Used.MessagesOf(ctx, run.WorkspaceID, plan.MonthOf(plan.Playground, m.Now()))
		if err != nil {
			return nil, err
		}
		if used >= MostAfterChanges(most) {
			return nil, errHalf
		}
	}
	return m.Quota.Take(ctx, run.WorkspaceID, run.ChatbotID, chat.Playground, p, question)
}
