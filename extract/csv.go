package extract

import (
	"path"
	"slices"
	"strings"

	"parley/extract/document"
	"parley/internal/separated"
)

// readCSV reads a table of separated values (RFC 4180, but leniently). What stands before its header is text.
func readCSV(doc *document.Document, in Input) error {
	text, err := document.Decode(in.Body, in.ContentType, "")
	if err != nil {
		return err
	}
	text, comma := delimiter(text, isTSV(in))
	head := headOf(text, comma)
	rows := separated.New(text, comma, document.MaxColumns+1)
	t := &document.Table{Doc: doc, Width: widest(text, comma, head.before)}
	for n := 0; doc.Err == nil; n++ {
		cells, _, ok := rows.Next()
		switch {
		case !ok:
			return nil
		case n < head.before:
			doc.Block(document.Escape(titleOf(cells, comma)))
			continue
		}
		for i := range cells[:min(len(cells), document.MaxColumns)] {
			cells[i] = document.Escape(strings.TrimSpace(cells[i]))
		}
		t.Row(cells)
	}
	return doc.Err
}

func isTSV(in Input) bool {
	extension := strings.ToLower(path.Ext(in.Name))
	return extension == ".tsv" || extension == ".tab" || strings.HasPrefix(in.ContentType, "text/tab-separated-values")
}

// titleOf returns a row before the header as its line was written.
func titleOf(cells []string, comma rune) string {
	if comma == '\t' {
		return document.Line(strings.Join(cells, " "))
	}
	return document.Line(strings.TrimRight(strings.Join(cells, string(comma)), string(comma)+" "))
}

// widest returns how many columns the widest row from the header on has. The header gets as many: Markdown does not show
// cells beyond it.
func widest(text string, comma rune, header int) int {
	width := 0
	rows := separated.New(text, comma, document.MaxColumns)
	for n := 0; ; n++ {
		cells, _, ok := rows.Next()
		if !ok {
			return width
		}
		if n < header {
			continue
		}
		for len(cells) > width && strings.TrimSpace(cells[len(cells)-1]) == "" {
			cells = cells[:len(cells)-1]
		}
		width = max(width, len(cells))
	}
}

// delimiter returns the text below a line that names its delimiter, as Excel writes it, and
// the delimiter: what the line names, or what divides the rows of the head best.
func delimiter(text string, tsv bool) (string, rune) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		first := strings.Trim(text[:end], `"`)
		if len(first) >= 5 && strings.EqualFold(first[:4], "sep=") && strings.IndexByte(",;\t|", first[4]) >= 0 && strings.Trim(first[5:], first[4:5]+" ") == "" {
			return text[end:], rune(first[4])
		}
	}
	start := text[:min(len(text), 64<<10)]
	best, found := ',', head{}
	for _, comma := range "\t;|," {
		h := headOf(start, comma)
		if comma == '\t' && tsv && h.same > 0 {
			return text, comma
		}
		if h.better(found) {
			best, found = comma, h
		}
	}
	return text, best
}

// headRows is how many rows are looked at to know the delimiter and the header.
const headRows = 100

// head is what the first rows of a text are, divided in one way.
type head struct {
	// before is how many rows stand before the header.
	before int
	// width is how many columns most rows from the header on have, same how many rows have as many, and all how many
	// rows there are.
	width, same, all int
}

// better reports whether the rows are divided better: more of them are equally wide.
func (h head) better(than head) bool {
	return h.same*h.same*max(than.all, 1) > than.same*than.same*max(h.all, 1)
}

// headRow is what is known of a row of the head.
type headRow struct {
	width, filled int
	// endsFilled says that its last cell is filled, hasDigit that some cell has a digit.
	endsFilled, hasDigit, isComment bool
}

func headRowOf(cells []string) headRow {
	r := headRow{width: len(cells), isComment: strings.HasPrefix(cells[0], "# ") || strings.HasPrefix(cells[0], "//")}
	for _, cell := range cells {
		r.endsFilled = strings.TrimSpace(cell) != ""
		if r.endsFilled {
			r.filled++
		}
		r.hasDigit = r.hasDigit || strings.ContainsAny(cell, "0123456789")
	}
	return r
}

// headOf reads the first rows. The header is the first row that is as wide and as full as most are: titles, comments
// and names with a value stand before it.
func headOf(text string, comma rune) head {
	var rows []headRow
	widths := map[int]int{}
	for all := separated.New(text, comma, document.MaxColumns+1); len(rows) < headRows; {
		cells, _, ok := all.Next()
		if !ok {
			break
		}
		rows = append(rows, headRowOf(cells))
		if len(cells) > 1 {
			widths[len(cells)]++
		}
	}
	h := head{all: len(rows)}
	for width, n := range widths {
		if n > h.same || n == h.same && width > h.width {
			h.width, h.same = width, n
		}
	}
	if h.same == 0 {
		return h
	}
	full := typicallyFilled(rows, h.width)
	h.before = slices.IndexFunc(rows, func(r headRow) bool { return r.width == h.width && r.filled >= full })
	for rows[h.before].isComment && h.before+1 < len(rows) {
		h.before++
	}
	if h.before > 0 {
		first, above := rows[h.before], rows[h.before-1]
		// A header may name fewer columns than there are, but not leave out the last, and more
		// than the rows fill, unless the first of them is a header itself.
		named := !first.hasDigit && h.before+1 < len(rows) && rows[h.before+1].hasDigit
		if !above.isComment && above.filled > 1 && (above.width == h.width && above.endsFilled || above.width > h.width && !named) {
			h.before--
		}
	}
	h.all -= h.before
	return h
}

// typicallyFilled is how many cells half of the rows of a width have filled, at least.
func typicallyFilled(rows []headRow, width int) int {
	var counts []int
	for _, r := range rows {
		if r.width == width {
			counts = append(counts, r.filled)
		}
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}
