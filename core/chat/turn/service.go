package turn

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/system"
)

// Config is what [New] needs.
type Config struct {
	Turns   Turns
	Leases  Leases
	System  system.Access
	Chats   *chat.Service
	Keys    *chat.Keys
	Quota   *quota.Quota
	Tokens  TokenMonths
	Answers *answer.Pipeline
	// Meter is nil if nobody counts.
	Meter Meter
	Now   func() time.Time
	Log   *slog.Logger
}

// TokenMonths counts the questions of tokens that have a limit of messages a month;
// [chatbot.Callers] is one.
type TokenMonths interface {
	// TakeMessage returns the month in which a question counts, or refuses it.
	TakeMessage(ctx context.Context, token *chatbot.Token) (month string, err error)
	// GiveMessageBack takes a question back that got no answer.
	GiveMessageBack(ctx context.Context, token *chatbot.Token, month string) error
}

// Service answers questions in conversations.
type Service struct {
	Config

	// conversations queues turns by conversation, and keys requests by
	// idempotency key.
	conversations *queue[int64]
	keys          *queue[chat.Key]
	running       *running
	remembered    *remembered
	// detached counts the attempts that may go on without a caller.
	detached sync.WaitGroup
}

// ForgetWorkspace has a service forget what it remembers of a workspace's conversations,
// such as their titles. It is called when something of it was erased.
func (s *Service) ForgetWorkspace(workspaceID string) { s.remembered.forgetWorkspace(workspaceID) }

// New returns the service.
func New(config Config) *Service {
	return &Service{
		Config:        config,
		conversations: newQueue[int64](), keys: newQueue[chat.Key](), running: newRunning(), remembered: newRemembered(),
	}
}

// EndAll ends every turn of this process with a cause, which subscribers get.
func (s *Service) EndAll(cause error) {
	for _, a := range s.running.all() {
		a.end(cause)
	}
}

// Wait returns when all turns that may outlive their callers have ended. None
// may begin meanwhile.
func (s *Service) Wait() { s.detached.Wait() }
