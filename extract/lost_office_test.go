package extract

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"parley/core/knowledge"
	"parley/extract/extracttest"
)

func TestDOCXLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.DOCX, func(t *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		w := &wordWriter{T: t}
		for _, block := range d {
			w.block(block)
		}
		var notes strings.Builder
		for i := 0; i < len(w.notes); i++ {
			text := w.paragraph("", w.notes[i])
			fmt.Fprintf(&notes, `<w:footnote w:id="%d">%s</w:footnote>`, i+1, text)
		}
		levels := ""
		for i := range 9 {
			levels += lvl(fmt.Sprint(i), "decimal", fmt.Sprintf("%%%d.", i+1), "")
		}
		return docxOf(
			w.b.String(),
			entry{"word/_rels/document.xml.rels", relationsXML("n", "numbering", "numbering.xml", "f", "footnotes", "footnotes.xml", "l", "hyperlink", extracttest.Address+"x")},
			entry{"word/numbering.xml", `<w:numbering` + wordXML + `>` + abstract(levels) + `</w:numbering>`},
			entry{"word/footnotes.xml", `<w:footnotes` + wordXML + `>` + notes.String() + `</w:footnotes>`},
		), d.Pieces(), d.Plain()
	})
}

// wordWriter writes the body of a DOCX.
type wordWriter struct {
	*rapid.T
	b     strings.Builder
	notes []extracttest.Paragraph
}

