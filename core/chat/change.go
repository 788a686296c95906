package chat

import (
	"context"
	"fmt"
	"maps"
	"unicode/utf8"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/plain"
)

// What can be kept of a conversation's title and metadata. Lengths are in characters.
const (
	MaxTitle         = 200
	MaxMetadata      = 16
	MaxMetadataKey   = 40
	MaxMetadataValue = 500
)

// Change is what a caller changes about a conversation.
type Change struct {
	// Title is nil to leave it as it is.
	Title *string
	// Clear removes the metadata, before others are added.
	Clear bool
	// Metadata has the pairs to set, and keys without a value to remove.
	Metadata map[string]*string
}

// Deletions is the port that deletes conversations.
type Deletions interface {
	// DeleteConversation deletes a conversation with its messages, keys, feedback and
	// gaps. It is a Conflict while an answer is being generated in it.
	DeleteConversation(ctx context.Context, workspaceID, chatbotID string, id int64) error
}

// Change changes a conversation of the caller's chatbot.
func (s *Service) Change(ctx context.Context, p *chatbot.Principal, ref Ref, change Change) (Conversation, error) {
	if change.Title != nil {
		title, err := checkTitle(*change.Title)
		if err != nil {
			return Conversation{}, err
		}
		change.Title = &title
	}
	if err := checkPairs(change.Metadata); err != nil {
		return Conversation{}, err
	}
	conversation, err := s.Conversation(ctx, p, ref)
	if err != nil {
		return Conversation{}, err
	}
	var changed Conversation
	err = s.inTx(ctx, func(ctx context.Context) (err error) {
		var differences []audit.Change
		changed, err = s.store.ChangeConversation(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID, conversation.ID, func(c *Conversation) error {
			if !c.Admits(p, ref.ExternalUserID) { // it became another end user's
				return ErrNoConversation
			}
			before := *c
			err := change.apply(c)
			differences = differ(before, *c)
			return err
		})
		if err != nil || len(differences) == 0 {
			return err
		}
		return s.record(ctx, p, audit.ConversationChanged, ref, "changed", differences)
	})
	if fault.Is(err, fault.NotFound) {
		return Conversation{}, ErrNoConversation
	}
	return changed, err
}

// differ says which parts of a conversation have changed. Their texts are the caller's,
// and are not for the audit log.
func differ(before, after Conversation) (changes []audit.Change) {
	if before.Title != after.Title {
		changes = append(changes, audit.Change{Field: "title"})
	}
	if !maps.Equal(before.Metadata, after.Metadata) {
		changes = append(changes, audit.Change{Field: "metadata"})
	}
	return changes
}

// record writes a change of a conversation into the audit log.
func (s *Service) record(ctx context.Context, p *chatbot.Principal, action audit.Action, ref Ref, done string, changes []audit.Change) error {
	return audit.Record(ctx, s.audit, p.Chatbot.WorkspaceID, s.now(), audit.Entry{
		Action: action, Object: audit.Object{Kind: "conversation", ID: p.Chatbot.ID}, Changes: changes,
		Detail: fmt.Sprintf("The conversation %d was %s.", ref.Name, done),
	})
}

func (c Change) apply(to *Conversation) error {
	if c.Title != nil {
		to.Title = *c.Title
	}
	after := map[string]string{}
	if !c.Clear {
		maps.Copy(after, to.Metadata)
	}
	for key, value := range c.Metadata {
		if value == nil {
			delete(after, key)
		} else {
			after[key] = *value
		}
	}
	if len(after) > MaxMetadata {
		return fault.InField("metadata", "A conversation has at most %d pairs of metadata. Remove some with null.", MaxMetadata).Named(fault.MetadataTooLarge)
	}
	to.Metadata = after
	return nil
}

// NewMetadata returns the metadata of a new conversation, checked as a [Change] is.
// Keys without a value are left out.
func NewMetadata(pairs map[string]*string) (map[string]string, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	if err := checkPairs(pairs); err != nil {
		return nil, err
	}
	var made Conversation
	err := Change{Metadata: pairs}.apply(&made)
	return made.Metadata, err
}

func checkTitle(title string) (string, error) {
	if !Storable(title) {
		return "", fault.InField("title", "title must be valid UTF-8 without NUL characters.")
	}
	title = plain.Title(title)
	if utf8.RuneCountInString(title) > MaxTitle {
		return "", fault.InField("title", "title is longer than %d characters. Shorten it.", MaxTitle)
	}
	return title, nil
}

func checkPairs(pairs map[string]*string) error {
	for key, value := range pairs {
		if key == "" || !Storable(key) || value != nil && !Storable(*value) {
			return fault.InField("metadata", "metadata needs keys that are not empty, and no NUL characters.")
		}
		if utf8.RuneCountInString(key) > MaxMetadataKey {
			return fault.InField("metadata", "A key of metadata is longer than %d characters. Shorten it.", MaxMetadataKey).Named(fault.MetadataTooLarge)
		}
		if value != nil && utf8.RuneCountInString(*value) > MaxMetadataValue {
			return fault.InField("metadata", "A value of metadata is longer than %d characters. Shorten it.", MaxMetadataValue).Named(fault.MetadataTooLarge)
		}
	}
	return nil
}

// Delete deletes a conversation of the caller's chatbot. Its usage records stay, as they
// do when time deletes it.
func (s *Service) Delete(ctx context.Context, p *chatbot.Principal, ref Ref) error {
	conversation, err := s.Conversation(ctx, p, ref)
	if err != nil {
		return err
	}
	err = s.inTx(ctx, func(ctx context.Context) error {
		if err := s.deletions.DeleteConversation(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID, conversation.ID); err != nil {
			return err
		}
		return s.record(ctx, p, audit.ConversationDeleted, ref, "deleted", nil)
	})
	if fault.Is(err, fault.NotFound) {
		return ErrNoConversation
	}
	return err
}
