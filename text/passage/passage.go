// Package passage has the piece of a document that other packages of text read: what it
// says, and where it stands. It does not own how a document is cut (package split), or what
// else is kept of a passage (package core/retrieval).
package passage

import "strings"

// Passage is a piece of a document.
type Passage struct {
	// Document tells whether two passages are of one document, and Ordinal is the
	// passage's number in it, from zero: neighbors have the numbers before and after.
	Document string
	Ordinal  int
	// Title and URL are the document's.
	Title, URL string
	// HeadingPath holds the headings above the passage, outermost first.
	HeadingPath []string
	// Text is Markdown.
	Text string
}

// All is all that can be quoted of a passage: its title, its headings and its text.
func (p Passage) All() string {
	return p.Title + "\n" + strings.Join(p.HeadingPath, "\n") + "\n" + p.Text
}
