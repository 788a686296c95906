package browse

import (
	"context"
	"time"
	"unicode/utf8"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

// Documents is the port to single documents. One that is not there is a NotFound
// fault.
type Documents interface {
	Document(ctx context.Context, workspaceID, chatbotID, documentID string) (knowledge.Document, error)
}

// Details is the port to what belongs to one document.
type Details interface {
	// PassagePage returns passages of a version in order, from an ordinal on.
	PassagePage(ctx context.Context, workspaceID, documentID string, version, from, limit int) ([]retrieval.Passage, error)
	// AnswersGiven returns the latest answers that were given a document, newest
	// first, with the first [AnswerChars] of each and of its question. It looks only at
	// the chatbot's newest conversations.
	AnswersGiven(ctx context.Context, workspaceID, chatbotID, documentID string, conversations, limit int) ([]Answer, error)
	// SpanTexts returns the texts of the spans of a chatbot's documents that are
	// still stored.
	SpanTexts(ctx context.Context, workspaceID, chatbotID string, spans []Span) (map[Span]string, error)
}

// Answer is an answer that was given a document.
type Answer struct {
	// ConversationID is a sequence number: callers see another.
	ConversationID int64
	Question, Text string
	// Cited says that the answer cites the document, and does not only have
	// been given it.
	Cited bool
	At    time.Time
}

const (
	// AnswersAmong is how many conversations are looked through for answers
	// from a document, the newest ones.
	AnswersAmong = 1000
	// answersShown is how many of them are returned.
	answersShown = 20
	// AnswerChars is how much of each is read.
	AnswerChars = 1_000
	// TextPart is how long a part of a document's text is, in bytes.
	TextPart = 20_000
	// PassagesShown is how many passages a page has.
	PassagesShown = 20
)

// Text is a part of a document's text.
type Text struct {
	Part, Parts int
	Text        string
}

// Document returns a document with its content.
func (b *Browser) Document(ctx context.Context, workspaceID, chatbotID, documentID string) (knowledge.Document, error) {
	return b.documents.Document(ctx, workspaceID, chatbotID, documentID)
}

// TextOf returns a part of a document's text, from 1: the nearest that there is.
// A part ends with a line where it can.
func TextOf(content string, part int) Text {
	starts := []int{0}
	for at := 0; len(content)-at > TextPart; {
		at = cut(content, at+TextPart)
		starts = append(starts, at)
	}
	part = min(max(part, 1), len(starts))
	end := len(content)
	if part < len(starts) {
		end = starts[part]
	}
	return Text{part, len(starts), content[starts[part-1]:end]}
}

// cut is the place to cut a text at, near one: after a line, or at least between
// two characters.
func cut(content string, near int) int {
	for at := near; at > near-TextPart/10; at-- {
		if content[at-1] == '\n' {
			return at
		}
	}
	for near > 0 && !utf8.RuneStart(content[near]) {
		near--
	}
	return near
}

// Passages returns passages of a document as the index has them, from an
// ordinal on, and whether there are more.
func (b *Browser) Passages(ctx context.Context, d knowledge.Document, from int) ([]Passage, bool, error) {
	version := d.Live
	if version == 0 { // none is in answers: what is on its way into the index
		version = d.Version
	}
	rows, err := b.details.PassagePage(ctx, d.WorkspaceID, d.ID, version, max(from, 0), PassagesShown+1)
	if err != nil {
		return nil, false, err
	}
	more := len(rows) > PassagesShown
	passages := make([]Passage, min(len(rows), PassagesShown))
	for i := range passages {
		passages[i] = Passage{rows[i], b.tokens(rows[i].Text)}
	}
	return passages, more, nil
}

// Answers returns the latest answers that were given a document. It looks only at the
// newest [AnswersAmong] conversations.
func (b *Browser) Answers(ctx context.Context, d knowledge.Document) ([]Answer, error) {
	return b.details.AnswersGiven(ctx, d.WorkspaceID, d.ChatbotID, d.ID, AnswersAmong, answersShown)
}
