package bot

import (
	"time"

	"parley/views/ui"
)

// Conversations is the page of a chatbot's conversations: the list, and beside it
// one of them with what its answers were made from.
type Conversations struct {
	// Base is the address of the page, and Here the address of the open conversation, or
	// Base if none is open.
	Base, Here string
	// Filters are the values of the inputs that choose conversations, and
	// Filtered says that one of them does.
	Filters  ui.Form
	Filtered bool
	// Tokens are the API tokens to choose from, or none.
	Tokens []ui.Option
	Rows   []ConversationRow
	// Next leads to older conversations, and First to the newest when Later are left
	// out. Either may be empty.
	Next, First string
	Later       bool
	// Partial says that older ones were not searched yet.
	Partial bool
	// CSV and JSONL are the addresses of exports of the filtered conversations.
	CSV, JSONL string
	MayDelete  bool
	// Thread is the conversation that is open, or nil.
	Thread *Thread
}

// Outcome is what became of an answer, as a badge. It may be empty.
type Outcome struct {
	Text string
	Tone ui.Tone
}

// ConversationRow is a conversation in the list.
type ConversationRow struct {
	URL, Title, User string
	Outcome          Outcome
	Up, Down         int
	At               time.Time
	Current          bool
}

// Thread is a conversation that is open.
type Thread struct {
	Title, User string
	At          time.Time
	Playground  bool
	// Back leads to the list, Earlier to the messages before, if there are more.
	Back, Earlier string
	// Delete is where a form posts that deletes it.
	Delete   string
	Messages []ThreadMessage
	// Inspected is the answer that is looked at, or nil where there is none.
	Inspected *Inspected
}

// ThreadMessage is a message of a conversation.
type ThreadMessage struct {
	ID       string
	Question bool
	// Text is a question's, and HTML an answer's, as the sanitizer made it.
	Text, HTML string
	// Writing says that the answer is still being written.
	Writing bool
	Outcome Outcome
	// URL shows what the answer was made from, and Current says that this is shown.
	URL     string
	Current bool
	// Rate is where a form posts that rates the answer. Rating is 1, -1 or 0.
	Rate    string
	Rating  int
	Comment string
}

// Inspected is what an answer was made from, and what it cost.
type Inspected struct {
	// Query is the question as it was searched for, if it was rewritten.
	Query    string
	Outcome  Outcome
	Passages []CitedPassage
	Facts    []ui.Fact
	// Fix leads to the form for a better answer, or is empty.
	Fix string
}

// CitedPassage is a passage that an answer was given.
type CitedPassage struct {
	Number, Title, Path, Place, URL string
	// Text is its beginning, or empty if the document has changed since. Score is
	// how well it matched the question, or empty.
	Text, Score string
	// Cited says that the answer cites it.
	Cited bool
}

// PassageID is the id of a passage on its page, to which chips lead.
func PassageID(number string) string { return "passage-" + number }

var outcomeOptions = []ui.Option{
	{Text: "Any outcome"},
	{Value: "answered", Text: "Answered"},
	{Value: "no_answer", Text: "No answer"},
	{Value: "failed", Text: "Failed"},
	{Value: "stopped", Text: "Stopped"},
	{Value: "interrupted", Text: "Interrupted"},
}

var ratingOptions = []ui.Option{{Text: "Any feedback"}, {Value: "up", Text: "Thumbs up"}, {Value: "down", Text: "Thumbs down"}}

var originOptions = []ui.Option{{Text: "From your users"}, {Value: "playground", Text: "My playground"}}
