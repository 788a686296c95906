package chat

import (
	"time"

	"parley/core/answer/format"
	"parley/core/retrieval"
)

// Answer is the end of a turn, or of one attempt at it.
type Answer struct {
	MessageID int64
	// Attempt counts, from 1, how often the answer was begun.
	Attempt int
	// Text is Markdown: all that was generated, whatever the status.
	Text   string
	Status Status
	// Query is the question made self-contained, which was searched for as
	// well, where that is another than the one that was asked.
	Query string
	// Sources are the passages that the model was given, in the order in which
	// citations count them.
	Sources []Source
	Receipt Receipt
}

// Usage is that of the whole answer, the rewriting of the question included.
func (a Answer) Usage() Usage { return a.Receipt.Usage }

// Receipt says what one attempt at an answer cost.
type Receipt struct {
	ChatbotID string
	Usage     Usage
	// Model is the name of the model that answered, or was to.
	Model string
	// FirstToken is the time from the question to the first text, zero if
	// there was none; Total that to the end. Both are kept in milliseconds.
	FirstToken, Total time.Duration
	// Passages is how many the model was given.
	Passages int
	// Refuted counts the citations that were taken out: see [Citation].
	Refuted int
	// At is when the attempt ended.
	At time.Time
}

// Source is a passage that an answer was given, as it was then.
type Source struct {
	// Number is what citations call it by, from 1.
	Number int
	// Cited says that the answer cites it.
	Cited      bool
	DocumentID string
	Title      string
	// URL is where the document came from, and Place the page, sheet or slide;
	// both may be empty.
	URL, Place  string
	HeadingPath []string
	// Start and End are the characters of the document's content that the
	// passage was cut from, End excluded. Both are zero where that is not
	// known.
	Start, End int
	// ContentHash is the SHA-256 of that version of the document, in hex, or
	// empty where it is not known.
	ContentHash string
	// Version counts the contents that the document has had.
	Version int
}

// sourcesOf are the sources of passages of which none is cited.
func sourcesOf(passages []retrieval.Result) []Source {
	sources := make([]Source, len(passages))
	for i, p := range passages {
		sources[i] = Source{
			Number: i + 1, DocumentID: p.DocumentID, Title: p.Title, URL: p.URL, Place: p.Place, HeadingPath: p.HeadingPath,
			Start: p.Start, End: p.End, ContentHash: p.ContentHash, Version: p.Version,
		}
	}
	return sources
}

// Delivery is how a caller wants an answer. It is kept with a stream that can
// be resumed, so that what resumes it gets the same.
type Delivery struct {
	Format format.Format
	// IDs makes the stream one that can be resumed: each event is stored
	// before it is sent, and the turn goes on when nobody listens.
	IDs bool
	// Usage and Sources ask for these events.
	Usage, Sources bool
}
