package knowledge

import (
	"context"
	"time"

	"parley/core/fault"
	"parley/core/plan"
)

// lookEvery is how soon a source that rests is read after the plan or the
// chatbot allows it again.
const lookEvery = time.Hour

// admitSource refuses a source that the chatbot does not take, or the plan
// does not include.
func (s *Service) admitSource(ctx context.Context, source Source) error {
	if err := s.writable(ctx, source.WorkspaceID, source.ChatbotID); err != nil {
		return err
	}
	p, err := s.planOf(ctx, source.WorkspaceID)
	if err != nil {
		return err
	}
	if source.Kind == Site {
		if err := p.Admit(plan.Sites, 1); err != nil {
			return err
		}
	}
	if source.Schedule != Never {
		return p.Admit(plan.Schedules, 1)
	}
	return nil
}

// rests says why a source that is due is not read: its chatbot is over the
// limit, or it is due by a schedule that the plan does not include. The error
// is Forbidden then.
func (s *Service) rests(ctx context.Context, source Source) error {
	if err := s.writable(ctx, source.WorkspaceID, source.ChatbotID); err != nil {
		return err
	}
	if source.State == SourceSyncing { // its owner asked for it
		return nil
	}
	var p plan.Plan
	err := s.store.InTx(ctx, func(ctx context.Context) (err error) {
		p, err = s.planOf(ctx, source.WorkspaceID)
		return err
	})
	if err != nil {
		return err
	}
	return p.Admit(plan.Schedules, 1)
}

// planOf returns the plan in force of a workspace, which stays locked.
func (s *Service) planOf(ctx context.Context, workspaceID string) (plan.Plan, error) {
	workspace, err := s.store.LockWorkspace(ctx, workspaceID)
	if err != nil {
		return plan.Plan{}, err
	}
	return s.store.Plan(ctx, workspace.Plan)
}

// leaveSource writes to a source why it rests, and has another look later.
func (s *Service) leaveSource(ctx context.Context, source Source, why error) error {
	if !fault.Is(why, fault.Forbidden) {
		return why
	}
	due := s.now().Add(lookEvery)
	source.Reason, source.DueAt = reason(fault.As(why)), &due
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		return s.store.UpdateSource(ctx, source.WorkspaceID, source)
	})
}
