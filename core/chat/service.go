package chat

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/retrieval"
)

// Searcher finds passages; package knowledge is one.
type Searcher interface {
	Search(ctx context.Context, scope retrieval.Scope, query retrieval.Query) ([]retrieval.Result, error)
}

// Service is the room: it answers questions in conversations.
type Service struct {
	store    Store
	searcher Searcher
	models   Models
	now      func() time.Time
	log      *slog.Logger

	quota *quota
	// queue has the conversations in which turns begin and run, keys the
	// idempotency keys whose requests are looked up.
	queue *queue[int64]
	keys  *queue[Key]
	// going counts the turns that may go on without a caller.
	going   sync.WaitGroup
	mu      sync.Mutex
	running map[int64]*run
}

// New returns the room over its ports.
func New(store Store, searcher Searcher, models Models, now func() time.Time, log *slog.Logger) *Service {
	return &Service{
		store: store, searcher: searcher, models: models, now: now, log: log,
		quota: newQuota(store, now), queue: newQueue[int64](), keys: newQueue[Key](), running: map[int64]*run{},
	}
}

// Ref says which conversation a caller means, and for which of its end users
// it asks: see [Conversation.admits].
type Ref struct {
	ConversationID int64
	// ExternalUserID is the caller's name for its end user, or empty.
	ExternalUserID string
}

// Ask is a question of a caller.
type Ask struct {
	// Ref's ConversationID of 0 starts a new conversation.
	Ref
	Message  string
	Delivery Delivery
	// Key makes it a question that is answered once, however often it is
	// asked. Nil makes it one of its own.
	Key *Key
	// Admit, unless nil, is called before an attempt at an answer begins, and
	// refuses it with an error; again says that an earlier attempt was broken
	// off. A question that is joined, or answered already, is not admitted anew.
	// Ended, unless nil, is called when the attempt has ended.
	Admit func(ctx context.Context, again bool) (ended func(), err error)
}

const maxExternalUserID = 255

// ErrNoConversation says that a conversation does not exist, or not for this
// caller and its end user.
var ErrNoConversation = fault.New(fault.NotFound, "Conversation not found.")

// CreateConversation starts a conversation before any message is sent: one for
// each key, if there is a key. Admit, unless nil, is called before one is made
// for a key, and refuses it with an error.
func (s *Service) CreateConversation(ctx context.Context, p *chatbot.Principal, externalUserID string, key *Key, admit func(context.Context) error) (Conversation, error) {
	if err := checkExternalUserID(externalUserID); err != nil {
		return Conversation{}, err
	}
	workspaceID := p.Chatbot.WorkspaceID
	if key != nil {
		before, err := s.claimed(ctx, workspaceID, *key)
		if err == nil {
			return s.conversation(ctx, p, Ref{before.ConversationID, externalUserID})
		}
		if !fault.Is(err, fault.NotFound) {
			return Conversation{}, err
		}
		if admit != nil {
			if err := admit(ctx); err != nil {
				return Conversation{}, err
			}
		}
	}
	var made Conversation
	err := s.store.InTx(ctx, func(ctx context.Context) (err error) {
		made, err = s.store.CreateConversation(ctx, workspaceID, s.newConversation(p, externalUserID))
		if err != nil || key == nil {
			return err
		}
		return s.claim(ctx, workspaceID, *key, made.ID, 0)
	})
	if key == nil || !errors.Is(err, errClaimed) {
		return made, err
	}
	before, err := s.claimed(ctx, workspaceID, *key)
	if err != nil {
		return Conversation{}, err
	}
	return s.conversation(ctx, p, Ref{before.ConversationID, externalUserID})
}

func (s *Service) newConversation(p *chatbot.Principal, externalUserID string) Conversation {
	return Conversation{
		WorkspaceID: p.Chatbot.WorkspaceID, ChatbotID: p.Chatbot.ID,
		ExternalUserID: externalUserID, Status: Active, CreatedAt: s.now(),
	}
}

// Page asks for some of a conversation's messages.
type Page struct {
	// After is the id of the last message seen, which must be one of the
	// conversation, or 0.
	After int64
	// Limit is from 1 to 100, or 0 for all messages.
	Limit int
}

// MaxPage is the largest [Page.Limit].
const MaxPage = 100

// ErrNoMessage says that [Page.After] is not a message of the conversation.
var ErrNoMessage = fault.InField("after", "after must be the id of a message of this conversation.")

// Messages returns the messages of a conversation of the caller's chatbot,
// oldest first, and whether there are more after them.
func (s *Service) Messages(ctx context.Context, p *chatbot.Principal, ref Ref, page Page) (messages []Message, more bool, err error) {
	conversation, err := s.conversation(ctx, p, ref)
	if err != nil {
		return nil, false, err
	}
	if page.After > 0 {
		known, err := s.store.HasMessage(ctx, p.Chatbot.WorkspaceID, conversation.ID, page.After)
		if err != nil {
			return nil, false, err
		}
		if !known {
			return nil, false, ErrNoMessage
		}
	}
	limit := page.Limit
	if limit > 0 {
		limit++
	}
	messages, err = s.store.Messages(ctx, p.Chatbot.WorkspaceID, conversation.ID, page.After, limit)
	if err != nil {
		return nil, false, err
	}
	if page.Limit > 0 && len(messages) > page.Limit {
		return messages[:page.Limit], true, nil
	}
	return messages, false, nil
}

// conversation returns the conversation that a caller means. One of another
// end user is NotFound, like one that does not exist.
func (s *Service) conversation(ctx context.Context, p *chatbot.Principal, ref Ref) (Conversation, error) {
	if err := checkExternalUserID(ref.ExternalUserID); err != nil {
		return Conversation{}, err
	}
	conversation, err := s.store.Conversation(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID, ref.ConversationID)
	if fault.Is(err, fault.NotFound) {
		return Conversation{}, ErrNoConversation
	}
	if err == nil && !conversation.admits(ref.ExternalUserID, p.Chatbot.SeparateEndUsers) {
		return Conversation{}, ErrNoConversation
	}
	return conversation, err
}

func checkAsk(p *chatbot.Principal, ask Ask) error {
	if strings.TrimSpace(ask.Message) == "" {
		return fault.InField("message", "message is required and must not be blank.")
	}
	if !storable(ask.Message) {
		return fault.InField("message", "message must be valid UTF-8 without NUL characters.")
	}
	if err := p.Plan.Admit(plan.MessageChars, utf8.RuneCountInString(ask.Message)); err != nil {
		return err
	}
	return checkExternalUserID(ask.ExternalUserID)
}

func checkExternalUserID(id string) error {
	if !storable(id) {
		return fault.InField("external_user_id", "external_user_id must be valid UTF-8 without NUL characters.")
	}
	if utf8.RuneCountInString(id) > maxExternalUserID {
		return fault.InField("external_user_id", "external_user_id is longer than %d characters. Shorten it.", maxExternalUserID)
	}
	return nil
}

func storable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// CheckModel reports whether the server's own model can be reached just now.
func (s *Service) CheckModel(ctx context.Context) error { return s.models.Default().Check(ctx) }

// ModelName is the name of the server's own model.
func (s *Service) ModelName() string { return s.models.Default().Name() }
