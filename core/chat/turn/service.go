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
	"parley/core/fault"
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
	Answers *answer.Pipeline
	Now     func() time.Time
	Log     *slog.Logger
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

// Ask is a question of a caller.
type Ask struct {
	// Ref's ConversationID of 0 starts a new conversation.
	chat.Ref
	Message  string
	Delivery Delivery
	// Metadata is what a new conversation gets. [chat.NewMetadata] makes it.
	Metadata map[string]string
	// Given, unless nil, is what the caller says besides the question.
	CallerContext *CallerContext
	// Key makes Parley answer the question once, however often it is asked.
	// Without a key each question is one of its own.
	Key *chat.Key
	// Admit, unless nil, is called before an attempt at an answer begins, and
	// refuses it with an error. Counted says that the message of an earlier attempt pays for
	// this one. A question that is joined, or answered already, is not admitted anew.
	// Ended, unless nil, is called when the attempt has ended, and counts says
	// whether it counts as a message of the month: one that did not begin, or failed,
	// does not.
	Admit func(ctx context.Context, counted bool) (ended func(counts bool), err error)
}

func (a Ask) check(p *chatbot.Principal) error {
	if a.Metadata != nil && a.ConversationID != 0 {
		return fault.InField("metadata", "metadata is for a new conversation. Send it without conversation_id, or change that of the conversation with PATCH.")
	}
	if err := a.CallerContext.check(p); err != nil {
		return err
	}
	return a.Ref.Check()
}

// Begin stores the question and retrieves what answers it. With a key that was
// used before it returns the turn which that began, unless it was interrupted
// or failed: then Begin starts another attempt at its answer.
//
// Its failures are Invalid, NotFound (the conversation), Conflict (the
// conversation is busy, or the key was used for another request), RateLimited
// (the messages of the month are used up) and Upstream (retrieval). A ctx that
// ends fails it with the cause of ctx.
func (s *Service) Begin(ctx context.Context, p *chatbot.Principal, ask Ask) (*Turn, error) {
	if err := ask.check(p); err != nil {
		return nil, err
	}
	turn := &Turn{service: s, Delivery: ask.Delivery}
	b := &beginning{service: s, principal: p, ask: ask, turn: turn}
	// Not on the caller's goroutine: a stream's lives on, and would keep the
	// stack that this needs. docs/adr/0009 has the measurement.
	begun := make(chan error, 1)
	go func() {
		begun <- protect(func() error {
			if ask.Key != nil {
				return b.beginOnce(ctx)
			}
			return b.begin(ctx)
		})
	}()
	err := <-begun
	if turn.attempt != nil && turn.attempt.causeOfEnd() != nil {
		err = turn.attempt.causeOfEnd()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil { // after a panic, too: the conversation must not stay busy
		turn.Abandon(ctx)
		return nil, err
	}
	return turn, nil
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
