package api

import (
	"bytes"
	"context"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/api/wire"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/requestid"
)

// messagesData answers GET /conversations/:id/messages. (Section 4.4; the
// page's fields are there only when a page was asked for.)
type messagesData struct {
	Messages []wire.Message `json:"messages"`
	HasMore  *bool          `json:"has_more,omitzero"`
	// Next is what after is to be for the next page, or null when there is none.
	Next jsontext.Value `json:"next,omitzero"`
}

// thread is the list of a conversation's messages. A short one is sent at once; of a long
// one, a page at a time is read as its reader takes it, so that it is never in memory
// whole.
type thread struct {
	*API
	ctx       context.Context
	principal *chatbot.Principal
	requestID string

	ref chat.Ref
	// page is what is to be read next. Its limit is how many messages are still wanted, if
	// limited.
	page           chat.Page
	paged, limited bool
	with           details

	// unread is what was made and not yet taken.
	unread []byte
	ended  bool
}

// send answers with the list, as long as the caller's credential is valid. What fails on the
// first page is an ordinary answer; a later failure ends the answer in the middle.
func (t *thread) send(c *fiber.Ctx, valid func(context.Context) error) error {
	first, more, err := t.read()
	if err != nil {
		return err
	}
	if !more || t.full() {
		return succeed(c, t.data(first, more))
	}
	begin, _, err := t.around(more)
	if err != nil {
		return err
	}
	rows, err := t.rows(first)
	if err != nil {
		return err
	}
	t.requestID, t.unread = requestid.Of(c), append(begin, rows...)
	if err := bodies.Stream(c, bodies.StreamHolds, t, valid); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return nil
}

// full reports whether as many were read as were asked for.
func (t *thread) full() bool { return t.limited && t.page.Limit == 0 }

// read reads some messages, and goes on behind them.
func (t *thread) read() ([]wire.Message, bool, error) {
	page := t.page
	if !t.limited {
		page.Limit = chat.MaxPage
	}
	found, more, err := t.Chat.Messages(t.ctx, t.principal, t.ref, page)
	if err != nil {
		return nil, false, err
	}
	messages := wire.MapSlice(found, t.ids.MessageToWire)
	if t.with.any() {
		answers, err := t.Turns.Explain(t.ctx, t.principal.Chatbot.WorkspaceID, t.ref.ConversationID, found)
		if err != nil {
			return nil, false, err
		}
		for i, m := range found {
			if answer, known := answers[m.ID]; known {
				explain(&messages[i], m.Role, answer, t.with)
			}
		}
	}
	if len(found) > 0 {
		t.page.After = found[len(found)-1].ID
	}
	if t.limited {
		t.page.Limit -= len(found)
	}
	return messages, more, nil
}

// explain adds to a message how its answer was made. A question, whose answer has no
// text, gets the usage alone.
func explain(d *wire.Message, role chat.Role, a turn.Answer, with details) {
	if with.sources && role == chat.Assistant {
		d.Sources = wire.MapSlice(a.Citations, wire.CitationToWire)
	}
	if with.usage && !a.Record.At.IsZero() {
		record := wire.UsageRecordToWire(a)
		d.Usage = &record
	}
}

// data is the answer with some messages, which are the last that were read.
func (t *thread) data(messages []wire.Message, more bool) messagesData {
	data := messagesData{Messages: messages}
	if t.paged {
		data.HasMore, data.Next = &more, jsontext.Value("null")
		if more {
			data.Next = strconv.AppendInt(nil, t.ids.Message(t.page.After), 10)
		}
	}
	return data
}

// around is what stands before and after the messages.
func (t *thread) around(more bool) (before, after []byte, err error) {
	empty, err := json.Marshal(envelope{Data: t.data([]wire.Message{}, more)})
	before, after, _ = bytes.Cut(empty, []byte("[]"))
	return append(before, '['), append([]byte{']'}, after...), err
}

// rows are messages as they stand in the list.
func (t *thread) rows(messages []wire.Message) ([]byte, error) {
	list, err := json.Marshal(messages)
	return bytes.TrimSuffix(bytes.TrimPrefix(list, []byte{'['}), []byte{']'}), err
}

// Read implements [io.Reader].
func (t *thread) Read(into []byte) (int, error) {
	if len(t.unread) == 0 {
		if t.ended {
			return 0, io.EOF
		}
		if err := t.next(); err != nil {
			t.Log.Log(t.ctx, fault.Level(err), "a list of messages ended early", "request_id", t.requestID, "error", err)
			return 0, err
		}
	}
	n := copy(into, t.unread)
	t.unread = t.unread[n:]
	return n, nil
}

// next reads the next messages.
func (t *thread) next() error {
	messages, more, err := t.read()
	if err != nil {
		return err
	}
	rows, err := t.rows(messages)
	if err != nil {
		return err
	}
	t.unread = nil
	if len(rows) > 0 {
		t.unread = append([]byte{','}, rows...)
	}
	if more && !t.full() {
		return nil
	}
	t.ended = true
	_, end, err := t.around(more)
	t.unread = append(t.unread, end...)
	return err
}
