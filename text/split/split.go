// Package split cuts Markdown and plain text into passages. Its functions are
// pure.
package split

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"unicode/utf8"
)

// version names the rules of [Split]. Change it with every change to the text of
// passages: documents of another version are split again. Changes to what else
// a passage says need no new version; they show when a document is split next.
const version = "split-5"

// Document is a text with what its passages repeat of it.
type Document struct {
	ID, Title string
	// Plain says that the content is plain text, not Markdown.
	Plain bool
	// Pairs says that each heading is a question with its answer, whatever its words.
	Pairs   bool
	Content string
	// Places are in the order of their offsets.
	Places []Place
}

// Place says that the content from Offset on, in bytes, is from a part of the
// original: a page, a sheet, a slide, a chapter.
type Place struct {
	Offset int    `json:"o"`
	Name   string `json:"n"`
}

// Passage is a piece of a document.
type Passage struct {
	// DocumentID and Title are the document's.
	DocumentID, Title string
	// Ordinal is the passage's number in its document, from zero.
	Ordinal int
	// HeadingPath holds the headings above the passage, outermost first.
	HeadingPath []string
	// Place names the part of the original that it begins in, or is empty.
	Place string
	// Start and End are the characters of the content that it was cut from, End excluded.
	Start, End int
	// Text is Markdown.
	Text string
}

// Sizes says how large passages are, in tokens.
type Sizes struct {
	// Aim is what neighboring pieces are joined up to, and Limit what a
	// passage holds at most, which is the aim where that is more. Neither is zero.
	Aim, Limit int
	// Count returns the tokens of a text. Counts of pieces are added up, so
	// that it should cut words where a language model's encoding does. Without
	// it a token is four bytes.
	Count func(text string) int
}

// Most is how many headings, blocks and passages a document may have. It bounds what [Cuts] makes of a
// document, whose blocks may have three bytes.
var Most = Counts{Headings: 100_000, Blocks: 500_000, Passages: 50_000}

// Counts are numbers of parts of a document.
type Counts struct{ Headings, Blocks, Passages int }

// TooMany is the error of a document with more parts than it may have. What is the noun of one.
type TooMany struct {
	What string
	Most int
}

// Error says which parts.
func (e *TooMany) Error() string { return fmt.Sprintf("more than %d %ss", e.Most, e.What) }

// Cut says where a passage is: src[Start:End], in bytes, between Head and Foot.
type Cut struct {
	// Path holds the headings above it, outermost first.
	Path       []string
	Start, End int
	// Head and Foot are what the pieces of a cut table or code repeat, or empty.
	Head, Foot string
}

// Split cuts a document into passages, in the order of its text. A document
// without words has none.
//
// Markdown is cut by its structure: a passage stays within one section and
// carries the headings above it in HeadingPath. A section that fits in a
// passage with all below it is one, and small neighboring sections share one;
// it then holds their headings in its text. A question with its answer, as in an
// FAQ, is a passage of its own.
// Table rows, code blocks and list items stay whole unless one alone is too
// long; then an item is cut between the items in it, code between its lines,
// and prose between sentences. Text is cut at blank lines first.
//
// Text is verbatim source, from Start to End, except that each piece of a cut
// table starts with the table's header and each piece of cut code has its
// fences: these are around what stands from Start to End. No word is
// lost: each is in the text or the heading path of some passage. Headings are
// plain text there, without the targets of their links.
//
// Equal documents and sizes give equal passages. The time is linear in the
// length.
func Split(doc Document, sizes Sizes) []Passage {
	unbounded := Counts{math.MaxInt, math.MaxInt, math.MaxInt}
	cuts, _ := cutWithin(doc, sizes, unbounded)
	return doc.Passages(cuts)
}

// Cuts is [Split] for a document of a stranger: it stops with [TooMany] as soon as it has counted more
// than [Most].
func Cuts(doc Document, sizes Sizes) ([]Cut, error) { return cutWithin(doc, sizes, Most) }

