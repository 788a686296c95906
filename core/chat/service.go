package chat

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/system"
)

// Ports are what [New] needs of the database.
type Ports struct {
	// InTx runs fn in one transaction; calls inside it join.
	InTx          func(ctx context.Context, fn func(context.Context) error) error
	Conversations Conversations
	Deletions     Deletions
	Retentions    Retentions
	Records       Records
	Audit         audit.Log
	System        system.Access
}

// Service keeps conversations.
type Service struct {
	inTx       func(ctx context.Context, fn func(context.Context) error) error
	store      Conversations
	deletions  Deletions
	retentions Retentions
	records    Records
	audit      audit.Log
	system     system.Access
	keys       *Keys
	now        func() time.Time
	log        *slog.Logger
}

// New returns the service over its ports.
func New(ports Ports, keys *Keys, now func() time.Time, log *slog.Logger) *Service {
	return &Service{
		inTx: ports.InTx, store: ports.Conversations, deletions: ports.Deletions, retentions: ports.Retentions, records: ports.Records, audit: ports.Audit, system: ports.System,
		keys: keys, now: now, log: log,
	}
}

// Ref says which conversation a caller means, and for which of its end users
// it asks: see [Conversation.Admits].
type Ref struct {
	ConversationID int64
	// Name is the identifier that the caller knows, for the audit log.
	Name int64
	// ExternalUserID is the caller's name for its end user, or empty.
	ExternalUserID string
}

const maxExternalUserID = 255

// ErrNoConversation says that a conversation does not exist, or not for this
// caller and its end user.
var ErrNoConversation = fault.New(fault.NotFound, "Conversation not found.")

// Start says how a conversation begins. Its zero value is one of nobody.
type Start struct {
	// ExternalUserID is the caller's name for its end user, or empty.
	ExternalUserID string
	// Metadata is made by [NewMetadata].
	Metadata map[string]string
	// Key makes one conversation, however often it is sent.
	Key *Key
	// Admit, unless nil, is called before a conversation is made for a key, and
	// refuses it with an error.
	Admit func(context.Context) error
}

// CreateConversation starts a conversation before any message is sent.
func (s *Service) CreateConversation(ctx context.Context, p *chatbot.Principal, start Start) (Conversation, error) {
	externalUserID, key, admit := start.ExternalUserID, start.Key, start.Admit
	if err := (Ref{ExternalUserID: externalUserID}).Check(); err != nil {
		return Conversation{}, err
	}
	workspaceID := p.Chatbot.WorkspaceID
	if key != nil {
		before, err := s.keys.Claimed(ctx, workspaceID, *key)
		if err == nil {
			return s.Conversation(ctx, p, Ref{ConversationID: before.ConversationID, ExternalUserID: externalUserID})
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
	err := s.inTx(ctx, func(ctx context.Context) (err error) {
		made, err = s.store.CreateConversation(ctx, workspaceID, s.NewConversation(p, externalUserID, start.Metadata))
		if err != nil || key == nil {
			return err
		}
		return s.keys.Claim(ctx, workspaceID, *key, made.ID, 0)
	})
	if key == nil || !errors.Is(err, ErrClaimed) {
		return made, err
	}
	before, err := s.keys.Claimed(ctx, workspaceID, *key)
	if err != nil {
		return Conversation{}, err
	}
	return s.Conversation(ctx, p, Ref{ConversationID: before.ConversationID, ExternalUserID: externalUserID})
}

// NewConversation is one that is about to be stored.
func (s *Service) NewConversation(p *chatbot.Principal, externalUserID string, metadata map[string]string) Conversation {
	return Conversation{
		WorkspaceID: p.Chatbot.WorkspaceID, ChatbotID: p.Chatbot.ID,
		ExternalUserID: externalUserID, Metadata: metadata, Status: Active, Origin: OriginOf(p), BegunBy: p.CallerID(), CreatedAt: s.now(),
	}
}

// Conversation returns the conversation that a caller means. One of another
// end user is NotFound, like one that does not exist.
func (s *Service) Conversation(ctx context.Context, p *chatbot.Principal, ref Ref) (Conversation, error) {
	if err := ref.Check(); err != nil {
		return Conversation{}, err
	}
	conversation, err := s.store.Conversation(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID, ref.ConversationID)
	if fault.Is(err, fault.NotFound) {
		return Conversation{}, ErrNoConversation
	}
	if err == nil && !conversation.Admits(p, ref.ExternalUserID) {
		return Conversation{}, ErrNoConversation
	}
	return conversation, err
}

// LastMessages returns the last settled messages of a conversation with an id
// below before, oldest first. A before of 0 is above all.
func (s *Service) LastMessages(ctx context.Context, workspaceID string, conversationID, before int64, limit int) ([]Message, error) {
	return s.store.LastMessages(ctx, workspaceID, conversationID, before, limit)
}

// Check refuses the name of an end user that cannot be kept.
func (r Ref) Check() error {
	id := r.ExternalUserID
	if !Storable(id) {
		return fault.InField("external_user_id", "external_user_id must be valid UTF-8 without NUL characters.")
	}
	if utf8.RuneCountInString(id) > maxExternalUserID {
		return fault.InField("external_user_id", "external_user_id is longer than %d characters. Shorten it.", maxExternalUserID)
	}
	return nil
}

// Storable reports whether every database keeps a text as it is.
func Storable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}
