package extract

import (
	"bytes"
	"regexp"
	"time"

	"github.com/xuri/excelize/v2"
)

// contract is a DOCX with localized heading styles, numbered lists, tracked
// changes, a table, footnotes, a link, a text box and hidden text.
func contract() []byte {
	style := func(id, name, more string) string {
		return `<w:style w:type="paragraph" w:styleId="` + id + `"><w:name w:val="` + name + `"/>` + more + `</w:style>`
	}
	list := func(level, id string) string {
		return `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + id + `"/></w:numPr>`
	}
	cell := func(properties, text string) string {
		return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + p("", text) + `</w:tc>`
	}
	body := p(`<w:pStyle w:val="Titel"/>`, "Lease ", "agreement") +
		p(`<w:pStyle w:val="TOC1"/>`, "1 Rent ........ 2") +
		p(`<w:pStyle w:val="berschrift1"/>`, "Rent") +
		`<w:p>` + r("The rent is ") + `<w:del w:author="A"><w:r><w:delText>900</w:delText></w:r></w:del><w:ins w:author="A">` + r("950") + `</w:ins>` +
		r(" euros a month") + `<w:r><w:footnoteReference w:id="2"/></w:r>` + r(", see ") + `<w:hyperlink r:id="rId9">` + r("the rent index") + `</w:hyperlink>` + r(".") +
		`<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:commentRangeStart w:id="1"/><w:r><w:commentReference w:id="1"/></w:r></w:p>` +
		`<w:p><w:pPr><w:rPr><w:del w:author="A"/></w:rPr></w:pPr>` + r("It is due on the ") + `</w:p>` + p("", "third working day.") +
		p(`<w:pStyle w:val="berschrift1"/>`, "Duties") +
		p(list("0", "1"), "Keep the house clean") + p(list("1", "1"), "the stairs") + p(list("1", "1"), "the *cellar*") + p(list("0", "1"), "Be quiet after ten") +
		p(list("0", "2"), "Bring keys") + p(list("0", "2"), "Bring a form") +
		p(`<w:outlineLvl w:val="1"/>`, "Deposit") +
		`<w:tbl><w:tblPr/><w:tr>` + cell("", "Kind") + cell("", "Due") + cell("", "Euros") + `</w:tr>` +
		`<w:tr>` + cell(`<w:vMerge w:val="restart"/>`, "Deposit") + cell("", "at once") + cell("", "950") + `</w:tr>` +
		`<w:tr>` + cell(`<w:vMerge/>`, "") + cell("", "in May | June") + cell("", "950") + `</w:tr>` +
		`<w:tr><w:trPr><w:del w:author="A"/></w:trPr>` + cell("", "gone") + cell("", "gone") + cell("", "gone") + `</w:tr>` +
		`<w:tr>` + cell(`<w:gridSpan w:val="2"/>`, "Sum") + cell("", "1,900") + `</w:tr></w:tbl>` +
		`<w:p><w:r><w:lastRenderedPageBreak/></w:r>` + r("# Not a heading, and 3 &lt; 4 but a &lt;b&gt; tag") + `</w:p>` +
		`<w:p><w:r><mc:AlternateContent><mc:Choice><wps:txbx><w:txbxContent>` + p("", "Text in a box.") + `</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:txbxContent>` + p("", "Text in a box.") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>` +
		`<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Signed by both</w:t></w:r></w:p>`
	return docxOf(body,
		entry{"word/_rels/document.xml.rels", relationsXML("rId1", "styles", "styles.xml", "rId2", "numbering", "numbering.xml", "rId3", "footnotes", "footnotes.xml", "rId9", "hyperlink", "https://example.com/index(2026)")},
		entry{"word/styles.xml", xmlHead + `<w:styles` + wordXML + `>` +
			style("Titel", "Title", "") + style("TOC1", "toc 1", "") + style("Standard", "Normal", "") +
			style("berschrift1", "Überschrift 1", `<w:basedOn w:val="Standard"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr>`) + `</w:styles>`},
		entry{"word/numbering.xml", xmlHead + `<w:numbering` + wordXML + `>` +
			`<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl></w:abstractNum>` +
			`<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl></w:abstractNum>` +
			`<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="§ %1"/></w:lvl></w:abstractNum>` +
			`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num></w:numbering>`},
		entry{"word/footnotes.xml", xmlHead + `<w:footnotes` + wordXML + `><w:footnote w:id="0" w:type="separator">` + p("") + `</w:footnote><w:footnote w:id="2">` + p("", "Without heating.") + `</w:footnote></w:footnotes>`},
		entry{"word/comments.xml", xmlHead + `<w:comments` + wordXML + `><w:comment w:id="1">` + p("", "Is that legal?") + `</w:comment></w:comments>`},
	)
}

const slideXML = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`

func shapeXML(kind, paragraphs string) string {
	placeholder := ""
	if kind != "" {
		placeholder = `<p:ph type="` + kind + `"/>`
	}
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>` + placeholder + `</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>` + paragraphs + `</p:txBody></p:sp>`
}

func line1(level, text string) string {
	return `<a:p><a:pPr lvl="` + level + `"/><a:r><a:rPr/><a:t>` + text + `</a:t></a:r></a:p>`
}

func slideOf(shapes string, attributes string) string {
	return xmlHead + `<p:sld` + slideXML + attributes + `><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>` + shapes + `</p:spTree></p:cSld></p:sld>`
}

// pptxOf packs slides in the order of their relations rId1, rId2, rId3.
func pptxOf(order string, more ...entry) []byte {
	return zipOf(append([]entry{
		{"_rels/.rels", relationsXML("rId1", "officeDocument", "ppt/presentation.xml")},
		{"ppt/presentation.xml", xmlHead + `<p:presentation` + slideXML + `><p:sldIdLst>` + order + `</p:sldIdLst></p:presentation>`},
		{"ppt/_rels/presentation.xml.rels", relationsXML("rId1", "slide", "slides/slide1.xml", "rId2", "slide", "slides/slide2.xml", "rId3", "slide", "slides/slide3.xml")},
	}, more...)...)
}

// pitch is a PPTX that shows its second slide first, with notes, bullets,
// a table, a group and a hidden slide.
func pitch() []byte {
	tableXML := `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody>` + line1("0", "Plan") + `</a:txBody></a:tc><a:tc><a:txBody>` + line1("0", "Price") + `</a:txBody></a:tc></a:tr>` +
		`<a:tr><a:tc><a:txBody>` + line1("0", "Basic") + `</a:txBody></a:tc><a:tc><a:txBody>` + line1("0", "9 €") + line1("0", "a month") + `</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	return pptxOf(`<p:sldId id="257" r:id="rId2"/><p:sldId id="256" r:id="rId1"/><p:sldId id="258" r:id="rId3"/>`,
		entry{"ppt/slides/slide1.xml", slideOf(
			shapeXML("title", line1("0", "How it works"))+
				shapeXML("body", line1("0", "Upload your documents")+line1("1", "PDF and Word")+line1("1", "web pages")+line1("0", "Ask questions"))+
				`<p:grpSp>`+shapeXML("", line1("0", "A note in a group"))+`</p:grpSp>`+tableXML+
				shapeXML("sldNum", line1("0", "2")), "")},
		entry{"ppt/slides/_rels/slide1.xml.rels", relationsXML("rId1", "notesSlide", "../notesSlides/notesSlide1.xml")},
		entry{"ppt/notesSlides/notesSlide1.xml", xmlHead + `<p:notes` + slideXML + `><p:cSld><p:spTree>` + shapeXML("body", line1("0", "Say that uploads take a minute.")) + shapeXML("sldNum", line1("0", "1")) + `</p:spTree></p:cSld></p:notes>`},
		entry{"ppt/slides/slide2.xml", slideOf(shapeXML("ctrTitle", line1("0", "Parley for hotels"))+shapeXML("subTitle", line1("0", "Spring 2026")), "")},
		entry{"ppt/slides/slide3.xml", slideOf(shapeXML("title", line1("0", "Secret plans")), ` show="0"`)},
	)
}

// prices is an XLSX with several sheets, formulas, dates, merged cells and a
// hidden sheet.
func prices() []byte {
	f := excelize.NewFile()
	defer f.Close()
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(f.SetSheetName("Sheet1", "Prices"))
	must(f.SetSheetRow("Prices", "A1", &[]any{"Price list 2026"}))
	must(f.MergeCell("Prices", "A1", "D1"))
	must(f.SetSheetRow("Prices", "A3", &[]any{"Group", "Article", "Since", "Net", "Gross"}))
	date, err := f.NewStyle(&excelize.Style{CustomNumFmt: ptr("yyyy-mm-dd")})
	must(err)
	money, err := f.NewStyle(&excelize.Style{CustomNumFmt: ptr(`#,##0.00`)})
	must(err)
	for i, article := range []string{"Screw", "Dowel", "Nail"} {
		row := 4 + i
		cell := func(column string) string { name, _ := excelize.JoinCellName(column, row); return name }
		must(f.SetCellValue("Prices", cell("B"), article))
		must(f.SetCellValue("Prices", cell("C"), time.Date(2026, time.Month(i+1), 5, 0, 0, 0, 0, time.UTC)))
		must(f.SetCellStyle("Prices", cell("C"), cell("C"), date))
		must(f.SetCellValue("Prices", cell("D"), 1000.5*float64(i+1)))
		must(f.SetCellValue("Prices", cell("E"), 1190.595*float64(i+1)))
		must(f.SetCellFormula("Prices", cell("E"), "D"+cell("")+"*1.19"))
		must(f.SetCellStyle("Prices", cell("D"), cell("E"), money))
	}
	must(f.SetCellValue("Prices", "A4", "Small parts"))
	must(f.MergeCell("Prices", "A4", "A6"))
	_, err = f.NewSheet("Opening hours")
	must(err)
	must(f.SetSheetRow("Opening hours", "B2", &[]any{"Day", "From", "To"}))
	must(f.SetSheetRow("Opening hours", "B3", &[]any{"Monday", "07:00", "19:00"}))
	must(f.SetSheetRow("Opening hours", "B4", &[]any{"Sunday", "closed | by request"}))
	_, err = f.NewSheet("Internal")
	must(err)
	must(f.SetCellValue("Internal", "A1", "secret margin"))
	must(f.SetSheetVisible("Internal", false))
	var b bytes.Buffer
	must(f.Write(&b))
	// Spreadsheet programs store the results of formulas as numbers; the
	// library stores them as text.
	return rewrite(b.Bytes(), "xl/worksheets/sheet1.xml", func(xml string) string {
		return regexp.MustCompile(`(<c r="E[0-9]" s="[0-9]+") t="str"`).ReplaceAllString(xml, "$1")
	})
}

func ptr(s string) *string { return &s }

// novel is an EPUB of three chapters, one of which the spine names twice.
func novel() []byte {
	return epubOf(`<itemref idref="c1"/><itemref idref="c2"/><itemref idref="c3"/><itemref idref="c1"/>`,
		entry{"OEBPS/text/c1.xhtml", `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>The harbour</h1><p>It was late, and the light<a id="p1"/> was out. See <a href="c2.xhtml#x">the next chapter</a>.</p></body></html>`},
		entry{"OEBPS/text/c2.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>II</title></head><body><h1>The sea</h1><p>Waves, and nothing else.</p><table><tr><th>Day</th><th>Wind</th></tr><tr><td>1</td><td>west</td></tr></table></body></html>`},
		entry{"OEBPS/text/c 3.xhtml", `<html><head><title>III</title></head><body><p>No heading here, but a second book.</p></body></html>`},
	)
}

func epubOf(spine string, chapters ...entry) []byte {
	return zipOf(append([]entry{
		{"mimetype", "application/epub+zip"},
		{"META-INF/container.xml", xmlHead + `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`},
		{"OEBPS/book.opf", xmlHead + `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Lights out</dc:title></metadata><manifest>` +
			`<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="c1" href="text/c1.xhtml" media-type="application/xhtml+xml"/><item id="c2" href="text/c2.xhtml" media-type="application/xhtml+xml"/><item id="c3" href="text/c%203.xhtml" media-type="application/xhtml+xml"/>` +
			`</manifest><spine>` + spine + `</spine></package>`},
	}, chapters...)...)
}
