package extract

import (
	"encoding/csv"
	"fmt"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/core/knowledge"
	"parley/extract/extracttest"
)

// losesNothing checks that a reader keeps what generated documents show. Write returns a
// document's file, the texts that it shows, and those of them whose words must stay whole.
func losesNothing(t *testing.T, kind knowledge.Kind, write func(*rapid.T, extracttest.Document) (body []byte, pieces, whole []string)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		body, pieces, whole := write(t, extracttest.Draw(t))
		if len(pieces) == 0 {
			return
		}
		result, err := read(Input{Kind: kind, Body: body}, Limits{}.OrDefault())
		if err != nil {
			t.Fatal(err)
		}
		if lost := extracttest.LostPieces(result.Markdown, pieces); len(lost) > 0 {
			t.Fatalf("lost %q of\n%s\nin\n%s", lost, shownBody(body, pieces), result.Markdown)
		}
		if lost := extracttest.LostWords(result.Markdown, whole); len(lost) > 0 {
			t.Fatalf("lost the words %q of\n%s\nin\n%s", lost, shownBody(body, whole), result.Markdown)
		}
	})
}

// shownBody is a file that people can read, or else what it shows.
func shownBody(body []byte, pieces []string) string {
	if utf8.Valid(body) {
		return string(body)
	}
	return fmt.Sprintf("%q", pieces)
}

// cellsOfTables are the paragraphs of the tables of a document, row by row.
func cellsOfTables(d extracttest.Document) [][]string {
	var rows [][]string
	for _, block := range d {
		for _, row := range block.Rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, cell.Text())
			}
			rows = append(rows, cells)
		}
	}
	return rows
}

func TestTextLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.Text, func(_ *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		return []byte(strings.Join(d.Pieces(), "\r\n")), d.Pieces(), d.Pieces()
	})
}

func TestMarkdownLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.Markdown, func(_ *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		return []byte(strings.Join(d.Pieces(), "\n\n")), d.Pieces(), d.Pieces()
	})
}

func TestCSVLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.CSV, func(t *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Comma = rapid.SampledFrom([]rune(",;\t|")).Draw(t, "comma")
		w.UseCRLF = rapid.Bool().Draw(t, "CRLF")
		var pieces []string
		for _, cells := range cellsOfTables(d) {
			if rapid.Bool().Draw(t, "two lines") {
				cells[0] += "\nline"
			}
			for i := range cells {
				cells[i] = strings.ReplaceAll(cells[i], "&", "+") // a semicolon may end a cell
			}
			pieces = append(pieces, cells...)
			_ = w.Write(cells)
		}
		w.Flush()
		return []byte(b.String()), pieces, pieces
	})
}

func TestPairsLoseNothing(t *testing.T) {
	losesNothing(t, knowledge.Pairs, func(_ *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		var b strings.Builder
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"Question", "Answer"})
		pieces := d.Pieces()
		pieces = pieces[:len(pieces)&^1]
		for i := 0; i < len(pieces); i += 2 {
			_ = w.Write(pieces[i : i+2])
		}
		w.Flush()
		return []byte(b.String()), pieces, pieces
	})
}

func TestHTMLLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.HTML, func(t *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		around := rapid.SampledFrom([]string{"main", "article", `div role="main"`}).Draw(t, "around")
		end, _, _ := strings.Cut(around, " ")
		page := "<!DOCTYPE html><html><head><meta charset=utf-8><title>Title</title></head><body><" + around + ">" + htmlOf(t, d) + "</" + end + "></body></html>"
		return []byte(page), d.Pieces(), d.Plain()
	})
}

func TestEPUBLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.EPUB, func(t *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		chapter := `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>` + htmlOf(t, d) + `</body></html>`
		return epubOf(`<itemref idref="c1"/>`, entry{"OEBPS/text/c1.xhtml", chapter}), d.Pieces(), d.Plain()
	})
}

// page writes a document as HTML, with its notes at the end.
type page struct {
	*rapid.T
	b     strings.Builder
	notes []extracttest.Paragraph
	lists []string
}

