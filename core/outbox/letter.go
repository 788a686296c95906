package outbox

import "strings"

// Letter is the content of a mail: what it says, at most one thing to do about it,
// and what it says then.
type Letter struct {
	Subject string
	// Says holds the paragraphs before the link.
	Says []string
	// Link leads to what the reader can do; the zero Link leads nowhere.
	Link Link
	// Then holds the paragraphs after the link.
	Then []string
}

// Link leads from a mail to a page. In HTML it is a button with the text; in a text
// the address stands alone.
type Link struct{ Text, URL string }

// text is the letter for a mail program that shows no HTML.
func (l Letter) text() string {
	paragraphs := append([]string{"Hello,"}, l.Says...)
	if l.Link.URL != "" {
		paragraphs = append(paragraphs, l.Link.URL)
	}
	return strings.Join(append(paragraphs, l.Then...), "\n\n") + "\n"
}
