package parley

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Conversation is an exchange of messages.
type Conversation struct {
	ID        ID        `json:"conversation_id"`
	ChatbotID string    `json:"chatbot_id"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	// ExternalUserID is your own name for its end user, or empty.
	ExternalUserID string `json:"external_user_id"`
	// Title is the beginning of the first question, unless you gave it another.
	Title string `json:"title"`
	// Metadata has your own pairs.
	Metadata map[string]string `json:"metadata"`
}

// NewConversation is what a conversation begins with. All of it may be left out.
type NewConversation struct {
	// ExternalUserID is your own name for the user of your system.
	ExternalUserID string `json:"external_user_id,omitempty"`
	// Metadata has up to 16 pairs of your own, with keys of up to 40 and values of up to 500
	// characters.
	Metadata map[string]string `json:"metadata,omitempty"`
}

// ConversationFilter chooses conversations. The zero filter chooses all.
type ConversationFilter struct {
	// ExternalUserID chooses the conversations of one end user.
	ExternalUserID string
	// CreatedAfter chooses those that were created after a time.
	CreatedAfter time.Time
	// Status chooses those with a status, such as "active".
	Status string
}

// ConversationChange is what to change in a conversation. What it leaves out stays.
type ConversationChange struct {
	// Title is at most 200 characters long; nil keeps the present one.
	Title *string
	// Metadata has the pairs to add or replace. A pair whose value is nil is removed.
	Metadata map[string]*string
	// ClearMetadata removes all pairs. Leave Metadata nil then.
	ClearMetadata bool
}

func (change ConversationChange) body() (map[string]any, error) {
	body := map[string]any{}
	if change.Title != nil {
		body["title"] = *change.Title
	}
	switch {
	case change.ClearMetadata && change.Metadata != nil:
		return nil, errors.New("parley: a change has either Metadata or ClearMetadata")
	case change.ClearMetadata:
		body["metadata"] = nil
	case change.Metadata != nil:
		body["metadata"] = change.Metadata
	}
	return body, nil
}

// CreateConversation creates a conversation without a question. The result has neither a title
// nor an end user: [Client.Conversation] has them.
func (c *Client) CreateConversation(ctx context.Context, with NewConversation) (Conversation, error) {
	var created Conversation
	err := c.call(ctx, request{method: http.MethodPost, path: "/conversations", body: with}, &created)
	return created, err
}

// Conversations lists conversations, newest first, in pages as they are needed. It ends at the
// first error. The token needs the scope conversations:read, as for all that reads conversations.
func (c *Client) Conversations(ctx context.Context, filter ConversationFilter) iter.Seq2[Conversation, error] {
	query := url.Values{}
	if filter.ExternalUserID != "" {
		query.Set("external_user_id", filter.ExternalUserID)
	}
	if !filter.CreatedAfter.IsZero() {
		query.Set("created_after", filter.CreatedAfter.UTC().Format(time.RFC3339Nano))
	}
	if filter.Status != "" {
		query.Set("status", filter.Status)
	}
	return list[Conversation](ctx, c, "/conversations", "conversations", query)
}

// Conversation gets a conversation.
func (c *Client) Conversation(ctx context.Context, conversation ID) (Conversation, error) {
	var found Conversation
	err := c.call(ctx, request{method: http.MethodGet, path: of(conversation)}, &found)
	return found, err
}

// ChangeConversation changes the title or the metadata of a conversation, and returns the
// conversation as it is then. The token needs the scope conversations:write.
func (c *Client) ChangeConversation(ctx context.Context, conversation ID, change ConversationChange) (Conversation, error) {
	body, err := change.body()
	if err != nil {
		return Conversation{}, err
	}
	var changed Conversation
	err = c.call(ctx, request{method: http.MethodPatch, path: of(conversation), body: body}, &changed)
	return changed, err
}

// DeleteConversation deletes a conversation with its messages and their feedback. While an answer
// is being written it fails with the name "conversation_busy": [Client.Stop] the answer first, or
// wait. The token needs the scope conversations:write.
func (c *Client) DeleteConversation(ctx context.Context, conversation ID) error {
	return c.call(ctx, request{method: http.MethodDelete, path: of(conversation), deletes: true}, nil)
}

// Messages reads the messages of a conversation, oldest first, in pages as they are needed. It
// ends at the first error. It can include [IncludeSources] and [IncludeUsage].
func (c *Client) Messages(ctx context.Context, conversation ID, include ...string) iter.Seq2[Message, error] {
	query := url.Values{}
	if len(include) > 0 {
		query.Set("include", strings.Join(include, ","))
	}
	return list[Message](ctx, c, of(conversation)+"/messages", "messages", query)
}

func of(conversation ID) string {
	return "/conversations/" + strconv.FormatInt(int64(conversation), 10)
}
