package extract

import (
	"testing"
	"unicode/utf8"

	"parley/core/knowledge"
	"parley/extract/document"
)

// fuzzLimits keep a single run short.
var fuzzLimits = Limits{Bytes: 1 << 20, Unpacked: 4 << 20, Markdown: 1 << 20, Rows: 1_000, Pages: 100}.OrDefault()

// checkRead reads a document in this process. Whatever the document is, the
// Markdown must be clean and the places within it.
func checkRead(t *testing.T, kind knowledge.Kind, body []byte) {
	result, err := read(Input{Kind: kind, Body: body}, fuzzLimits)
	if err != nil {
		return
	}
	if !utf8.ValidString(result.Markdown) || document.Clean(result.Markdown) != result.Markdown {
		t.Fatalf("the Markdown is not clean: %q", document.Clip(result.Markdown, 500))
	}
	if len(result.Markdown) > fuzzLimits.Markdown {
		t.Fatalf("the Markdown has %d bytes", len(result.Markdown))
	}
	at := 0
	for _, place := range result.Places {
		if place.Offset < at || place.Offset > len(result.Markdown) {
			t.Fatalf("place %+v is out of order", place)
		}
		at = place.Offset
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add(p("", "Text"))
	f.Add(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="9"/></w:tcPr>` + p("", "a|b") + `</w:tc></w:tr></w:tbl>`)
	f.Add(p(`<w:numPr><w:ilvl w:val="8"/><w:numId w:val="1"/></w:numPr>`, "1. #"))
	f.Fuzz(func(t *testing.T, body string) {
		checkRead(t, knowledge.DOCX, docxOf(body, entry{"word/_rels/document.xml.rels", relationsXML("r", "numbering", "numbering.xml")},
			entry{"word/numbering.xml", `<n><abstractNum abstractNumId="1"><lvl ilvl="8"><numFmt val="decimal"/><lvlText val="%9."/></lvl></abstractNum><num numId="1"><abstractNumId val="1"/></num></n>`}))
	})
}

func FuzzPPTX(f *testing.F) {
	f.Add(shapeXML("body", line1("8", "Text")))
	f.Add(`<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc hMerge="1"/><a:tc vMerge="1"/></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`)
	f.Fuzz(func(t *testing.T, shapes string) {
		checkRead(t, knowledge.PPTX, pptxOf(`<p:sldId id="1" r:id="rId1"/>`, entry{"ppt/slides/slide1.xml", slideOf(shapes, "")}))
	})
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a;b\n1;\"2\n3\""))
	f.Add([]byte("sep=|\nquestion|answer\nx|y"))
	f.Add([]byte("\xff\xfea\x00,\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		checkRead(t, knowledge.CSV, body)
		checkRead(t, knowledge.Pairs, body)
		_, _ = Detect(Input{Body: body})
	})
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<main><h1>x<a href=#>#</a></h1><dl><dt>a<dd>b<dl><dt>c</dl></dl>"))
	f.Add([]byte("<table><tr><td colspan=3>a<td><table><tr><td><ul><li>x</table></table><pre>a\nb</pre>"))
	f.Add([]byte("<meta charset=shift_jis><title>\x95\x5c</title><svg><title/><p>"))
	f.Fuzz(func(t *testing.T, body []byte) { checkRead(t, knowledge.HTML, body) })
}
