package history

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"parley/core/answer"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/insight"
	"parley/internal/plain"
)

// Format is how conversations are exported.
type Format string

// The formats: a row, or a line, for each message.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// exported is how many conversations are read at a time.
const exported = 50

// Identify gives conversations and messages the identifiers that people see.
type Identify interface {
	Conversation(sequence int64) int64
	Message(sequence int64) int64
}

// Export reads the conversations that a query chooses, newest first, as text. It
// holds a few of them at a time, and reads on when it is read on. An error ends
// it in the middle. The audit log has it before anything is read.
func (h *History) Export(ctx context.Context, workspaceID, chatbotID string, query Query, format Format, ids Identify) (io.Reader, error) {
	if err := h.recordExport(ctx, workspaceID, chatbotID, query, format); err != nil {
		return nil, err
	}
	query.Limit = exported
	e := &export{ctx: ctx, history: h, workspaceID: workspaceID, chatbotID: chatbotID, query: query, format: format, ids: ids}
	if format == CSV {
		e.row(columns)
	}
	return e, nil
}

// recordExport says which days were exported. Whose conversations were looked for stays
// out.
func (h *History) recordExport(ctx context.Context, workspaceID, chatbotID string, query Query, format Format) error {
	entry := audit.Entry{
		Action: audit.ConversationsExported, Object: audit.Object{Kind: "conversation", ID: chatbotID},
		Changes: []audit.Change{{Field: "format", New: string(format)}},
	}
	if !query.From.IsZero() {
		entry.Changes = append(entry.Changes, audit.Change{Field: "from", New: query.From.Format(time.DateOnly)})
	}
	if !query.To.IsZero() {
		entry.Changes = append(entry.Changes, audit.Change{Field: "to", New: query.To.Format(time.DateOnly)})
	}
	return audit.Record(ctx, h.audit, workspaceID, h.now(), entry)
}

type export struct {
	ctx                    context.Context
	history                *History
	workspaceID, chatbotID string
	query                  Query
	format                 Format
	ids                    Identify

	// listed are conversations that are to be written. Of the first, the messages up
	// to after have been.
	listed []Summary
	after  int64
	ended  bool
	// text is the output so far, and rest the part of it still to read.
	text strings.Builder
	rest string
}

// Read implements [io.Reader].
func (e *export) Read(into []byte) (int, error) {
	for e.rest == "" {
		if e.text.Len() > 0 {
			e.rest = e.text.String()
			e.text.Reset()
			break
		}
		if err := e.more(); err != nil {
			return 0, err
		}
	}
	n := copy(into, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// more writes the next messages.
func (e *export) more() error {
	if len(e.listed) == 0 {
		if e.ended {
			return io.EOF
		}
		page, err := e.history.List(e.ctx, e.workspaceID, e.chatbotID, e.query)
		if err != nil {
			return err
		}
		e.listed, e.query.Before, e.ended = page.Conversations, page.Next, page.Next == 0
		return nil
	}
	messages, err := e.history.store.ThreadMessagesAfter(e.ctx, e.workspaceID, e.listed[0].ID, e.after, ThreadSize)
	if err != nil {
		return err
	}
	for i := range messages {
		e.write(&e.listed[0], &messages[i])
	}
	if len(messages) == ThreadSize {
		e.after = messages[len(messages)-1].ID
		return nil
	}
	e.listed, e.after = e.listed[1:], 0
	return nil
}

var columns = []string{
	"conversation_id", "title", "origin", "external_user_id", "message_id", "created_at", "role", "content", "status", "outcome",
	"rating", "comment", "model", "prompt_tokens", "completion_tokens", "first_token_ms", "total_ms", "sources",
}

// exportedMessage is a line of JSON Lines.
type exportedMessage struct {
	ConversationID   int64            `json:"conversation_id"`
	Title            string           `json:"title"`
	Origin           string           `json:"origin"`
	ExternalUserID   string           `json:"external_user_id,omitempty"`
	MessageID        int64            `json:"message_id"`
	CreatedAt        string           `json:"created_at"`
	Role             chat.Role        `json:"role"`
	Content          string           `json:"content"`
	Status           chat.Status      `json:"status"`
	Outcome          chat.Outcome     `json:"outcome,omitempty"`
	Rating           string           `json:"rating,omitempty"`
	Comment          string           `json:"comment,omitempty"`
	Model            string           `json:"model,omitempty"`
	PromptTokens     int              `json:"prompt_tokens,omitempty"`
	CompletionTokens int              `json:"completion_tokens,omitempty"`
	FirstTokenMS     int64            `json:"first_token_ms,omitempty"`
	TotalMS          int64            `json:"total_ms,omitempty"`
	Sources          []exportedSource `json:"sources,omitempty"`
}

type exportedSource struct {
	DocumentID string `json:"document_id"`
	Title      string `json:"title"`
	URL        string `json:"url,omitempty"`
	Cited      bool   `json:"cited"`
}

func (e *export) write(c *Summary, m *Message) {
	line := exportedMessage{
		ConversationID: e.ids.Conversation(c.ID), Title: c.Title, Origin: string(c.Origin), ExternalUserID: c.ExternalUserID,
		MessageID: e.ids.Message(m.ID), CreatedAt: m.CreatedAt.UTC().Format(time.RFC3339), Role: m.Role, Content: m.Content,
		Status: m.Status.Told(answer.FinishReason(m.FinishReason).Cut()), Outcome: m.Outcome,
	}
	if f := m.Feedback; f != nil {
		line.Rating, line.Comment = ratingName(f.Rating), f.Comment
	}
	if r := m.Record; r != nil {
		line.Model, line.PromptTokens, line.CompletionTokens = r.Model, r.Usage.PromptTokens, r.Usage.CompletionTokens
		line.FirstTokenMS, line.TotalMS = r.FirstToken.Milliseconds(), r.Total.Milliseconds()
	}
	var titles []string
	for _, s := range m.Citations {
		line.Sources = append(line.Sources, exportedSource{s.DocumentID, s.Title, s.URL, s.Cited})
		if s.Cited {
			titles = append(titles, s.Title)
		}
	}
	if e.format == JSONL {
		encoder := json.NewEncoder(&e.text)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(line) // of texts and numbers, to memory
		return
	}
	e.row([]string{
		strconv.FormatInt(line.ConversationID, 10), line.Title, line.Origin, line.ExternalUserID, strconv.FormatInt(line.MessageID, 10),
		line.CreatedAt, string(line.Role), line.Content, string(line.Status), string(line.Outcome), line.Rating, line.Comment, line.Model,
		strconv.Itoa(line.PromptTokens), strconv.Itoa(line.CompletionTokens),
		strconv.FormatInt(line.FirstTokenMS, 10), strconv.FormatInt(line.TotalMS, 10), strings.Join(titles, "; "),
	})
}

// row writes a row of CSV.
func (e *export) row(cells []string) {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = plain.Cell(cell)
	}
	w := csv.NewWriter(&e.text)
	_ = w.Write(safe) // to memory
	w.Flush()
}

func ratingName(r insight.Rating) string {
	switch r {
	case insight.ThumbUp:
		return "up"
	case insight.ThumbDown:
		return "down"
	}
	return ""
}
