package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/internal/publicid"
)

// parseNumber reads a number of 1 or more as this interface writes it: in
// decimal, without a sign or leading zeros.
func parseNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}

// identifiers reads and writes the identifiers that callers see.
type identifiers struct{ wire.Identifiers }

// conversationID returns the sequence number of a conversation by its
// identifier. What cannot be one is NotFound, like one that names nothing.
func (i identifiers) conversationID(written string) (int64, error) {
	if id, ok := parseNumber(written); ok {
		if sequence, ok := i.ConversationSequence(id); ok {
			return sequence, nil
		}
	}
	return 0, chat.ErrNoConversation
}

// messageID returns the sequence number of a message by its identifier. Zero,
// which comes before the first message, is itself.
func (i identifiers) messageID(written string) (int64, error) {
	if written == "0" {
		return 0, nil
	}
	if id, ok := parseNumber(written); ok {
		if sequence, ok := i.MessageSequence(id); ok {
			return sequence, nil
		}
	}
	return 0, chat.ErrNoMessage
}

// refOf says which conversation the path of a request names, and for which end
// user. In the body is what the body says about the latter, if there is one.
func (i identifiers) refOf(c *fiber.Ctx, inBody *string) (ref chat.Ref, err error) {
	if ref.ConversationID, err = i.conversationID(pathID(c, "conversation_id")); err != nil {
		return ref, err
	}
	ref.Name = i.Conversation(ref.ConversationID)
	ref.ExternalUserID, err = externalUserOf(c, inBody)
	return ref, err
}

// pathID is an identifier in the path, decoded (RFC 3986, section 2.1). What
// cannot be decoded stays as it is, and names nothing.
func pathID(c *fiber.Ctx, name string) string {
	written := c.Params(name)
	if decoded, err := url.PathUnescape(written); err == nil {
		return decoded
	}
	return written
}

// pageOf reads limit and after. Without them all messages are wanted.
func (i identifiers) pageOf(c *fiber.Ctx) (page chat.Page, paged bool, err error) {
	if limit := c.Query("limit"); limit != "" {
		page.Limit, err = strconv.Atoi(limit)
		if err != nil || page.Limit < 1 || page.Limit > chat.MaxPage {
			return page, false, fault.InField("limit", "limit must be a whole number from 1 to %d.", chat.MaxPage)
		}
		paged = true
	}
	if after := c.Query("after"); after != "" {
		if page.After, err = i.messageID(after); err != nil {
			return page, false, err
		}
		paged = true
	}
	return page, paged, nil
}

// tailNumbers are what positions have for tails. They stay, whatever comes between:
// readers keep positions.
var tailNumbers = [...]int64{
	turn.Nothing: 0, turn.SourcesSent: 1, turn.UsageSent: 2, turn.SuggestionsSent: 5, turn.FormattedSent: 3, turn.DoneSent: 4,
}

// appendPosition writes a position in the stream of an answer, which is given
// by its identifier, as the id of an event: such as "5190246733121.1.245" or,
// after the answer, "5190246733121.1.245.2".
func appendPosition(b []byte, answerID int64, p turn.Position) []byte {
	b = strconv.AppendInt(b, answerID, 10)
	b = append(b, '.')
	b = strconv.AppendInt(b, int64(p.Attempt), 10)
	b = append(b, '.')
	b = strconv.AppendInt(b, int64(p.Offset), 10)
	if p.Tail != turn.Nothing {
		b = append(b, '.')
		b = strconv.AppendInt(b, tailNumbers[p.Tail], 10)
	}
	return b
}

// parsePosition reads what appendPosition wrote. Anything else is Invalid.
func parsePosition(ids *publicid.Codec, text string) (turn.Position, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 && len(parts) != 4 {
		return turn.Position{}, turn.ErrNoPosition
	}
	var numbers [4]int64
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 0 {
			return turn.Position{}, turn.ErrNoPosition
		}
		numbers[i] = n
	}
	sequence, ok := ids.MessageSequence(numbers[0])
	tail := slices.Index(tailNumbers[:], numbers[3])
	if !ok || tail < 0 {
		return turn.Position{}, turn.ErrNoPosition
	}
	p := turn.Position{AnswerID: sequence, Attempt: int(numbers[1]), Offset: int(numbers[2]), Tail: turn.Tail(tail)}
	if string(appendPosition(nil, numbers[0], p)) != text {
		return turn.Position{}, turn.ErrNoPosition
	}
	return p, nil
}