func (w *wordWriter) block(block extracttest.Block) {
	switch block.Kind {
	case extracttest.Heading:
		w.b.WriteString(w.paragraph(fmt.Sprintf(`<w:outlineLvl w:val="%d"/>`, block.Level-1), block.Paragraph))
	case extracttest.Item:
		w.b.WriteString(w.paragraph(fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="2"/></w:numPr>`, block.Level-1), block.Paragraph))
	case extracttest.Table:
		w.table(block)
	default:
		text := w.paragraph("", block.Paragraph)
		if rapid.IntRange(0, 4).Draw(w.T, "in a box") == 0 {
			text = `<w:p><w:r><mc:AlternateContent><mc:Choice><wps:txbx><w:txbxContent>` + text + `</w:txbxContent></wps:txbx></mc:Choice></mc:AlternateContent></w:r></w:p>`
		}
		w.b.WriteString(text)
	}
}

func (w *wordWriter) table(block extracttest.Block) {
	w.b.WriteString(`<w:tbl>`)
	covered := false
	for _, row := range block.Rows {
		w.b.WriteString(`<w:tr>`)
		if covered {
			w.b.WriteString(`<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>`)
		}
		covered = false
		for _, cell := range row {
			merge := ""
			if cell.Rows > 1 {
				merge, covered = `<w:vMerge w:val="restart"/>`, true
			}
			fmt.Fprintf(&w.b, `<w:tc><w:tcPr><w:gridSpan w:val="%d"/>%s</w:tcPr>%s</w:tc>`, cell.Columns, merge, w.paragraph("", cell.Paragraph))
		}
		w.b.WriteString(`</w:tr>`)
	}
	w.b.WriteString(`</w:tbl>`)
}

var wordForms = map[extracttest.Form]string{
	extracttest.Bold: `<w:b/>`, extracttest.Italic: `<w:i/>`, extracttest.Struck: `<w:strike/>`,
	extracttest.Super: `<w:vertAlign w:val="superscript"/>`, extracttest.Sub: `<w:vertAlign w:val="subscript"/>`,
}

func (w *wordWriter) paragraph(properties string, of extracttest.Paragraph) string {
	var runs []string
	for _, span := range of.Spans {
		text := run(wordForms[span.Form], wt(html.EscapeString(span.Text)))
		if half := len([]rune(span.Text)) / 2; half > 0 && rapid.IntRange(0, 3).Draw(w.T, "two runs") == 0 && span.Form != extracttest.Super && span.Form != extracttest.Sub {
			letters := []rune(span.Text)
			text = run(wordForms[span.Form], wt(html.EscapeString(string(letters[:half])))) + `<w:proofErr/>` + run(wordForms[span.Form], wt(html.EscapeString(string(letters[half:]))))
		}
		if span.Form == extracttest.Link {
			if rapid.Bool().Draw(w.T, "field") {
				text = fieldOf(`HYPERLINK "`+extracttest.Address+`f"`, text)
			} else {
				text = `<w:hyperlink r:id="l">` + text + `</w:hyperlink>`
			}
		}
		wrap := rapid.SampledFrom([]string{"%s", "%s", "%s", `<w:ins>%s</w:ins>`, `<w:smartTag>%s</w:smartTag>`, `<w:sdt><w:sdtContent>%s</w:sdtContent></w:sdt>`}).Draw(w.T, "wrap")
		runs = append(runs, fmt.Sprintf(wrap, text))
	}
	if of.Note != nil {
		w.notes = append(w.notes, *of.Note)
		runs = append(runs, fmt.Sprintf(`<w:r><w:footnoteReference w:id="%d"/></w:r>`, len(w.notes)))
	}
	return `<w:p><w:pPr>` + properties + `</w:pPr>` + strings.Join(runs, "") + `</w:p>`
}

func TestPPTXLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.PPTX, func(t *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		var shapes, notes strings.Builder
		titled := false
		for _, block := range d {
			switch {
			case block.Kind == extracttest.Table:
				shapes.WriteString(drawnTable(block))
			case block.Kind == extracttest.Heading && !titled:
				shapes.WriteString(shapeXML(rapid.SampledFrom([]string{"title", "ctrTitle"}).Draw(t, "title"), drawnParagraph(0, block.Paragraph)))
				titled = rapid.Bool().Draw(t, "no other title")
			case block.Kind == extracttest.Item:
				shapes.WriteString(shapeXML("body", drawnParagraph(block.Level-1, block.Paragraph)))
			default:
				shape := shapeXML(rapid.SampledFrom([]string{"", "body", "subTitle"}).Draw(t, "shape"), drawnParagraph(0, block.Paragraph))
				if rapid.Bool().Draw(t, "in a group") {
					shape = `<p:grpSp>` + shape + `</p:grpSp>`
				}
				shapes.WriteString(shape)
			}
		}
		for _, p := range d.Paragraphs() {
			if p.Note != nil {
				notes.WriteString(drawnParagraph(0, *p.Note))
			}
		}
		return pptxOf(
			`<p:sldId id="256" r:id="rId1"/>`, entry{"ppt/slides/slide1.xml", slideOf(shapes.String(), "")},
			entry{"ppt/slides/_rels/slide1.xml.rels", relationsXML("rId1", "notesSlide", "../notesSlides/notesSlide1.xml", "l", "hyperlink", extracttest.Address+"x")},
			entry{"ppt/notesSlides/notesSlide1.xml", xmlHead + `<p:notes` + slideXML + `><p:cSld><p:spTree>` + shapeXML("body", notes.String()) + `</p:spTree></p:cSld></p:notes>`},
		), d.Pieces(), d.Plain()
	})
}

var drawnForms = map[extracttest.Form]string{
	extracttest.Bold: `b="1"`, extracttest.Italic: `i="1"`, extracttest.Struck: `strike="sngStrike"`,
	extracttest.Super: `baseline="30000"`, extracttest.Sub: `baseline="-25000"`,
}

func drawnParagraph(level int, of extracttest.Paragraph) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<a:p><a:pPr lvl="%d"/>`, level)
	for _, span := range of.Spans {
		click := ""
		if span.Form == extracttest.Link {
			click = `<a:hlinkClick r:id="l"/>`
		}
		fmt.Fprintf(&b, `<a:r><a:rPr %s>%s</a:rPr><a:t>%s</a:t></a:r>`, drawnForms[span.Form], click, html.EscapeString(span.Text))
	}
	return b.String() + `</a:p>`
}

func drawnTable(block extracttest.Block) string {
	var b strings.Builder
	b.WriteString(`<p:graphicFrame><a:graphic><a:graphicData><a:tbl>`)
	covered := false
	for _, row := range block.Rows {
		b.WriteString(`<a:tr>`)
		if covered {
			b.WriteString(`<a:tc vMerge="1"><a:txBody><a:p/></a:txBody></a:tc>`)
		}
		covered = false
		for _, cell := range row {
			covered = covered || cell.Rows > 1
			fmt.Fprintf(&b, `<a:tc gridSpan="%d" rowSpan="%d"><a:txBody>%s</a:txBody></a:tc>`, cell.Columns, cell.Rows, drawnParagraph(0, cell.Paragraph))
			b.WriteString(strings.Repeat(`<a:tc hMerge="1"><a:txBody><a:p/></a:txBody></a:tc>`, cell.Columns-1))
		}
		b.WriteString(`</a:tr>`)
	}
	return b.String() + `</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
}

func TestXLSXLosesNothing(t *testing.T) {
	losesNothing(t, knowledge.XLSX, func(t *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		book := excelize.NewFile()
		defer book.Close()
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		row := 0
		put := func(column int, p extracttest.Paragraph) string {
			name, err := excelize.CoordinatesToCellName(column, row)
			must(err)
			var runs []excelize.RichTextRun
			for _, span := range p.Spans {
				runs = append(runs, excelize.RichTextRun{Text: span.Text, Font: &excelize.Font{Bold: span.Form == extracttest.Bold, Strike: span.Form == extracttest.Struck}})
			}
			must(book.SetCellRichText("Sheet1", name, runs))
			return name
		}
		var pieces []string
		for _, block := range d {
			if block.Kind != extracttest.Table {
				row += rapid.IntRange(1, 2).Draw(t, "down")
				put(rapid.IntRange(1, 3).Draw(t, "column"), block.Paragraph)
				pieces = append(pieces, block.Text())
			}
			covered := false
			for _, cells := range block.Rows {
				row++
				column := 1
				if covered {
					column++
				}
				covered = false
				for _, cell := range cells {
					name := put(column, cell.Paragraph)
					pieces = append(pieces, cell.Text())
					to, err := excelize.CoordinatesToCellName(column+cell.Columns-1, row+cell.Rows-1)
					must(err)
					if to != name {
						must(book.MergeCell("Sheet1", name, to))
					}
					column += cell.Columns
					covered = covered || cell.Rows > 1
				}
			}
		}
		var b bytes.Buffer
		must(book.Write(&b))
		return b.Bytes(), pieces, pieces
	})
}
