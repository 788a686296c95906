// Package retrieval finds the passages that answer a question: it asks an
// index by words and by meaning, ranks what comes back, and looks it up in the
// database, so that what has been removed is gone at once.
//
// It does not own what a document is or which state it is in (package
// knowledge), nor how an index stores its entries (index).
package retrieval

import (
	"parley/text/encode"
	"parley/text/passage"
)

// Scope is what a search or a change of an index is confined to.
type Scope struct {
	WorkspaceID string
	ChatbotID   string
}

// Query asks for the passages that answer a question.
type Query struct {
	// Text is the question as the user wrote it. Any text is legal.
	Text string
	// Context holds the user's earlier questions of the same conversation,
	// oldest first. They may lend terms to the question.
	Context []string
	// Replies holds what the chatbot said to the questions of Context, each at
	// the place of its question; the last ones may be missing.
	Replies []string
	Filter  Filter
	// Limit is the number of passages wanted, at least 1.
	Limit int
	// Judge, if there is one, decides which of the best [Judged] passages are the first.
	Judge Judge
}

// AddEarlier adds an earlier question, which is later than those there are.
func (q *Query) AddEarlier(question string) { q.Context = append(q.Context, question) }

// AddReply adds what the chatbot said after the latest of the earlier questions,
// or before there was one.
func (q *Query) AddReply(text string) {
	if len(q.Context) == 0 {
		q.Context = append(q.Context, "")
	}
	last := len(q.Context) - 1
	for len(q.Replies) < last {
		q.Replies = append(q.Replies, "")
	}
	if len(q.Replies) > last {
		q.Replies[last] += "\n" + text
		return
	}
	q.Replies = append(q.Replies, text)
}

// Filter narrows a search. Both lists must admit a passage; an empty one
// admits all.
type Filter struct {
	Documents []string
	Sources   []string
}

// Passage is a piece of a document: the unit that is indexed, found and cited.
type Passage struct {
	// ID is unique in the database, above zero.
	ID         int64
	DocumentID string
	// SourceID and URL are the document's.
	SourceID, URL string
	// Version is the version of the document's content that the passage was cut
	// from.
	Version int
	// Ordinal is the passage's number in its document, from zero. Its neighbors
	// have the numbers before and after.
	Ordinal int
	// Title is the document's title.
	Title string
	// HeadingPath holds the headings above the passage, outermost first.
	HeadingPath []string
	// Place names the part of the original that it begins in, or is empty.
	Place string
	// Start and End are the characters of the document's content that it was
	// cut from, End excluded. Both are zero where they are not known.
	Start, End int
	// ContentHash is the SHA-256, in hex, of that version of the document. It
	// is empty where it is not known.
	ContentHash string
	// Text is Markdown.
	Text string
	// Encoded reports, where a document's passages are listed, whether the passage has
	// its encoding.
	Encoded bool
	// Begun counts attempts in a row to encode the passage that began and did not end,
	// because the process ended.
	Begun int
}

// Plain is what package text reads of the passage.
func (p *Passage) Plain() passage.Passage {
	return passage.Passage{Document: p.DocumentID, Ordinal: p.Ordinal, Title: p.Title, URL: p.URL, HeadingPath: p.HeadingPath, Text: p.Text}
}

// Plain is what package text reads of passages that were found, in order.
func Plain(found []Result) []passage.Passage {
	texts := make([]passage.Passage, len(found))
	for i := range found {
		texts[i] = found[i].Plain()
	}
	return texts
}

// PlainPassages is what package text reads of passages, in order.
func PlainPassages(passages []Passage) []passage.Passage {
	texts := make([]passage.Passage, len(passages))
	for i := range passages {
		texts[i] = passages[i].Plain()
	}
	return texts
}

// Position identifies a passage by its document, the document's version and
// its [Passage.Ordinal].
type Position struct {
	DocumentID       string
	Version, Ordinal int
}

// Result is a passage that answers a question, with its score. If there is
// room, the texts of neighbors that the search did not find are joined to its
// own; Start and End then cover all of it. The other fields are the passage's
// own.
type Result struct {
	Passage
	Score float64
	// Closeness is how close the passage's encoding is to the question's, as the cosine
	// of their angle, from −1 to 1; zero where one of them is not known.
	Closeness float64
	// Compared is how many passages the index compared with the question by their vectors,
	// at most a hundred or the limit of the query: all that the chatbot has, if they are
	// fewer. Among more passages, one is closer by chance.
	Compared int
	// Parts are the parts of the text whose closeness is known, in order.
	Parts []encode.Part
}
