package extracttest

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Form is how a span looks.
type Form int

// The forms of spans.
const (
	Regular Form = iota
	Bold
	Italic
	Struck
	Super
	Sub
	Link
	forms
)

// Span is text of one form.
type Span struct {
	Text string
	Form Form
}

// Paragraph is a paragraph, perhaps with a note.
type Paragraph struct {
	Spans []Span
	Note  *Paragraph
}

// Text is what a paragraph shows, without its note.
func (p Paragraph) Text() string {
	var b strings.Builder
	for _, span := range p.Spans {
		b.WriteString(span.Text)
	}
	return b.String()
}

// IsRaised reports whether a paragraph has superscripts or subscripts.
func (p Paragraph) IsRaised() bool {
	return slices.ContainsFunc(p.Spans, func(span Span) bool { return span.Form == Super || span.Form == Sub })
}

// Kind is what a block is.
type Kind int

// The kinds of blocks.
const (
	Text Kind = iota
	Heading
	Item
	Table
)

// Block is a paragraph, a heading or item with its level from 1, or a table.
type Block struct {
	Kind    Kind
	Level   int
	Ordered bool
	Paragraph
	// Columns is a table's width, and Rows its cells without those that others cover.
	Columns int
	Rows    [][]Cell
}

// Cell is a cell of a table, which may cover columns to its right and the row below.
type Cell struct {
	Paragraph
	Columns, Rows int
}

// Document is a document of any format.
type Document []Block

// Paragraphs are all paragraphs of a document, those of cells and notes included.
func (d Document) Paragraphs() []Paragraph {
	var all []Paragraph
	add := func(p Paragraph) {
		if all = append(all, p); p.Note != nil {
			all = append(all, *p.Note)
		}
	}
	for _, block := range d {
		if block.Kind != Table {
			add(block.Paragraph)
		}
		for _, row := range block.Rows {
			for _, cell := range row {
				add(cell.Paragraph)
			}
		}
	}
	return all
}

// Pieces are the texts of all paragraphs.
func (d Document) Pieces() []string {
	var pieces []string
	for _, p := range d.Paragraphs() {
		pieces = append(pieces, p.Text())
	}
	return pieces
}

// Plain are the texts of paragraphs whose words a reader may not change: those without
// superscripts and subscripts.
func (d Document) Plain() []string {
	var pieces []string
	for _, p := range d.Paragraphs() {
		if !p.IsRaised() {
			pieces = append(pieces, p.Text())
		}
	}
	return pieces
}

// samples are words that readers have lost, or that look like markup.
var samples = []string{
	"room", "Größe", "price", "naïve", "office", "ﬁlter", "e\u0301tude", "AT&T", "a<b", "x > y", "&amp;", "&#65;", "<b>", "</p>", "]]>", "\"quoted\"", "it's",
	"3,50 €", "$1,234.56", "£20", "₹500", "¥1000", "12:30", "½", "m²", "№ 7", "Ⅳ", "2026-11-28", "+49 30 1234", "100%", "-5",
	"غرفة", "مرحبا", "٣٤", "שלום", "می\u200cخواهم", "部屋", "価格", "客房", "방값", "ราคา", "कीमत", "комната", "τιμή", "İstanbul", "ß", "𝒳", "👩\u200d🔧",
	"*star*", "_under_", "max_tokens", "#", "# one", "1.", "2)", "-", "+", "|", "a|b", `\`, `C:\new`, "[1]", "[a](b)", "`code`", "```", "~5", "~~9~~", "---", "===", ">", "!", "![x]", "http://a.example/b_c", "me@a.example", "$x$", "{{y}}", "soft\u00adhyphen", "no\u00a0break",
}

// Draw draws a document whose paragraphs each begin with a word of their own.
func Draw(t *rapid.T) Document {
	d := &drawer{T: t}
	var document Document
	level := 0
	for range rapid.IntRange(1, 6).Draw(t, "blocks") {
		kind := Kind(rapid.IntRange(int(Text), int(Table)).Draw(t, "kind"))
		b := Block{Kind: kind, Level: rapid.IntRange(1, 4).Draw(t, "level"), Ordered: rapid.Bool().Draw(t, "ordered")}
		if kind != Item {
			level = 0
		}
		switch kind {
		case Table:
			b.Columns = rapid.IntRange(1, 4).Draw(t, "columns")
			b.Rows = d.rows(b.Columns)
		case Item:
			level = min(b.Level, level+1)
			b.Level = level
			b.Paragraph = d.paragraph(true)
		default:
			b.Paragraph = d.paragraph(true)
		}
		document = append(document, b)
	}
	return document
}

type drawer struct {
	*rapid.T
	drawn int
}

// name is a word that no other paragraph has.
func (d *drawer) name() string {
	d.drawn++
	return "Q" + string([]rune{rune('a' + d.drawn/26%26), rune('a' + d.drawn%26)}) + "z"
}

func (d *drawer) paragraph(note bool) Paragraph {
	spans := []Span{{d.name(), Regular}, {" ", Regular}}
	for range rapid.IntRange(1, 5).Draw(d.T, "spans") {
		form := Form(rapid.IntRange(0, int(forms)-1).Draw(d.T, "form"))
		text := rapid.SampledFrom(samples).Draw(d.T, "word")
		switch {
		case form == Super || form == Sub:
			text = rapid.SampledFrom([]string{"2", "12", "-3", "th", "n+1", "TM", "i", "99", "°", "30"}).Draw(d.T, "raised")
		case form == Link:
			text = "link " + text
		case form != Regular && !rapid.Bool().Draw(d.T, "within a word"):
			text += " "
		}
		spans = append(spans, Span{text, form})
		if rapid.Bool().Draw(d.T, "apart") {
			spans = append(spans, Span{" ", Regular})
		}
	}
	p := Paragraph{Spans: append(spans, Span{" end", Regular})}
	if note && rapid.IntRange(0, 3).Draw(d.T, "note") == 0 {
		of := d.paragraph(false)
		p.Note = &of
	}
	return p
}

// rows draws the rows of a table. A cell that covers a row below is the first of its row.
func (d *drawer) rows(columns int) [][]Cell {
	var rows [][]Cell
	covered := false
	count := rapid.IntRange(1, 4).Draw(d.T, "rows")
	for at := range count {
		var row []Cell
		left := columns
		below := false
		if covered {
			left--
		}
		for left > 0 {
			cell := Cell{Paragraph: d.paragraph(true), Rows: 1, Columns: rapid.IntRange(1, left).Draw(d.T, "covered columns")}
			if !covered && left == columns && at+1 < count && columns > 1 && rapid.IntRange(0, 3).Draw(d.T, "covers below") == 0 {
				cell.Rows, cell.Columns, below = 2, 1, true
			}
			left -= cell.Columns
			row = append(row, cell)
		}
		rows, covered = append(rows, row), below
	}
	return rows
}
