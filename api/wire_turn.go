package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
)

// chatRequest is the body of POST /chat and /chat/stream. (Section 4.1;
// include is ours.)
type chatRequest struct {
	Message *string `json:"message"`
	// ConversationID is a string, or the integer that answers give.
	ConversationID jsontext.Value `json:"conversation_id"`
	Format         *string        `json:"format"`
	ExternalUserID *string        `json:"external_user_id"`
	Include        []string       `json:"include"`
	// Metadata is for a new conversation.
	Metadata jsontext.Value `json:"metadata"`
}

// chatData answers POST /chat. (Section 4.1; what follows usage is ours.)
type chatData struct {
	Message        string    `json:"message"`
	ConversationID int64     `json:"conversation_id"`
	Format         string    `json:"format"`
	Usage          usageData `json:"usage"`
	MessageID      int64     `json:"message_id"`
	// Status is there only when the answer did not come to its end.
	Status       string         `json:"status,omitzero"`
	Outcome      string         `json:"outcome"`
	FinishReason string         `json:"finish_reason,omitzero"`
	Sources      []citationData `json:"sources"`
	// Suggestions are there when they were asked for.
	Suggestions []string `json:"suggestions,omitzero"`
}

// usageData counts tokens. (Section 2.3.)
type usageData struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// usageRecordData is the usage event of a stream. Times are milliseconds.
type usageRecordData struct {
	usageData
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

// citationData is a passage that the answer was made from.
type citationData struct {
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

// stopRequest is the body of POST /conversations/:id/stop, which may be left
// out.
type stopRequest struct {
	ExternalUserID *string `json:"external_user_id"`
}

// endingData answers POST /conversations/:id/stop. MessageID and Status are
// null in a conversation without an answer.
type endingData struct {
	ConversationID int64   `json:"conversation_id"`
	MessageID      *int64  `json:"message_id"`
	Status         *string `json:"status"`
}

func usageToWire(u answer.Usage) usageData {
	return usageData{u.PromptTokens, u.CompletionTokens, u.TotalTokens()}
}

// explain adds to a message how its answer was made. A question, whose answer has no
// text, gets the usage alone.
func (d *messageData) explain(role chat.Role, a turn.Answer, with details) {
	if with.sources && role == chat.Assistant {
		d.Sources = mapSlice(a.Citations, citationToWire)
	}
	if with.usage && !a.Record.At.IsZero() {
		record := usageRecordToWire(a)
		d.Usage = &record
	}
}

func usageRecordToWire(a turn.Answer) usageRecordData {
	r := a.Record
	return usageRecordData{
		usageData: usageToWire(r.Usage), Estimated: r.Usage.Estimated, Model: r.Model, FirstTokenMS: r.FirstToken.Milliseconds(),
		TotalMS: r.Total.Milliseconds(), Passages: r.Passages, Status: endStatus(a), Outcome: string(a.Outcome), FinishReason: string(a.Finish),
	}
}

func citationToWire(s answer.Citation) citationData {
	data := citationData{
		Number: s.Number, Cited: s.Cited, DocumentID: s.DocumentID, Title: s.Title, HeadingPath: headings(s.HeadingPath),
		URL: s.URL, Place: s.Place, ContentHash: s.ContentHash, Version: s.Version,
	}
	if s.End > 0 {
		data.Start, data.End = &s.Start, &s.End
	}
	return data
}

func headings(path []string) []string {
	if path == nil {
		return []string{}
	}
	return path
}

// endStatus is the status of an answer that has ended.
func endStatus(a turn.Answer) string { return statusOf(a.Status, a.Finish) }

func statusOf(status chat.Status, finish answer.FinishReason) string {
	return string(status.Told(finish.Cut()))
}

// unlessComplete is the status of an answer that a caller is told of.
func unlessComplete(status string) string {
	if status == string(chat.Complete) {
		return ""
	}
	return status
}

func (i identifiers) endingToWire(e turn.Ending) endingData {
	data := endingData{ConversationID: i.Conversation(e.ConversationID)}
	if e.AnswerID > 0 {
		id, status := i.Message(e.AnswerID), statusOf(e.Status, e.Finish)
		data.MessageID, data.Status = &id, &status
	}
	return data
}
