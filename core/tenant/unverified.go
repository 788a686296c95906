package tenant

import (
	"context"
	"errors"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
)

// UnverifiedFor is how long plans that were paid for go on after Stripe was
// switched off.
const UnverifiedFor = 30 * 24 * time.Hour

// Unverified are the workspaces whose plan was paid for and cannot be verified.
type Unverified struct {
	// Workspaces are their ids.
	Workspaces []string
	// Until is when the first of them loses the plan.
	Until time.Time
}

// Unverified returns the workspaces that have access to a paid plan, for a
// server without Stripe.
func (s *Service) Unverified(ctx context.Context) (Unverified, error) {
	subscriptions, err := s.store.Subscriptions(ctx)
	if err != nil {
		return Unverified{}, err
	}
	var found Unverified
	for _, subscription := range subscriptions {
		if !subscription.Access.Plan.Above(plan.Free) {
			continue
		}
		until := s.unverifiedUntil(subscription)
		if len(found.Workspaces) == 0 || until.Before(found.Until) {
			found.Until = until
		}
		found.Workspaces = append(found.Workspaces, subscription.WorkspaceID)
	}
	return found, nil
}

func (s *Service) unverifiedUntil(subscription Subscription) time.Time {
	until := s.now().Add(UnverifiedFor)
	if ends := subscription.Access.Until; ends != nil && ends.Before(until) {
		return *ends
	}
	return until
}

// EndUnverified is for a server without Stripe: it gives every plan that was
// paid for an end, [UnverifiedFor] after the first call, and returns the
// workspaces that still have such a plan. [Service.Lapse] ends it then, and
// nothing is deleted. The first answer of a Stripe that is switched on again
// takes the end back.
func (s *Service) EndUnverified(ctx context.Context) (Unverified, error) {
	found, err := s.Unverified(ctx)
	if err != nil {
		return Unverified{}, err
	}
	var failures []error
	for _, workspaceID := range found.Workspaces {
		err := s.endUnverified(ctx, workspaceID)
		if err != nil && !fault.Is(err, fault.NotFound) { // deleted meanwhile
			failures = append(failures, err)
		}
	}
	return found, errors.Join(failures...)
}

func (s *Service) endUnverified(ctx context.Context, workspaceID string) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context, workspace Workspace) error {
		before, err := s.store.Subscription(ctx, workspaceID)
		if err != nil || before.UnverifiedUntil != nil || !before.Access.Plan.Above(plan.Free) {
			return err
		}
		after, until := before, s.now().Add(UnverifiedFor)
		after.UnverifiedUntil = &until
		after.Access = s.access(after, s.now())
		return s.write(audit.As(ctx, audit.Time), workspace, before, after)
	})
}
