package wire

import (
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/text/markdown"
)

// Answer is an answer to a question that was just asked. (Specification, section 4.1; what follows
// usage is ours.)
type Answer struct {
	Message        string `json:"message"`
	ConversationID int64  `json:"conversation_id"`
	Format         string `json:"format"`
	Usage          Usage  `json:"usage"`
	MessageID      int64  `json:"message_id"`
	// Status is there only when the answer did not come to its end.
	Status       string     `json:"status,omitzero"`
	Outcome      string     `json:"outcome"`
	FinishReason string     `json:"finish_reason,omitzero"`
	Sources      []Citation `json:"sources"`
	// Suggestions are there when they were asked for.
	Suggestions []string `json:"suggestions,omitzero"`
}

// AnswerToWire returns the answer of a turn in a format. Its images are of these hosts.
func (i Identifiers) AnswerToWire(t *turn.Turn, a turn.Answer, format markdown.Format, hosts []string) Answer {
	data := Answer{
		Message: markdown.Render(a.Text, format, hosts), ConversationID: i.Conversation(t.Conversation.ID), Format: string(format),
		Usage: UsageToWire(a.Usage()), MessageID: i.Message(a.MessageID), Outcome: string(a.Outcome), FinishReason: string(a.Finish),
		Sources: MapSlice(a.Citations, CitationToWire),
	}
	if status := StatusToWire(a.Status, a.Finish); status != string(chat.Complete) {
		data.Status = status
	}
	return data
}

// Usage counts tokens. (Specification, section 2.3.)
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// UsageToWire returns how many tokens an answer took.
func UsageToWire(u answer.Usage) Usage {
	return Usage{u.PromptTokens, u.CompletionTokens, u.TotalTokens()}
}

// UsageRecord says what an answer took. Times are milliseconds.
type UsageRecord struct {
	Usage

	// Estimated says that the tokens were counted here.
	Estimated    bool   `json:"estimated"`
	Model        string `json:"model"`
	FirstTokenMS int64  `json:"first_token_ms"`
	TotalMS      int64  `json:"total_ms"`
	Passages     int    `json:"passages"`
	Status       string `json:"status"`
	Outcome      string `json:"outcome"`
	FinishReason string `json:"finish_reason,omitzero"`
}

// UsageRecordToWire returns what an answer took.
func UsageRecordToWire(a turn.Answer) UsageRecord {
	r := a.Record
	return UsageRecord{
		Usage: UsageToWire(r.Usage), Estimated: r.Usage.Estimated, Model: r.Model, FirstTokenMS: r.FirstToken.Milliseconds(),
		TotalMS: r.Total.Milliseconds(), Passages: r.Passages, Status: StatusToWire(a.Status, a.Finish), Outcome: string(a.Outcome), FinishReason: string(a.Finish),
	}
}

// Citation is a passage that a question was answered from. Callers know it as a source.
type Citation struct {
	// Number is what the answer's citations call it by.
	Number      int      `json:"number"`
	Cited       bool     `json:"cited"`
	DocumentID  string   `json:"document_id"`
	Title       string   `json:"title"`
	HeadingPath []string `json:"heading_path"`
	// URL is where the document came from, and Place the page, sheet or slide.
	URL   string `json:"url,omitzero"`
	Place string `json:"place,omitzero"`
	// Start and End are characters of the document's content, End excluded.
	// They are there when they are known, as what follows is.
	Start       *int   `json:"start,omitzero"`
	End         *int   `json:"end,omitzero"`
	ContentHash string `json:"content_hash,omitzero"`
	Version     int    `json:"version,omitzero"`
}

// CitationToWire returns a citation.
func CitationToWire(c answer.Citation) Citation {
	data := Citation{
		Number: c.Number, Cited: c.Cited, DocumentID: c.DocumentID, Title: c.Title, HeadingPath: orEmpty(c.HeadingPath),
		URL: c.URL, Place: c.Place, ContentHash: c.ContentHash, Version: c.Version,
	}
	if c.End > 0 {
		data.Start, data.End = &c.Start, &c.End
	}
	return data
}

// StatusToWire is the status of an answer as readers are told of it.
func StatusToWire(status chat.Status, finish answer.FinishReason) string {
	return string(status.Told(finish.Cut()))
}
