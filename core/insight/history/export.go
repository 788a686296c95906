package history

import (
	"context"
	"io"
	"strings"
	"time"

	"parley/core/audit"
)

// exported is how many conversations are read at a time.
const exported = 50

// Format is a kind of file that conversations are exported as.
type Format struct {
	// Name is what the audit log calls it.
	Name string
	// Head is what stands before the first message.
	Head string
	// Line returns a message of a conversation.
	Line func(c *Summary, m *Message) string
}

// Export reads the conversations that a query chooses, newest first, as text. It
// holds a few of them at a time, and reads on when it is read on. An error ends
// it in the middle. The audit log has it before anything is read.
func (h *History) Export(ctx context.Context, workspaceID, chatbotID string, query Query, format Format) (io.Reader, error) {
	if err := h.recordExport(ctx, workspaceID, chatbotID, query, format); err != nil {
		return nil, err
	}
	query.Limit = exported
	e := &export{ctx: ctx, history: h, workspaceID: workspaceID, chatbotID: chatbotID, query: query, line: format.Line, rest: format.Head}
	return e, nil
}

// recordExport says which days were exported. Whose conversations were looked for stays
// out.
func (h *History) recordExport(ctx context.Context, workspaceID, chatbotID string, query Query, format Format) error {
	entry := audit.Entry{
		Action: audit.ConversationsExported, Object: audit.Object{Kind: "conversation", ID: chatbotID},
		Changes: []audit.Change{{Field: "format", New: format.Name}},
	}
	if !query.From.IsZero() {
		entry.Changes = append(entry.Changes, audit.Change{Field: "from", New: query.From.Format(time.DateOnly)})
	}
	if !query.To.IsZero() {
		entry.Changes = append(entry.Changes, audit.Change{Field: "to", New: query.To.Format(time.DateOnly)})
	}
	return audit.RecordRead(ctx, h.audit, workspaceID, h.now(), entry)
}

type export struct {
	ctx                    context.Context
	history                *History
	workspaceID, chatbotID string
	query                  Query
	line                   func(*Summary, *Message) string

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

// exportedTogether are in memory while a reader takes them. One message may have a mebibyte.
var exportedTogether = Most{Messages: 100, Bytes: 256 << 10}

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
	messages, more, err := e.history.store.ThreadMessagesAfter(e.ctx, e.workspaceID, e.listed[0].ID, e.after, exportedTogether)
	if err != nil {
		return err
	}
	for i := range messages {
		e.text.WriteString(e.line(&e.listed[0], &messages[i]))
	}
	if more {
		e.after = messages[len(messages)-1].ID
		return nil
	}
	e.listed, e.after = e.listed[1:], 0
	return nil
}
