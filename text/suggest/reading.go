package suggest

import (
	"strings"

	"parley/text/language"
)

// reading is a document after it was read, once for all that is made of it.
type reading struct {
	Document
	// title is the title as a heading.
	title    string
	sections []section
	in       language.Code
	// size is the length of the document's text, in bytes.
	size int
}

// Library is what was read of documents.
type Library struct {
	documents []reading
	// mostly is the language that most of them are in.
	mostly  language.Code
	wording wording
}

// Read reads documents. A document whose language is not clear gets the language that most
// documents have.
func Read(from []Document) Library {
	l := Library{documents: make([]reading, len(from)), wording: wording{common: map[string]int{}, names: map[string]int{}}}
	counts := map[language.Code]int{}
	for i, d := range from {
		in := language.Of(d.Title + "\n" + d.beginning())
		l.documents[i] = reading{Document: d, title: heading(d.Title), sections: d.sections(), in: in}
		for _, p := range d.Passages {
			l.documents[i].size += len(p.Text)
			l.wording.read(p.Text)
		}
		if counts[in]++; in != "" && counts[in] > counts[l.mostly] || l.mostly == "" {
			l.mostly = in
		}
	}
	for i := range l.documents {
		if l.documents[i].in == "" {
			l.documents[i].in = l.mostly
		}
	}
	return l
}

// enoughText is how much of a document tells its language, in bytes.
const enoughText = 4000

// beginning is the text of the first passages.
func (d Document) beginning() string {
	var text strings.Builder
	for _, p := range d.Passages {
		text.WriteString(p.Text)
		text.WriteByte('\n')
		if text.Len() >= enoughText {
			break
		}
	}
	return text.String()
}