func htmlOf(t *rapid.T, d extracttest.Document) string {
	p := &page{T: t}
	for _, block := range d {
		if block.Kind != extracttest.Item {
			p.close(0)
		}
		switch block.Kind {
		case extracttest.Heading:
			fmt.Fprintf(&p.b, "<h%d>%s</h%[1]d>", block.Level, p.spans(block.Paragraph))
		case extracttest.Item:
			p.item(block)
		case extracttest.Table:
			p.table(block)
		default:
			name := rapid.SampledFrom([]string{"p", "div", "blockquote", "section"}).Draw(t, "element")
			p.b.WriteString("<" + name + ">" + p.spans(block.Paragraph) + "</" + name + ">")
		}
	}
	p.close(0)
	for i := 0; i < len(p.notes); i++ {
		fmt.Fprintf(&p.b, `<p id="n%d"><a href="#r%[1]d">↑</a> %s</p>`, i, p.spans(p.notes[i]))
	}
	return p.b.String()
}

func (p *page) item(block extracttest.Block) {
	p.close(block.Level)
	if len(p.lists) == block.Level {
		p.b.WriteString("</li>")
	}
	for len(p.lists) < block.Level {
		name := "ul"
		if block.Ordered {
			name = "ol"
		}
		p.b.WriteString("<" + name + ">")
		p.lists = append(p.lists, name)
	}
	text := p.spans(block.Paragraph)
	if rapid.Bool().Draw(p.T, "in a paragraph") {
		text = "<p>" + text + "</p>"
	}
	p.b.WriteString("<li>" + text)
}

// close ends the lists that are deeper than a level.
func (p *page) close(level int) {
	for len(p.lists) > level {
		last := len(p.lists) - 1
		p.b.WriteString("</li></" + p.lists[last] + ">")
		p.lists = p.lists[:last]
	}
}

func (p *page) table(block extracttest.Block) {
	p.b.WriteString("<table>")
	for i, row := range block.Rows {
		name := "td"
		if i == 0 && rapid.Bool().Draw(p.T, "header") {
			name = "th"
		}
		p.b.WriteString("<tr>")
		for _, cell := range row {
			text := p.spans(cell.Paragraph)
			if form := rapid.SampledFrom([]string{"%s", "<p>%s</p>", "<ul><li>%s</li></ul>", "%s<br>"}).Draw(p.T, "cell"); form != "" {
				text = fmt.Sprintf(form, text)
			}
			fmt.Fprintf(&p.b, `<%s colspan="%d" rowspan="%d">%s</%[1]s>`, name, cell.Columns, cell.Rows, text)
		}
		p.b.WriteString("</tr>")
	}
	p.b.WriteString("</table>")
}

var forms = map[extracttest.Form][]string{
	extracttest.Regular: {"%s", "%s", "%s", "<span>%s</span>", "<abbr>%s</abbr>"},
	extracttest.Bold:    {"<b>%s</b>", "<strong>%s</strong>", "<b><i>%s</i></b>"},
	extracttest.Italic:  {"<i>%s</i>", "<em>%s</em>", "<code>%s</code>", "<mark>%s</mark>"},
	extracttest.Struck:  {"<s>%s</s>", "<del>%s</del>", `<span style="text-decoration: line-through">%s</span>`},
	extracttest.Super:   {"<sup>%s</sup>", `<span style="vertical-align:super">%s</span>`},
	extracttest.Sub:     {"<sub>%s</sub>"},
	extracttest.Link:    {`<a href="` + extracttest.Address + `x">%s</a>`, `<a href="` + extracttest.Address + `y"><b>%s</b></a>`},
}

func (p *page) spans(of extracttest.Paragraph) string {
	var b strings.Builder
	for _, span := range of.Spans {
		fmt.Fprintf(&b, rapid.SampledFrom(forms[span.Form]).Draw(p.T, "markup"), p.escaped(span.Text))
	}
	if of.Note != nil {
		fmt.Fprintf(&b, `<sup id="r%d"><a href="#n%[1]d">%d</a></sup>`, len(p.notes), len(p.notes)+1)
		p.notes = append(p.notes, *of.Note)
	}
	return b.String()
}

func (p *page) escaped(text string) string {
	if rapid.IntRange(0, 4).Draw(p.T, "entities") > 0 {
		return html.EscapeString(text)
	}
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, "&#x%x;", r)
	}
	return b.String()
}
