package chat

import (
	"strconv"
	"strings"

	"parley/core/fault"
)

// Position is a place in the stream of a turn: what a reader has seen. It is
// sent as the id of an event.
type Position struct {
	AnswerID int64
	// Attempt is that at the answer: another one may say something else.
	Attempt int
	// Offset is how many bytes of the answer's Markdown were sent.
	Offset int
	// Tail says which of the events after the answer was the last that was
	// sent: see the constants.
	Tail Tail
}

// Tail is an event that follows the answer. Their order is that of the
// constants.
type Tail int

// The events after the answer.
const (
	// Nothing after the answer was sent.
	Nothing Tail = iota
	SourcesSent
	UsageSent
	// FormattedSent is the answer in its format, or the error.
	FormattedSent
	DoneSent
)

// String writes a position as the id of an event, such as "81.1.245" or, after
// the answer, "81.1.245.2".
func (p Position) String() string {
	b := make([]byte, 0, 32)
	b = strconv.AppendInt(b, p.AnswerID, 10)
	b = append(b, '.')
	b = strconv.AppendInt(b, int64(p.Attempt), 10)
	b = append(b, '.')
	b = strconv.AppendInt(b, int64(p.Offset), 10)
	if p.Tail != Nothing {
		b = append(b, '.')
		b = strconv.AppendInt(b, int64(p.Tail), 10)
	}
	return string(b)
}

var errNoPosition = fault.New(fault.Invalid, "Last-Event-ID is not the id of an event of this conversation. Send the last id of the stream, or none to read the answer from its beginning.")

// ParsePosition reads what String wrote. Anything else is Invalid.
func ParsePosition(text string) (Position, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 && len(parts) != 4 {
		return Position{}, errNoPosition
	}
	var numbers [4]int64
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 0 || strconv.FormatInt(n, 10) != part {
			return Position{}, errNoPosition
		}
		numbers[i] = n
	}
	p := Position{AnswerID: numbers[0], Attempt: int(numbers[1]), Offset: int(numbers[2]), Tail: Tail(numbers[3])}
	if p.AnswerID < 1 || p.AnswerID > maxConversationID || p.Tail > DoneSent || p.String() != text {
		return Position{}, errNoPosition
	}
	return p, nil
}
