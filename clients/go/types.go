package parley

import "time"

// ID names a conversation or a message. It is at most 2⁵³−1.
type ID int64

// Format is how an answer is written.
type Format string

// The formats.
const (
	Markdown  Format = "markdown"
	PlainText Format = "plain_text"
	HTML      Format = "html"
)

// Outcome says what became of a question. Later versions of the API may add some.
type Outcome string

// The outcomes. NoAnswer is an answer that says that it does not know: hand over to a person.
const (
	Answered    Outcome = "answered"
	NoAnswer    Outcome = "no_answer"
	Stopped     Outcome = "stopped"
	Interrupted Outcome = "interrupted"
	Failed      Outcome = "failed"
)

// Question is a message to a chatbot.
type Question struct {
	// Message is at most as long as the plan allows: 16,000 characters on Standard.
	Message string `json:"message"`
	// ConversationID continues a conversation; zero begins one.
	ConversationID ID `json:"conversation_id,omitempty"`
	// Format is the format of the answer, Markdown if empty. Pieces of a stream are
	// Markdown in any case.
	Format Format `json:"format,omitempty"`
	// ExternalUserID is your own name for the user of your system, at most 255 characters. A
	// conversation belongs to the first one that a question names in it.
	ExternalUserID string `json:"external_user_id,omitempty"`
	// Metadata has pairs of your own for the conversation that the question begins, as in
	// [NewConversation].
	Metadata map[string]string `json:"metadata,omitempty"`

	// Include is what to add: [IncludeSuggestions], and to a stream also [IncludeUsage] and
	// [IncludeSources].
	Include []string `json:"include,omitempty"`
	// IdempotencyKey is made up if it is empty. With a key of your own you can ask again after
	// your program was restarted: the question is still asked once.
	IdempotencyKey string `json:"-"`
}

// What answers, streams and messages may include. Messages have no suggestions.
const (
	IncludeUsage       = "usage"
	IncludeSources     = "sources"
	IncludeSuggestions = "suggestions"
)

// Answer is a chatbot's whole answer.
type Answer struct {
	// Message is the text. It cites sources as [1].
	Message        string  `json:"message"`
	ConversationID ID      `json:"conversation_id"`
	MessageID      ID      `json:"message_id"`
	Format         Format  `json:"format"`
	Outcome        Outcome `json:"outcome"`
	// Status is empty unless the answer lacks its end: "stopped" or "incomplete".
	Status string `json:"status"`
	// FinishReason is why the model ended: "stop", "length" or "content_filter"; empty if it did
	// not say.
	FinishReason string   `json:"finish_reason"`
	Usage        Usage    `json:"usage"`
	Sources      []Source `json:"sources"`
	// Suggestions are up to three questions that may follow, when included.
	Suggestions []string `json:"suggestions"`
}

// Usage is what an answer took, in tokens.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	// The rest is in streams and messages only.
	Estimated    bool    `json:"estimated"`
	Model        string  `json:"model"`
	FirstTokenMS int     `json:"first_token_ms"`
	TotalMS      int     `json:"total_ms"`
	Passages     int     `json:"passages"`
	Status       string  `json:"status"`
	Outcome      Outcome `json:"outcome"`
	FinishReason string  `json:"finish_reason"`
}

// Source is a passage that an answer was made from.
type Source struct {
	// Number is the one by which the text cites it, from 1.
	Number int  `json:"number"`
	Cited  bool `json:"cited"`

	DocumentID  string   `json:"document_id"`
	Title       string   `json:"title"`
	HeadingPath []string `json:"heading_path"`
	// URL is where the document was read, empty if it is no page of the web.
	URL string `json:"url"`
	// Place is such as "Page 3".
	Place string `json:"place"`
	// Start and End are the range of characters in the document's text, End excluded.
	Start       int    `json:"start"`
	End         int    `json:"end"`
	ContentHash string `json:"content_hash"`
	Version     int    `json:"version"`
}

// Chatbot is what a page shows before the first question.
type Chatbot struct {
	ID   string `json:"chatbot_id"`
	Name string `json:"name"`
	// Welcome is plain text to greet people with: the owner's, or made from the name and the
	// documents, in their language.
	Welcome string `json:"welcome"`
	// Suggestions are up to six questions: the owner's, or some that the documents should answer.
	Suggestions []string `json:"suggestions"`
	// SeparateEndUsers says that a conversation is only for the end user with whom it began.
	SeparateEndUsers bool   `json:"separate_end_users"`
	Limits           Limits `json:"limits"`
}

// Limits are the limits of a token. Zero is no limit.
type Limits struct {
	MessageChars      int `json:"message_chars"`
	RequestsPerMinute int `json:"requests_per_minute"`
	MessagesPerMonth  int `json:"messages_per_month"`
}

// Message is one of a conversation.
type Message struct {
	ID ID `json:"id"`
	// Role is "user" or "assistant".
	Role      string    `json:"role"`
	Content   string    `json:"content"`
	Format    Format    `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	// Status, Outcome and FinishReason describe an answer. A question has an Outcome only
	// when its answer ended without text.
	Status       string  `json:"status"`
	Outcome      Outcome `json:"outcome"`
	FinishReason string  `json:"finish_reason"`
	// Sources are the sources of an answer, when included.
	Sources []Source `json:"sources"`
	// Usage is what the answer took, when included, and nil where nothing was kept.
	Usage *Usage `json:"usage"`
}

// Rating is what an end user thinks of an answer.
type Rating string

// The ratings. NoRating takes one back.
const (
	ThumbUp   Rating = "up"
	ThumbDown Rating = "down"
	NoRating  Rating = ""
)

// StoppedAnswer is the last answer of a conversation when [Client.Stop] returns.
type StoppedAnswer struct {
	ConversationID ID `json:"conversation_id"`
	// MessageID is zero in a conversation without an answer.
	MessageID ID `json:"message_id"`
	// Status is "stopped" if it was stopped, and such as "complete" if it had ended before.
	Status string `json:"status"`
}
