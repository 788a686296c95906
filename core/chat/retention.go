package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"parley/core/system"
)

const (
	// deletedAtOnce is how many conversations one transaction deletes, so that
	// none holds others up for long.
	deletedAtOnce = 200
	// longestRetention is more days than any conversation is old.
	longestRetention = 100 * 366
)

// Retention is how long a workspace keeps its conversations after their last
// message, in days of 24 hours. Days below 1, such as plan.Unlimited, are for
// ever.
type Retention struct {
	Days int
	// KeptBefore is when the workspace last went to a plan that keeps them for
	// less time. Messages from before then are kept for KeptDays.
	KeptBefore time.Time
	KeptDays   int
}

// Forgetful is a workspace that does not keep its conversations for ever.
type Forgetful struct {
	WorkspaceID string
	Retention
	// Oldest is when the oldest of its conversations began, zero if it has none.
	Oldest time.Time
}

// Retentions is the port to what says how long conversations are kept, and
// deletes them.
type Retentions interface {
	// Retentions reads, a portion at a time, how long each workspace keeps
	// conversations, without those that keep them forever.
	Retentions(ctx context.Context, access system.Access) iter.Seq2[Forgetful, error]
	// DeleteOldConversations deletes conversations of a workspace with their
	// messages, the oldest first and at most limit: those whose last message
	// came before a time, and not before another, or which have no message and
	// began then. One in which an answer is being generated stays. It returns
	// how many it deleted.
	DeleteOldConversations(ctx context.Context, workspaceID string, since, before time.Time, limit int) (deleted int, err error)
	// ChatbotRetentions reads, a portion at a time, the chatbots that have a time of
	// their own.
	ChatbotRetentions(ctx context.Context, access system.Access) iter.Seq2[ForgetfulChatbot, error]
	// DeleteOldOfChatbot is DeleteOldConversations of one chatbot.
	DeleteOldOfChatbot(ctx context.Context, workspaceID, chatbotID string, before time.Time, limit int) (deleted int, err error)
}

// ForgetfulChatbot is a chatbot whose owner has chosen for how long its conversations are
// kept. The plan keeps them no longer than it says.
type ForgetfulChatbot struct {
	WorkspaceID, ChatbotID string
	Days                   int
}

// DeleteOld deletes the conversations that a workspace no longer keeps, and
// returns how many. What was deleted before an error stays deleted.
func (s *Service) DeleteOld(ctx context.Context, workspaceID string, kept Retention) (int, error) {
	deleted, err := s.deleteOld(ctx, workspaceID, kept.KeptBefore, kept.Days)
	if err != nil || kept.KeptBefore.IsZero() || kept.KeptDays < 1 {
		return deleted, err
	}
	more, err := s.deleteOld(ctx, workspaceID, time.Time{}, max(kept.Days, kept.KeptDays))
	return deleted + more, err
}

func (s *Service) deleteOld(ctx context.Context, workspaceID string, since time.Time, days int) (int, error) {
	if days < 1 {
		return 0, nil
	}
	before := s.before(days)
	for total := 0; ; {
		deleted, err := s.retentions.DeleteOldConversations(ctx, workspaceID, since, before, deletedAtOnce)
		total += deleted
		if err != nil || deleted < deletedAtOnce {
			return total, err
		}
	}
}

// before is when conversations ended that were kept for days.
func (s *Service) before(days int) time.Time {
	return s.now().UTC().AddDate(0, 0, -min(days, longestRetention))
}

// DeleteExpired deletes, in every workspace, the conversations that its plan
// keeps no longer. A workspace that fails does not keep the others from it.
func (s *Service) DeleteExpired(ctx context.Context) error {
	var failed []error
	for w, err := range s.retentions.Retentions(ctx, s.system) {
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if w.Oldest.IsZero() || w.Oldest.After(s.before(w.Days)) { // as in most workspaces at most times
			continue
		}
		deleted, err := s.DeleteOld(ctx, w.WorkspaceID, w.Retention)
		if deleted > 0 {
			s.log.Info("deleted conversations that the plan keeps no longer", "workspace_id", w.WorkspaceID, "count", deleted)
		}
		if ctx.Err() != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("workspace %s: %w", w.WorkspaceID, err))
		}
	}
	return errors.Join(append(failed, s.deleteOfChatbots(ctx))...)
}

// deleteOfChatbots deletes the conversations that their chatbots keep no longer.
func (s *Service) deleteOfChatbots(ctx context.Context) error {
	var failed []error
	for bot, err := range s.retentions.ChatbotRetentions(ctx, s.system) {
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for deleted := deletedAtOnce; deleted == deletedAtOnce && err == nil; {
			deleted, err = s.retentions.DeleteOldOfChatbot(ctx, bot.WorkspaceID, bot.ChatbotID, s.before(bot.Days), deletedAtOnce)
		}
		if ctx.Err() != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("chatbot %s: %w", bot.ChatbotID, err))
		}
	}
	return errors.Join(failed...)
}
