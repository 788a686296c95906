package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/extract/document"
)

// writePages writes all pages. The size of most of the text is the measure for
// headings.
func writePages(doc *document.Document, pages []*page) {
	w := &pageWriter{doc: doc}
	w.measure(pages)
	for i, p := range pages {
		doc.At(i+1, "")
		for j, b := range blocksOf(p) {
			if j == 0 && w.before != nil && w.level(*w.before) == 0 && w.before.goesOn(b) {
				doc.Join(document.EscapeAfter("…", b.text))
				w.before = &b
				continue
			}
			w.before = &b
			w.block(b)
			if doc.Err != nil {
				return
			}
		}
	}
}

// pageWriter writes blocks. A table that continues on the next page continues in
// the Markdown, too.
type pageWriter struct {
	doc *document.Document
	// body is the size of the body text, and larger the sizes of headings, the
	// largest first.
	body   float64
	larger []float64
	// mostlyBold says that bold text means nothing here.
	mostlyBold bool
	table      *document.Table
	header     []string
	listed     bool
	// before is the block written last.
	before *block
}

func (w *pageWriter) measure(pages []*page) {
	letters := make(map[float64]int)
	bold, all := 0, 0
	for _, p := range pages {
		for _, s := range p.spans {
			n := utf8.RuneCountInString(s.text)
			letters[half(s.size)] += n
			all += n
			if s.bold {
				bold += n
			}
		}
	}
	for size, n := range letters {
		if n > letters[w.body] || n == letters[w.body] && size > w.body {
			w.body = size
		}
	}
	for size, n := range letters {
		if size >= 1.15*w.body && n < all/4 {
			w.larger = append(w.larger, size)
		}
	}
	slices.Sort(w.larger)
	slices.Reverse(w.larger)
	w.mostlyBold = 3*bold > all
}

// half rounds a size to half points.
func half(size float64) float64 { return math.Round(2*size) / 2 }

func (w *pageWriter) block(b block) {
	if b.rows != nil {
		w.rows(b.rows)
		return
	}
	w.table, w.header = nil, nil
	level := w.level(b)
	switch {
	case level > 0:
		if w.doc.Title == "" && level == 1 {
			w.doc.Title = b.text
		}
		w.doc.Heading(level, document.Escape(b.text))
	case b.item:
		mark := bulletMark.FindString(b.text)
		text := "- " + document.Escape(b.text[len(mark):])
		if mark = strings.TrimSpace(mark); unicode.IsDigit(rune(mark[0])) {
			text = mark + " " + document.Escape(b.text[len(mark)+1:])
		} else if last, _ := utf8.DecodeLastRuneInString(mark); strings.ContainsRune(".)☐☑☒", last) {
			text = "- " + mark + " " + document.Escape(b.text[len(mark)+1:])
		}
		if w.listed {
			w.doc.Follow(text)
		} else {
			w.doc.Block(text)
		}
	default:
		w.doc.Block(document.Escape(b.text))
	}
	w.listed = b.item
}

// level returns the level of a heading, or 0. Headings have larger letters, or
// are short bold lines that are not sentences.
func (w *pageWriter) level(b block) int {
	if b.lines > 3 || utf8.RuneCountInString(b.text) > 200 || !strings.ContainsFunc(b.text, unicode.IsLetter) {
		return 0
	}
	if at := slices.Index(w.larger, half(b.size)); at >= 0 {
		return min(at+1, 4)
	}
	last, _ := utf8.DecodeLastRuneInString(b.text)
	if b.bold && !w.mostlyBold && !b.item && b.lines <= 2 && utf8.RuneCountInString(b.text) < 100 && !strings.ContainsRune(".,;:", last) {
		return min(len(w.larger)+1, 5)
	}
	return 0
}

// rows writes a table, or more rows of the previous one.
func (w *pageWriter) rows(rows [][]string) {
	w.listed = false
	if w.table != nil && len(rows[0]) == len(w.header) {
		if slices.Equal(rows[0], w.header) {
			rows = rows[1:]
		}
	} else {
		w.table, w.header = &document.Table{Doc: w.doc}, rows[0]
	}
	for _, cells := range rows {
		w.table.Row(cells)
	}
}
