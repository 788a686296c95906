package chat

import (
	"context"
	"time"
)

// Spent is a sum over usage records.
type Spent struct {
	ChatbotID, Model string
	Status           Status
	Answers          int
	// Estimated is how many of the answers have tokens that were counted here.
	Estimated                      int
	PromptTokens, CompletionTokens int
	Refuted                        int
	// FirstToken and Total are the means over answers that have them.
	FirstToken, Total time.Duration
}

// Records is the port to what sums usage records up.
type Records interface {
	// Spent sums up what a workspace's answers cost in the month of a time, in
	// UTC: a row for each chatbot, model and status. It leaves out answers that
	// are being generated.
	Spent(ctx context.Context, workspaceID string, month time.Time) ([]Spent, error)
}

// Spent sums up what a workspace's answers cost in the month of a time, in UTC:
// a row for each chatbot, model and status. It leaves out answers that are
// being generated.
func (s *Service) Spent(ctx context.Context, workspaceID string, month time.Time) ([]Spent, error) {
	return s.records.Spent(ctx, workspaceID, month)
}
