package knowledge

import "strings"

// The sizes of passages, in characters.
const (
	// aimChars is what packing fills a passage up to.
	aimChars = 1200
	// maxChars is what no piece of source in a passage exceeds. A repeated
	// table header or code fence may come on top.
	maxChars = 2000
	// smallChars is the size up to which a section joins its neighbours, and
	// up to which an introduction joins a long piece behind it.
	smallChars = 400
)

// Split cuts a document into passages, in the order of its text. A document
// without words has none.
//
// Markdown is cut by its structure: a passage stays within one section and
// carries the headings above it in HeadingPath, except that small neighbouring
// sections share a passage, which then holds their headings in its text.
// Tables, code blocks and list items stay whole unless one alone is too long.
// Text is cut at blank lines. In both, passages aim at 1,200 characters and
// hold at most 2,000 of the source.
//
// Text is verbatim source, except that each piece of a cut table starts with
// the table's header and each piece of cut code has its fences. No word is
// lost: each is in the text or the heading path of some passage. Headings are
// plain text there, without the targets of their links.
//
// The time is linear in the length. The field ID stays zero.
func Split(doc Document) []Passage {
	s := splitter{doc: doc, src: doc.Content}
	if doc.Kind == Text || tooDeep(doc.Content) {
		s.pack(nil, textBlocks(s.src, 0, len(s.src)))
		return s.passages
	}
	sections := outline(s.src, scan(s.src))
	s.group(nil, sections, 0, len(sections))
	return s.passages
}

type splitter struct {
	doc      Document
	src      string
	passages []Passage
}

// add appends a passage. Blank text makes none.
func (s *splitter) add(path []string, text string) {
	text = trimBlankLines(text)
	if text == "" {
		return
	}
	s.passages = append(s.passages, Passage{
		DocumentID:  s.doc.ID,
		Ordinal:     len(s.passages),
		Title:       s.doc.Title,
		HeadingPath: path,
		Text:        text,
	})
}

// trimBlankLines keeps the indentation of the first line, which is part of
// what Markdown means.
func trimBlankLines(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(line) != "" {
			break
		}
		text = rest
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}
