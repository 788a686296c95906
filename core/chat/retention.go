package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

const (
	// deletedAtOnce is how many conversations one transaction deletes, so that
	// none holds others up for long.
	deletedAtOnce = 200
	// longestRetention is more days than any conversation is old.
	longestRetention = 100 * 366
)

// DeleteOld deletes a workspace's conversations whose last message is older
// than a number of days of 24 hours, and returns how many. Days below 1, such
// as plan.Unlimited, delete nothing. What was deleted before an error stays
// deleted.
func (s *Service) DeleteOld(ctx context.Context, workspaceID string, days int) (int, error) {
	if days < 1 {
		return 0, nil
	}
	before := s.now().UTC().AddDate(0, 0, -min(days, longestRetention))
	for total := 0; ; {
		deleted, err := s.store.DeleteOldConversations(ctx, workspaceID, before, deletedAtOnce)
		total += deleted
		if err != nil || deleted < deletedAtOnce {
			return total, err
		}
	}
}

// DeleteExpired deletes, in every workspace, the conversations that its plan
// keeps no longer. A workspace that fails does not keep the others from it.
func (s *Service) DeleteExpired(ctx context.Context) error {
	retentions, err := s.store.Retentions(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, workspaceID := range slices.Sorted(maps.Keys(retentions)) {
		deleted, err := s.DeleteOld(ctx, workspaceID, retentions[workspaceID])
		if deleted > 0 {
			s.log.Info("deleted conversations that the plan keeps no longer", "workspace_id", workspaceID, "count", deleted)
		}
		if ctx.Err() != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("workspace %s: %w", workspaceID, err))
		}
	}
	return errors.Join(failed...)
}
