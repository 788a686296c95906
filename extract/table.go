package extract

import (
	"strings"

	"parley/core/fault"
)

// maxColumns is how many columns a table may have. It bounds what one row
// takes; wider ones are data and no documents.
const maxColumns = 1_000

// table writes rows as a GFM table (GFM 0.29, section 4.10) a row at a time.
// Cells are Markdown. The first row is the header.
type table struct {
	doc  *document
	rows int
	// width is the header's: cells beyond it would not be shown.
	width int
}

// row writes a row. Rows without text are left out.
func (t *table) row(cells []string) {
	if t.doc.err != nil {
		return
	}
	if len(cells) > maxColumns {
		t.doc.fail(fault.New(fault.TooLarge, "This table has more than %s. Remove those that nobody asks about, and add it again.", count(maxColumns, "column")))
		return
	}
	if strings.TrimSpace(strings.Join(cells, "")) == "" {
		return
	}
	if t.rows++; t.rows > t.doc.limits.Rows {
		t.doc.fail(fault.New(fault.TooLarge, "This table has more than %s. Split it, and add its parts.", count(t.doc.limits.Rows, "row")))
		return
	}
	if t.rows == 1 {
		t.width = max(t.width, len(cells))
		t.doc.block(row(cells, t.width))
		t.doc.follow("|" + strings.Repeat(" --- |", t.width))
		return
	}
	t.doc.follow(row(cells, 0))
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

// cell returns Markdown as one line that a table can hold: a pipe that is not
// escaped yet would end the cell, even within code.
func cell(markdown string) string {
	markdown = line(markdown)
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

// tableOf writes all rows of a table. The header is as wide as the widest row.
func (d *document) tableOf(rows [][]string) {
	t := &table{doc: d}
	for _, cells := range rows {
		t.width = min(max(t.width, len(cells)), maxColumns)
	}
	for _, cells := range rows {
		t.row(cells)
	}
}
