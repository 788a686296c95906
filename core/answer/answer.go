// Package answer makes one answer: it rewrites the question, retrieves passages
// and has their order judged, composes the prompt, has the model generate, and checks what the model says.
// It keeps nothing: package chat and its turn do.
package answer

import (
	"time"

	"parley/core/retrieval"
)

// Answer is the result of one attempt at an answer.
type Answer struct {
	// Text is Markdown: all that was generated, whether the answer is complete or
	// not.
	Text string
	// Unknown says that the answer tells its reader nothing about the question:
	// see [Draft.Answer].
	Unknown bool
	// Finish is why the model ended. It is empty if nobody knows.
	Finish FinishReason
	// Query is the question made self-contained. It is empty if the question
	// stood on its own.
	Query string
	// Citations are the passages that the model was given, in the order of their
	// numbers.
	Citations []Citation
	Record    UsageRecord
	// Checked says what the checks did. Passages are the cited passages with
	// their texts. Neither is kept with the answer.
	Checked  Checked
	Passages []retrieval.Result
}

// Checked says what the checks did to an answer.
type Checked struct {
	// Dropped counts the sentences that no passage supports, and that were left
	// out. Replaced says that nothing else was left, and that the owner's text took
	// its place.
	Dropped  int
	Replaced bool
}

// Usage is the usage of the whole answer, including the rewriting of the
// question and the ordering of the passages.
func (a Answer) Usage() Usage { return a.Record.Usage }

// UsageRecord is the usage record of one attempt: it says what the attempt cost.
type UsageRecord struct {
	ChatbotID string
	Usage     Usage
	// RerankTokens is how many of the tokens in Usage went into reranking the passages.
	RerankTokens int
	// Model is the name of the model that answered, or was to.
	Model string
	// FirstToken is the time from the question to the first text, or zero if
	// there was none. Total is the time to the end. Both are kept in
	// milliseconds.
	FirstToken, Total time.Duration
	// Passages is how many the model was given.
	Passages int
	// Refuted counts the markers that the checks took out or corrected.
	Refuted int
	// At is when the attempt ended.
	At time.Time
}

// Usage counts the tokens of one generation, or of several.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// Estimated says that a model did not report its usage, and that Parley
	// counted the tokens.
	Estimated bool
}

// TotalTokens is the sum of prompt and completion.
func (u Usage) TotalTokens() int { return u.PromptTokens + u.CompletionTokens }

// Plus is the usage of both.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		PromptTokens:     u.PromptTokens + other.PromptTokens,
		CompletionTokens: u.CompletionTokens + other.CompletionTokens,
		Estimated:        u.Estimated || other.Estimated,
	}
}

// Citation is a passage that an answer was made from, as it was then.
type Citation struct {
	// Number is what the markers in the text call it, from 1.
	Number int
	// Cited says that the text has a marker with the number.
	Cited bool
	// Score is how well the passage matched the question, in the measure of the
	// search, or zero if it is not known.
	Score      float64
	DocumentID string
	Title      string
	// URL is where the document came from, and Place the page, sheet or slide.
	// Both may be empty.
	URL, Place  string
	HeadingPath []string
	// Start and End are the characters of the document's content that the
	// passage was cut from, End excluded. Both are zero if that is not known.
	Start, End int
	// ContentHash is the SHA-256 of that version of the document, in hex, or
	// empty if it is not known.
	ContentHash string
	// Version counts the contents that the document has had.
	Version int
	// Ordinal is the passage's number in its document, from zero. It is zero for
	// answers from before it was kept.
	Ordinal int
}

// citationsOf returns the citations of passages, before the answer cites any.
func citationsOf(passages []retrieval.Result) []Citation {
	citations := make([]Citation, len(passages))
	for i, p := range passages {
		citations[i] = Citation{
			Number: i + 1, Score: p.Score, DocumentID: p.DocumentID, Title: p.Title, URL: p.URL, Place: p.Place, HeadingPath: p.HeadingPath,
			Start: p.Start, End: p.End, ContentHash: p.ContentHash, Version: p.Version, Ordinal: p.Ordinal,
		}
	}
	return citations
}
