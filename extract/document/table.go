package document

import (
	"strings"

	"parley/core/fault"
)

// MaxColumns is how many columns a table may have. It bounds the size of a row;
// a wider table is data rather than a document.
const MaxColumns = 1_000

// Table writes rows as a GFM table (GFM 0.29, section 4.10), one at a time.
// Cells are Markdown. The first row is the header.
type Table struct {
	Doc  *Document
	Rows int
	// Width is how many columns the header has at least: Markdown would not show cells beyond
	// it.
	Width int
}

// Row writes a row. It skips rows without text.
func (t *Table) Row(cells []string) {
	if t.Doc.Err != nil {
		return
	}
	if len(cells) > MaxColumns {
		t.Doc.fail(fault.New(fault.TooLarge, "This table has more than %s. Remove those that nobody asks about, and add the file again.", Count(MaxColumns, "column")))
		return
	}
	if strings.TrimSpace(strings.Join(cells, "")) == "" {
		return
	}
	if t.Rows++; t.Rows > t.Doc.Limits.Rows {
		t.Doc.fail(fault.New(fault.TooLarge, "This table has more than %s. Split it, and add its parts.", Count(t.Doc.Limits.Rows, "row")))
		return
	}
	if t.Rows == 1 {
		t.Width = max(t.Width, len(cells))
		t.Doc.Block(row(cells, t.Width))
		t.Doc.Follow("|" + strings.Repeat(" --- |", t.Width))
		return
	}
	t.Doc.Follow(row(cells, 0))
}

// row returns the line of a row with at least width cells.
func row(cells []string, width int) string {
	var b strings.Builder
	b.WriteByte('|')
	for i := range max(len(cells), width) {
		b.WriteByte(' ')
		if i < len(cells) {
			b.WriteString(cell(cells[i]))
		}
		b.WriteString(" |")
	}
	return b.String()
}

// cell turns Markdown into one line that fits a table cell: an unescaped pipe
// would end the cell, even within code.
func cell(markdown string) string {
	markdown = Line(markdown)
	if !strings.Contains(markdown, "|") {
		return markdown
	}
	var b strings.Builder
	slashes := 0
	for i := range len(markdown) {
		c := markdown[i]
		if c == '|' && slashes%2 == 0 {
			b.WriteByte('\\')
		}
		if slashes++; c != '\\' {
			slashes = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

// WriteTable writes all rows of a table. The header is as wide as the widest row.
func (d *Document) WriteTable(rows [][]string) {
	t := &Table{Doc: d}
	for _, cells := range rows {
		t.Width = min(max(t.Width, len(cells)), MaxColumns)
	}
	for _, cells := range rows {
		t.Row(cells)
	}
}
