package chat

import (
	"context"
	"time"
)

// Spent sums up what a workspace's answers cost in a month, which is that of a
// time in UTC: a row for each chatbot, model and status. Answers that are being
// generated are not in it.
func (s *Service) Spent(ctx context.Context, workspaceID string, month time.Time) ([]Spent, error) {
	year, m, _ := month.UTC().Date()
	from := time.Date(year, m, 1, 0, 0, 0, 0, time.UTC)
	return s.store.Spent(ctx, workspaceID, from, from.AddDate(0, 1, 0))
}