func cutWithin(doc Document, sizes Sizes, most Counts) ([]Cut, error) {
	s := newSplitter(doc, sizes, most)
	if doc.Plain || tooDeep(doc.Content) {
		blocks := s.textBlocks(0, len(s.src))
		s.measure(blocks)
		s.pack(nil, blocks)
		return s.result()
	}
	blocks := s.scan()
	if s.tooMany != nil {
		return nil, s.tooMany
	}
	s.measure(blocks)
	sections := outline(blocks, doc.Pairs)
	s.group(nil, sections, 0, len(sections))
	return s.result()
}

func (s *splitter) result() ([]Cut, error) {
	if s.tooMany != nil {
		return nil, s.tooMany
	}
	return s.cuts, nil
}

// Passages are what the cuts of a document say. Their texts share its memory.
func (d Document) Passages(cuts []Cut) []Passage {
	if len(cuts) == 0 {
		return nil
	}
	passages := make([]Passage, len(cuts))
	// Each goes on from the one before, so that all of them together take linear time.
	counted, chars := 0, 0
	for i, c := range cuts {
		chars += utf8.RuneCountInString(d.Content[counted:c.Start])
		counted = c.Start
		text := d.Content[c.Start:c.End]
		passages[i] = Passage{
			DocumentID:  d.ID,
			Ordinal:     i,
			Title:       d.Title,
			HeadingPath: c.Path,
			Place:       placeAt(d.Places, c.Start),
			Start:       chars,
			End:         chars + utf8.RuneCountInString(text),
		}
		if c.Head != "" {
			text = c.Head + text
		}
		if c.Foot != "" {
			text += "\n" + c.Foot
		}
		passages[i].Text = text
	}
	return passages
}

type splitter struct {
	src   string
	count func(string) int
	// small is the size up to which a section joins its neighbors, and up to
	// which a piece joins a long one beside it.
	aim, limit, small int
	cuts              []Cut
	most              Counts
	tooMany           error
}

func newSplitter(doc Document, sizes Sizes, most Counts) *splitter {
	count := sizes.Count
	if count == nil {
		count = func(text string) int { return (len(text) + 3) / 4 }
	}
	return &splitter{src: doc.Content, count: count, aim: sizes.Aim, limit: max(sizes.Limit, sizes.Aim), small: sizes.Aim / 3, most: most}
}

// add appends the passage src[start:end] between a head and a foot, which may
// be empty. Blank text makes none, nor does what comes after too many.
func (s *splitter) add(path []string, start, end int, head, foot string) {
	start, end = s.trim(start, end)
	if start == end || s.tooMany != nil {
		return
	}
	if len(s.cuts) >= s.most.Passages {
		s.tooMany = &TooMany{"passage", s.most.Passages}
		return
	}
	s.cuts = append(s.cuts, Cut{path, start, end, head, foot})
}

// placeAt returns the name of the place that holds an offset in the content.
func placeAt(places []Place, offset int) string {
	after := sort.Search(len(places), func(i int) bool { return places[i].Offset > offset })
	if after == 0 {
		return ""
	}
	return places[after-1].Name
}

// trim leaves out the blank lines at both ends of src[start:end], and the
// space in front of a piece that starts within a line. It keeps the
// indentation of a first line, which is part of what Markdown means.
func (s *splitter) trim(start, end int) (int, int) {
	const blank = " \t\r\n"
	text := strings.TrimRight(s.src[start:end], blank)
	end = start + len(text)
	words := end - len(strings.TrimLeft(text, blank))
	if line := strings.LastIndexByte(s.src[start:words], '\n') + 1; line > 0 {
		return start + line, end
	}
	if start > 0 && s.src[start-1] != '\n' {
		return words, end
	}
	return start, end
}

// hasWords reports whether anything but blanks is in src[start:end].
func (s *splitter) hasWords(start, end int) bool {
	start, end = s.trim(start, end)
	return start < end
}

// Name names all that a split depends on beside the document: the rules and the sizes, in
// tokens.
func Name(sizes Sizes) string { return fmt.Sprintf("%s %d %d", version, sizes.Aim, sizes.Limit) }
