package api

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chat"
	"parley/core/fault"
)

// conversationPage is how many conversations a page has unless limit says otherwise.
const conversationPage = 30

// conversationsData answers GET /conversations.
type conversationsData struct {
	Conversations []wire.Conversation `json:"conversations"`
	HasMore       bool                `json:"has_more"`
	Next          *string             `json:"next"`
}

// changeRequest is the body of PATCH /conversations/:conversation_id.
type changeRequest struct {
	ExternalUserID *string        `json:"external_user_id"`
	Title          *string        `json:"title"`
	Metadata       jsontext.Value `json:"metadata"`
}

// list returns a page of conversations, newest first.
func (h conversations) list(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	list, err := h.listOf(c)
	if err != nil {
		return err
	}
	found, more, err := h.Chat.List(c.UserContext(), by.Principal, list)
	if err != nil {
		return err
	}
	data := conversationsData{Conversations: wire.MapSlice(found, h.ids.ConversationToWire), HasMore: more}
	if more {
		next := h.ids.cursor(found[len(found)-1].ID)
		data.Next = &next
	}
	return succeed(c, data)
}

// listOf reads the filters and the page of a list of conversations.
func (h conversations) listOf(c *fiber.Ctx) (list chat.List, err error) {
	if list.ExternalUserID, err = externalUserOf(c, nil); err != nil {
		return list, err
	}
	list.Limit, list.Status = conversationPage, c.Query("status")
	if limit := c.Query("limit"); limit != "" {
		list.Limit, err = strconv.Atoi(limit)
		if err != nil || list.Limit < 1 || list.Limit > chat.MaxPage {
			return list, fault.InField("limit", "limit must be a whole number from 1 to %d.", chat.MaxPage)
		}
	}
	if after := c.Query("created_after"); after != "" {
		if list.CreatedAfter, err = time.Parse(time.RFC3339, after); err != nil {
			return list, fault.InField("created_after", "created_after must be a time such as 2026-11-21T01:20:21Z. Write a + in it as %%2B.")
		}
	}
	if after := c.Query("after"); after != "" {
		list.Before, err = h.ids.parseCursor(after)
	}
	return list, err
}

// cursorPrefix tells cursors from identifiers: what comes after it is nobody's business.
const cursorPrefix = "c_"

// cursor names the place in a list after a conversation.
func (i identifiers) cursor(id int64) string {
	return cursorPrefix + strconv.FormatInt(i.Conversation(id), 36)
}

// parseCursor reads what cursor wrote.
func (i identifiers) parseCursor(written string) (int64, error) {
	if digits, ok := strings.CutPrefix(written, cursorPrefix); ok {
		id, err := strconv.ParseInt(digits, 36, 64)
		if err == nil && strconv.FormatInt(id, 36) == digits {
			if sequence, ok := i.ConversationSequence(id); ok {
				return sequence, nil
			}
		}
	}
	return 0, fault.InField("after", "after must be the next of a page of this list. Begin again without it.").Named(fault.WrongCursor)
}

// show returns one conversation.
func (h conversations) show(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	ref, err := h.ids.refOf(c, nil)
	if err != nil {
		return err
	}
	found, err := h.Chat.Conversation(c.UserContext(), by.Principal, ref)
	if err != nil {
		return err
	}
	return succeed(c, h.ids.ConversationToWire(found))
}

// change gives a conversation another title or metadata.
func (h conversations) change(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	var request changeRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	ref, err := h.ids.refOf(c, request.ExternalUserID)
	if err != nil {
		return err
	}
	change := chat.Change{Title: request.Title}
	change.Clear = request.Metadata.Kind() == 'n'
	if change.Metadata, err = pairsOf(request.Metadata); err != nil {
		return err
	}
	changed, err := h.Chat.Change(actorContext(c, by), by.Principal, ref, change)
	if err != nil {
		return err
	}
	return succeed(c, h.ids.ConversationToWire(changed))
}

// pairsOf reads metadata as it is written.
func pairsOf(written jsontext.Value) (pairs map[string]*string, err error) {
	if len(written) > 0 && json.Unmarshal(written, &pairs) != nil {
		return nil, fault.InField("metadata", "metadata must be an object whose values are texts, or null.")
	}
	return pairs, nil
}

// newMetadata reads the metadata of a new conversation.
func newMetadata(written jsontext.Value) (map[string]string, error) {
	pairs, err := pairsOf(written)
	if err != nil {
		return nil, err
	}
	return chat.NewMetadata(pairs)
}

// remove deletes a conversation.
func (h conversations) remove(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	ref, err := h.ids.refOf(c, nil)
	if err != nil {
		return err
	}
	if err := h.Chat.Delete(actorContext(c, by), by.Principal, ref); err != nil {
		return err
	}
	return succeed(c, h.ids.DeletedToWire(ref.ConversationID))
}
