package api

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley/core/answer"
	"parley/core/answer/format"
	"parley/core/chat"
	"parley/core/chatbot"
)

// envelope is the shape of every JSON answer. (Specification, section 2.5.)
type envelope struct {
	Error        int    `json:"error"`
	ErrorMessage string `json:"error_message"`
	Data         any    `json:"data"`
}

// conversationRequest is the body of POST /conversations. (Section 4.3.)
type conversationRequest struct {
	ExternalUserID *string `json:"external_user_id"`
}

// conversationData answers POST /conversations. (Section 4.3.)
type conversationData struct {
	ConversationID int64  `json:"conversation_id"`
	ChatbotID      string `json:"chatbot_id"`
	Status         string `json:"status"`
	CreatedAt      string `json:"created_at"`
}

// messagesData answers GET /conversations/:id/messages. (Section 4.4; the
// page's fields are there only when a page was asked for.)
type messagesData struct {
	Messages []messageData `json:"messages"`
	HasMore  *bool         `json:"has_more,omitzero"`
	// Next is what after is to be for the next page, or null when there is none.
	Next jsontext.Value `json:"next,omitzero"`
}

// messageData is one message. (Section 2.2.)
type messageData struct {
	ID        int64  `json:"id"`
	Role      string `json:"role"`
	Content   string `json:"content"`
	CreatedAt string `json:"created_at"`
	// What follows is ours. Format is that of the content. A question has only the
	// outcome of an answer that failed without text.
	Format       string `json:"format"`
	Status       string `json:"status,omitzero"`
	Outcome      string `json:"outcome,omitzero"`
	FinishReason string `json:"finish_reason,omitzero"`
}

// tokenRequest is the body of POST /api/chatbots/:id/api-tokens.
type tokenRequest struct {
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// renameRequest is the body of PATCH /api/chatbots/:id/api-tokens/:token_id.
type renameRequest struct {
	Name string `json:"name"`
}

// rollRequest is the body of POST /api/chatbots/:id/api-tokens/:token_id/roll.
type rollRequest struct {
	OverlapDays *int `json:"overlap_days"`
}

// tokenData is the record of a token. Token is its secret, and is there only
// in the answer that creates it.
type tokenData struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Hint       string   `json:"hint"`
	Scopes     []string `json:"scopes"`
	CreatedAt  string   `json:"created_at"`
	CreatedBy  string   `json:"created_by"`
	LastUsedAt *string  `json:"last_used_at"`
	ExpiresAt  *string  `json:"expires_at"`
	RevokedAt  *string  `json:"revoked_at"`
	Status     string   `json:"status"`
	// Replaces is the token that was rolled into this one.
	Replaces string `json:"replaces,omitzero"`
	// OverLimit says that the plan includes fewer tokens, and that this one is suspended.
	OverLimit bool   `json:"over_limit,omitzero"`
	Token     string `json:"token,omitzero"`
}

type tokensData struct {
	Tokens []tokenData `json:"tokens"`
}

// timestamp is ISO 8601 in UTC with milliseconds.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func optionalTimestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := timestamp(*t)
	return &text
}

func (i identifiers) messageToWire(m chat.Message) messageData {
	data := messageData{
		ID: i.Message(m.ID), Role: string(m.Role), Content: m.Content, CreatedAt: timestamp(m.CreatedAt),
		Format: string(format.Markdown), Outcome: string(m.Outcome), FinishReason: m.FinishReason,
	}
	if m.Role == chat.User {
		data.Format = string(format.PlainText)
	} else {
		data.Status = statusOf(m.Status, answer.FinishReason(m.FinishReason))
	}
	return data
}

func tokenToWire(t chatbot.Token, status chatbot.TokenStatus) tokenData {
	scopes := make([]string, len(t.Scopes))
	for i, s := range t.Scopes {
		scopes[i] = string(s)
	}
	return tokenData{
		ID: t.ID, Name: t.Name, Hint: t.Hint, Scopes: scopes, CreatedAt: timestamp(t.CreatedAt), CreatedBy: t.CreatedBy,
		LastUsedAt: optionalTimestamp(t.LastUsedAt), ExpiresAt: optionalTimestamp(t.ExpiresAt),
		RevokedAt: optionalTimestamp(t.RevokedAt), Status: string(status), Replaces: t.Replaces, OverLimit: t.OverLimit,
	}
}
