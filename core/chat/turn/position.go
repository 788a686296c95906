package turn

import "parley/core/fault"

// Position is a place in the stream of a turn: what a reader has seen. It is
// sent as the id of an event.
type Position struct {
	AnswerID int64
	// Attempt is the number of the attempt: another one may say something else.
	Attempt int
	// Offset is how many bytes of the answer's Markdown were sent.
	Offset int
	// Tail says which of the events after the answer was the last that was
	// sent: see the constants.
	Tail Tail
}

// Tail is an event that follows the answer. The constants are in the order in
// which the events are sent.
type Tail int

// The events after the answer.
const (
	// Nothing after the answer was sent.
	Nothing Tail = iota
	SourcesSent
	UsageSent
	SuggestionsSent
	// FormattedSent is the answer in its format, or the error.
	FormattedSent
	DoneSent
)

// ErrNoPosition says that a text is no position, or one of another
// conversation.
var ErrNoPosition = fault.New(fault.Invalid, "Last-Event-ID is not the id of an event of this conversation. Send the last id of the stream, or none to read the answer from its beginning.")
