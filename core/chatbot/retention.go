package chatbot

import (
	"cmp"
	"context"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// Retention says how long a chatbot keeps its conversations. The zero value keeps everything
// for as long as the plan does.
type Retention struct {
	// RetentionDays is for how many days after its last message a conversation is kept,
	// zero for as long as the plan says, which is never exceeded.
	RetentionDays int
	// DiscardMessages keeps no text of what is said, so that an answer knows nothing of
	// the questions before it.
	DiscardMessages bool
}

// shortens reports whether conversations would be kept for less than before, so that the
// change destroys what there is, or what would be.
func (r Retention) shortens(was Retention) bool {
	days := func(r Retention) int { return cmp.Or(r.RetentionDays, maxRetentionDays+1) }
	return days(r) < days(was) || r.DiscardMessages && !was.DiscardMessages
}

// check refuses a time that the plan does not include.
func (r Retention) check(p plan.Plan) error {
	most := p.Limits.RetentionDays
	if most == plan.Unlimited {
		most = maxRetentionDays
	}
	if r.RetentionDays < 0 || r.RetentionDays > most {
		return fault.InField("retention_days", "Give a number of days from 1 to %s, or none for as long as the plan keeps them.", plan.Thousands(most))
	}
	return nil
}

// maxRetentionDays is more than any conversation is old.
const maxRetentionDays = 36_500

// RetentionChange changes how long conversations are kept. Nil leaves a setting as it is.
type RetentionChange struct {
	// RetentionDays is zero for as long as the plan says.
	RetentionDays   *int
	DiscardMessages *bool
}

// ChangeRetention changes how long a chatbot's conversations are kept, and returns the new
// settings. It is Invalid for more days than the plan includes, and unproved, which says that
// the person has not shown lately who they are, if it shortens the time.
func (s *Chatbots) ChangeRetention(ctx context.Context, workspaceID, chatbotID string, change RetentionChange, unproved error) (changed Retention, err error) {
	err = s.replaceSettings(ctx, workspaceID, chatbotID, func(ctx context.Context, workspace tenant.Workspace, bot Chatbot) (Settings, error) {
		settings := bot.Settings()
		set(&settings.RetentionDays, change.RetentionDays)
		set(&settings.DiscardMessages, change.DiscardMessages)
		changed = settings.Retention
		if unproved != nil && changed.shortens(bot.Retention) {
			return settings, unproved
		}
		if change.RetentionDays == nil { // a lower plan than once has taken nothing from the chatbot
			return settings, nil
		}
		return settings, checkRetention(ctx, s.db.Plans, workspace, changed)
	})
	return changed, err
}

// checkRetention refuses to keep conversations for longer than the workspace's plan does.
func checkRetention(ctx context.Context, plans planReader, workspace tenant.Workspace, retention Retention) error {
	p, err := plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	return retention.check(p)
}
