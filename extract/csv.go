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
	t := &document.Table{Doc: doc, Width: widest(text, comma)}
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

// widest returns how many columns the widest row has. The header gets as many: Markdown does not show
// cells beyond it.
func widest(text string, comma rune) int {
	width := 0
	for rows := separated.New(text, comma, document.MaxColumns); ; {
		cells, _, ok := rows.Next()
		if !ok {
			return width
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

// headOf reads the first rows. The header is the first row that is as wide and as full as most are: titles, comments
// and names with a value stand before it.
func headOf(text string, comma rune) head {
	var rows [][]bool   // whether each cell is filled
	var comments []bool // whether each row is a comment
	widths := map[int]int{}
	for all := separated.New(text, comma, document.MaxColumns+1); len(rows) < headRows; {
		cells, _, ok := all.Next()
		if !ok {
			break
		}
		filled := make([]bool, len(cells))
		for i, cell := range cells {
			filled[i] = strings.TrimSpace(cell) != ""
		}
		rows = append(rows, filled)
		comments = append(comments, strings.HasPrefix(cells[0], "# ") || strings.HasPrefix(cells[0], "//"))
		if len(cells) > 1 {
			widths[len(cells)]++
		}
	}
	h := head{}
	for width, n := range widths {
		if n > h.same || n == h.same && width > h.width {
			h.width, h.same = width, n
		}
	}
	h.all = len(rows)
	if h.same == 0 {
		return h
	}
	full := typicallyFilled(rows, h.width)
	h.before = slices.IndexFunc(rows, func(r []bool) bool { return len(r) >= h.width && count(r) >= full })
	for comments[h.before] && h.before+1 < len(rows) {
		h.before++
	}
	// A header may name fewer columns than there are, but not leave out the last.
	if i := h.before - 1; i >= 0 && !comments[i] && len(rows[i]) == h.width && rows[i][h.width-1] && count(rows[i]) > 1 {
		h.before = i
	}
	h.all -= h.before
	return h
}

func count(filled []bool) int {
	n := 0
	for _, is := range filled {
		if is {
			n++
		}
	}
	return n
}

// typicallyFilled is how many cells half of the rows of a width have filled, at least.
func typicallyFilled(rows [][]bool, width int) int {
	var counts []int
	for _, r := range rows {
		if len(r) == width {
			counts = append(counts, count(r))
		}
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}
