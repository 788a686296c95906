package extract

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"parley/core/knowledge"
)

func run(properties, content string) string {
	return `<w:r><w:rPr>` + properties + `</w:rPr>` + content + `</w:r>`
}

func wt(text string) string { return `<w:t xml:space="preserve">` + text + `</w:t>` }

func par(runs ...string) string { return `<w:p>` + strings.Join(runs, "") + `</w:p>` }

func formula(content string) string { return `<m:oMath>` + content + `</m:oMath>` }

func mr(text string) string { return `<m:r><m:t>` + text + `</m:t></m:r>` }

func fieldOf(code, result string) string {
	f := `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ` + code + ` </w:instrText></w:r>`
	if result != "" {
		f += `<w:r><w:fldChar w:fldCharType="separate"/></w:r>` + result
	}
	return f + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

func cellsOf(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(`<w:tc>` + par(r(text)) + `</w:tc>`)
	}
	return b.String()
}

// chunkOf is a DOCX into which a program put a file.
func chunkOf(name, body string) []byte {
	return docxOf(par(r("Before."))+`<w:altChunk r:id="c"/>`+par(r("After.")),
		entry{"word/_rels/document.xml.rels", relationsXML("c", "aFChunk", name)}, entry{"word/" + name, body})
}

// listOfParagraphs is a DOCX with numbered paragraphs, each a level and a text, of instance 2.
func listOfParagraphs(numbering, styles string, items ...string) []byte {
	var body strings.Builder
	for _, item := range items {
		body.WriteString(p(`<w:numPr><w:ilvl w:val="`+item[:1]+`"/><w:numId w:val="2"/></w:numPr>`, item[1:]))
	}
	return docxOf(body.String(), entry{"word/_rels/document.xml.rels", relationsXML("n", "numbering", "numbering.xml", "s", "styles", "styles.xml")},
		entry{"word/numbering.xml", `<w:numbering` + wordXML + `>` + numbering + `</w:numbering>`},
		entry{"word/styles.xml", `<w:styles` + wordXML + `>` + styles + `</w:styles>`})
}

func lvl(level, format, text, more string) string {
	return `<w:lvl w:ilvl="` + level + `"><w:start w:val="1"/><w:numFmt w:val="` + format + `"/><w:lvlText w:val="` + text + `"/>` + more + `</w:lvl>`
}

const numOf2 = `<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>`

func abstract(levels string) string {
	return `<w:abstractNum w:abstractNumId="2">` + levels + `</w:abstractNum>` + numOf2
}

func TestDOCXKeeps(t *testing.T) {
	micro := `<w:sym w:font="Symbol" w:char="F06D"/>`
	fraction := `<m:f><m:num>` + mr("1") + `</m:num><m:den>` + mr("2") + `</m:den></m:f>`
	sup := `<w:vertAlign w:val="superscript"/>`
	sub := `<w:vertAlign w:val="subscript"/>`
	for _, c := range []struct {
		name, body string
		want       string
	}{
		{"a symbol in a font of symbols", par(r("Give 5 "), run("", micro), r("g")), "Give 5 μg"},
		{"a check box of Wingdings", par(run("", `<w:sym w:font="Wingdings" w:char="F0FE"/>`), r(" paid")), "☑ paid"},
		{"a private character without a font", par(r("never \uf0b3 8 g")), "never ≥ 8 g"},
		{"letters whose font is Symbol", par(r("5 "), run(`<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>`, wt("m")), r("g")), "5 μg"},
		{"a field of a symbol", par(r("5 "), fieldOf(`SYMBOL 163 \f "Symbol"`, ""), r(" 8")), "5 ≤ 8"},
		{"a symbol that newer programs choose", par(r("Take "), run("", `<mc:AlternateContent><mc:Choice Requires="w16se"><w16se:symEx w16se:font="Segoe UI Emoji" w16se:char="2615"/></mc:Choice><mc:Fallback><w:t>?</w:t></mc:Fallback></mc:AlternateContent>`)), "Take ☕"},
		{"that a symbol is of an unknown font", par(r("a "), run("", `<w:sym w:font="House Icons" w:char="F041"/>`)), "a �"},

		{"a fraction", par(r("Take "), formula(fraction), r(" tablet")), "Take 1/2 tablet"},
		{"a whole number before a fraction", par(r("Take 1"), formula(fraction), r(" tablets")), "Take 1 1/2 tablets"},
		{"a fraction before a letter", par(formula(fraction + mr("x"))), "1/2 x"},
		{"the operands of a fraction", par(formula(`<m:f><m:num>` + mr("a+b") + `</m:num><m:den>` + mr("2c") + `</m:den></m:f>`)), "(a+b)/(2c)"},
		{"a power of ten", par(formula(`<m:sSup><m:e>` + mr("10") + `</m:e><m:sup>` + mr("6") + `</m:sup></m:sSup>`)), "10^6"},
		{"a root", par(formula(`<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>` + mr("a+b") + `</m:e></m:rad>`)), "√(a+b)"},
		{"a sum with its limits", par(formula(`<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>` + mr("i=1") + `</m:sub><m:sup>` + mr("n") + `</m:sup><m:e>` + mr("i") + `</m:e></m:nary>`)), "∑_(i=1)ⁿ i"},
		{"a fraction of raised digits", par(r("Add 1"), run(sup, wt("3")), r("/"), run(sub, wt("4")), r(" cup")), "Add 1 3/4 cup"},
		{"a fraction in an EQ field", par(r("Take "), fieldOf(`EQ \f(1,2)`, ""), r(" tablet")), "Take 1/2 tablet"},
		{"raised digits in several runs", par(r("10"), run(sup, wt("1")), run(sup, wt("2"))), "10^12"},
		{"lowered digits", par(r("H"), run(sub, wt("2")), r("O")), "H₂O"},
		{"digits that somebody raised by hand", par(r("45 m"), run(`<w:position w:val="6"/>`, wt("2"))), "45 m²"},

		{"the address of a field", par(r("Book "), fieldOf(`HYPERLINK "https://a.example/rooms" \o "Rooms"`, r("here")), r(".")), "Book [here](https://a.example/rooms)."},
		{"the address of a simple field", par(r("Book "), `<w:fldSimple w:instr=' HYPERLINK "https://a.example/b" '>`+r("here")+`</w:fldSimple>`), "Book [here](https://a.example/b)"},
		{"the place within an address", par(fieldOf(`HYPERLINK "https://a.example/b" \l "fees"`, r("fees"))), "[fees](https://a.example/b#fees)"},
		{"a field within a field's code", par(fieldOf(`HYPERLINK "`+`</w:instrText></w:r>`+fieldOf("MERGEFIELD Site", r("https://a.example/m"))+`<w:r><w:instrText>"`, r("site"))), "[site](https://a.example/m)"},
		{"the result of a reference", par(r("see "), fieldOf(`REF _Ref1 \h`, r("section 4"))), "see section 4"},
		{"a telephone number", par(fieldOf(`HYPERLINK "tel:+4930123"`, r("Call us"))), "Call us (+4930123)"},
		{"a link over two paragraphs", `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "https://a.example/t"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + r("one") + `</w:p>` + par(r("two"), `<w:r><w:fldChar w:fldCharType="end"/></w:r>`), "[one](https://a.example/t)\n\n[two](https://a.example/t)"},
		{"the text behind a field that never ends", par(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`, r("text")), "text"},
		{"a check box of a form", par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`, r(" breakfast")), "☒ breakfast"},
		{"the choice in a form", par(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`), "blue"},
		{"a content control's value", par(r("Color: "), `<w:sdt><w:sdtPr><w:dropDownList/></w:sdtPr><w:sdtContent>`+r("blue")+`</w:sdtContent></w:sdt>`), "Color: blue"},

		{"what is struck out as that", par(r("Now "), run(`<w:strike/>`, wt("99 ")), run(`<w:strike/>`, wt("euros")), r(" 79 euros")), "Now ~~99 euros~~ 79 euros"},
		{"what was deleted out, and what was inserted in", par(`<w:ins>`+r("79")+`</w:ins><w:del><w:r><w:delText>99</w:delText></w:r></w:del>`, r(" euros")), "79 euros"},
		{"text with its pronunciation", par(run("", `<w:ruby><w:rt>`+r("とうきょう")+`</w:rt><w:rubyBase>`+r("東京")+`</w:rubyBase></w:ruby>`)), "東京(とうきょう)"},
		{"a paragraph whose mark was deleted at the end", `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>` + r("The end.") + `</w:p>`, "The end."},

		{"a cell behind skipped columns in its column", `<w:tbl><w:tr>` + cellsOf("Room", "Weekday", "Weekend") + `</w:tr><w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>` + cellsOf("110") + `</w:tr></w:tbl>`, "|  |  | 110 |"},
		{"the columns that a row leaves out at its end", `<w:tbl><w:tr><w:trPr><w:gridAfter w:val="1"/></w:trPr>` + cellsOf("a", "b") + `</w:tr><w:tr>` + cellsOf("c", "d", "e") + `</w:tr></w:tbl>`, "| a | b |  |"},
		{"a merge of rows behind a skipped column", `<w:tbl><w:tr>` + cellsOf("a", "b") + `</w:tr><w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`, "|  | b |"},
		{"a merge of columns in the old form", `<w:tbl><w:tr>` + cellsOf("a", "b") + `</w:tr><w:tr>` + cellsOf("c") + `<w:tc><w:tcPr><w:hMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`, "| c | c |"},
		{"a text box in a cell", `<w:tbl><w:tr>` + cellsOf("a", "b") + `</w:tr><w:tr>` + cellsOf("c") + `<w:tc>` + par(run("", `<w:pict><w:txbxContent>`+par(r("boxed"))+`</w:txbxContent></w:pict>`)) + `</w:tc></w:tr></w:tbl>`, "| c | boxed |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantText(t, knowledge.DOCX, docxOf(c.body), c.want)
		})
	}
}

func TestDOCXReadsEmbeddedDocuments(t *testing.T) {
	inner := string(docxOf(par(r("A new battery costs 89 euros."))))
	for _, c := range []struct{ name, file, body, want string }{
		{"a page", "a.html", "<html><body><h1>Repairs</h1><p>A new battery costs 89 euros.</p></body></html>", "# Repairs\n\nA new battery costs 89 euros."},
		{"a web archive", "a.mht", "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html; charset=\"utf-8\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>It costs 89=E2=82=AC.</p>\r\n--b--\r\n", "It costs 89€."},
		{"plain text", "a.txt", "It costs 89 euros.\r\nAsk us.", "It costs 89 euros.\n\nAsk us."},
		{"RTF", "a.rtf", `{\rtf1\ansi{\fonttbl{\f0 Arial;}}\pard It costs 89 \u8364?\'a3.\par Ask {\b us}.}`, "It costs 89 €£.\n\nAsk us."},
		{"a DOCX", "a.docx", inner, "A new battery costs 89 euros."},
		{"or says that it did not read one", "a.bin", "\x01\x02\x03", "[Not read: a.bin]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantText(t, knowledge.DOCX, chunkOf(c.file, c.body), "Before.\n\n"+c.want+"\n\nAfter.")
		})
	}
}

func TestDOCXNumbersAsShown(t *testing.T) {
	steps := `<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="Steps"/>` + lvl("0", "decimal", "%1.", "") + `</w:abstractNum><w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="Steps"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>` + numOf2
	style := `<w:style w:type="numbering" w:styleId="Steps"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`
	for _, c := range []struct {
		name string
		body []byte
		want string
	}{
		{"by a linked list style", listOfParagraphs(steps, style, "0Hold", "0Wait"), "1. Hold\n2. Wait"},
		{"by a linked style that is a circle", listOfParagraphs(strings.ReplaceAll(steps, "styleLink", "x"), strings.ReplaceAll(style, `numId w:val="1"`, `numId w:val="2"`), "0Hold"), "Hold"},
		{"on several levels", listOfParagraphs(abstract(lvl("0", "decimal", "%1.", "")+lvl("1", "decimal", "%1.%2", "")), "", "0A", "1B", "1C", "0D", "1E"), "1. A\n    - 1.1 B\n    - 1.2 C\n2. D\n    - 2.1 E"},
		{"with letters and Roman numerals", listOfParagraphs(abstract(lvl("0", "upperRoman", "%1.", "")+lvl("1", "lowerLetter", "%2)", "")), "", "0A", "1B", "0C"), "- I. A\n    - a) B\n- II. C"},
		{"with an instance's own level", listOfParagraphs(`<w:abstractNum w:abstractNumId="2">`+lvl("0", "bullet", "-", "")+`</w:abstractNum><w:num w:numId="2"><w:abstractNumId w:val="2"/><w:lvlOverride w:ilvl="0">`+lvl("0", "upperLetter", "%1.", "")+`</w:lvlOverride></w:num>`, "", "0One", "0Two"), "- A. One\n- B. Two"},
		{"and counts empty items", listOfParagraphs(abstract(lvl("0", "decimal", "%1.", "")), "", "0One", "0", "0Three"), "1. One\n3. Three"},
		{"from zero", listOfParagraphs(abstract(strings.Replace(lvl("0", "decimal", "%1.", ""), `start w:val="1"`, `start w:val="0"`, 1)), "", "0Zero", "0One"), "0. Zero\n1. One"},
		{"with a level that goes on", listOfParagraphs(abstract(lvl("0", "decimal", "%1.", "")+lvl("1", "decimal", "Rule %2:", `<w:lvlRestart w:val="0"/>`)), "", "0A", "1B", "0C", "1D"), "    - Rule 1: B\n2. C\n    - Rule 2: D"},
		{"with check marks as bullets", listOfParagraphs(abstract(lvl("0", "bullet", "\uf0fc", `<w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr>`)), "", "0Pets"), "- ✓ Pets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantText(t, knowledge.DOCX, c.body, c.want)
		})
	}
	t.Run("in the cells of a table", func(t *testing.T) {
		item := func(text string) string {
			return `<w:tr><w:tc>` + p(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>`, "") + `</w:tc>` + cellsOf(text) + `</w:tr>`
		}
		body := docxOf(`<w:tbl><w:tr>`+cellsOf("No.", "Task")+`</w:tr>`+item("Sweep")+item("Mop")+`</w:tbl>`, entry{"word/_rels/document.xml.rels", relationsXML("n", "numbering", "numbering.xml")},
			entry{"word/numbering.xml", `<w:numbering` + wordXML + `>` + abstract(lvl("0", "decimal", "%1.", "")) + `</w:numbering>`})
		wantText(t, knowledge.DOCX, body, "| 2. | Mop |")
	})
}

// renamed returns an archive with other names.
func renamed(archive []byte, name func(string) string) []byte {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, file := range files.File {
		header := file.FileHeader
		header.Name = name(file.Name)
		packed, err := file.OpenRaw()
		if err != nil {
			panic(err)
		}
		to, err := w.CreateRaw(&header)
		if err != nil {
			panic(err)
		}
		if _, err := io.Copy(to, packed); err != nil {
			panic(err)
		}
	}
	_ = w.Close()
	return b.Bytes()
}

func TestArchivesMayNameTheirPartsOtherwise(t *testing.T) {
	backslashes := func(name string) string { return strings.ReplaceAll(name, "/", `\`) }
	rooted := func(name string) string { return "/" + name }
	for _, c := range []struct {
		name, file string
		body       []byte
		want       string
	}{
		{"backslashes in a DOCX", "a.docx", renamed(docxOf(par(r("The pool opens at nine."))), backslashes), "The pool opens at nine."},
		{"a slash before names", "a.docx", renamed(docxOf(par(r("The pool opens at nine."))), rooted), "The pool opens at nine."},
		{"backslashes in a workbook", "a.xlsx", renamed(sheetWith("", sheetRow, ""), backslashes), "x"},
		{"a slash before names of a workbook", "a.xlsx", renamed(sheetWith("", sheetRow, ""), rooted), "x"},
		{"backslashes in a book", "a.epub", renamed(novel(), backslashes), "Waves, and nothing else."},
		{"backslashes in a presentation", "a.pptx", renamed(pitch(), backslashes), "Ask questions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kind, err := Detect(Input{Name: c.file, Body: c.body})
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, kind, c.body, c.want)
		})
	}
}

func TestXMLMayNameItsType(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"of an old book", `<?xml version="1.0"?><!DOCTYPE package PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN" "http://openebook.org/dtds/oeb-1.2/oebpkg12.dtd">`, "Waves"},
		{"without an address", `<!DOCTYPE package>`, "Waves"},
		{"with declarations of elements", `<!DOCTYPE package [<!ELEMENT package ANY>]>`, "Waves"},
		{"but declare no entities", `<!DOCTYPE package [<!ENTITY a "b">]>`, ""},
		{"nor import them", `<!DOCTYPE package [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body := rewrite(novel(), "OEBPS/book.opf", func(xml string) string { return c.head + strings.TrimPrefix(xml, xmlHead) })
			if c.want != "" {
				wantText(t, knowledge.EPUB, body, c.want)
			} else if _, err := read(Input{Kind: knowledge.EPUB, Body: body}, Limits{}.OrDefault()); err == nil {
				t.Fatal("the book was read")
			}
		})
	}
}

func TestPPTXKeeps(t *testing.T) {
	slide := func(shapes string, more ...entry) []byte {
		return pptxOf(`<p:sldId id="256" r:id="rId1"/>`, append([]entry{{"ppt/slides/slide1.xml", slideOf(shapes, "")}}, more...)...)
	}
	ar := func(properties, text string) string {
		return `<a:r><a:rPr ` + properties + `/><a:t>` + text + `</a:t></a:r>`
	}
	chart := func(xml string) []byte {
		return slide(`<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame>`,
			entry{"ppt/slides/_rels/slide1.xml.rels", relationsXML("rId1", "chart", "../charts/chart1.xml")}, entry{"ppt/charts/chart1.xml", xml})
	}
	pts := func(cache, format string, values ...string) string {
		var b strings.Builder
		for i, v := range values {
			b.WriteString(`<c:pt idx="` + string(rune('0'+i)) + `"><c:v>` + v + `</c:v></c:pt>`)
		}
		return `<c:` + cache + `><c:formatCode>` + format + `</c:formatCode>` + b.String() + `</c:` + cache + `>`
	}
	series := func(name, cats, vals string) string {
		return `<c:ser><c:tx><c:strRef>` + pts("strCache", "", name) + `</c:strRef></c:tx><c:cat><c:strRef>` + cats + `</c:strRef></c:cat><c:val><c:numRef>` + vals + `</c:numRef></c:val></c:ser>`
	}
	chartOf := func(title, plot string) string {
		return `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p>` + ar("", title) + `</a:p></c:rich></c:tx></c:title><c:plotArea>` + plot + `</c:plotArea></c:chart></c:chartSpace>`
	}
	rooms := pts("strCache", "", "Standard", "Deluxe")
	for _, c := range []struct {
		name string
		body []byte
		want string
	}{
		{
			"the values of a chart", chart(chartOf("Prices", `<c:barChart>`+series("Night", rooms, pts("numCache", "General", "80", "120"))+series("Week", rooms, pts("numCache", `#,##0 "€"`, "500", "700"))+`</c:barChart>`)),
			"Prices\n\n|  | Night | Week |\n| --- | --- | --- |\n| Standard | 80 | 500 € |\n| Deluxe | 120 | 700 € |",
		},
		{"percentages of a chart", chart(chartOf("Share", `<c:pieChart>`+series("Share", rooms, pts("numCache", "0%", "0.25", "0.75"))+`</c:pieChart>`)), "| Deluxe | 75% |"},
		{"dates of a chart", chart(chartOf("Guests", `<c:lineChart>`+series("Guests", pts("numCache", "yyyy-mm-dd", "46023"), pts("numCache", "General", "12"))+`</c:lineChart>`)), "| 2026-01-01 | 12 |"},
		{"the points of a chart", chart(chartOf("Load", `<c:scatterChart><c:ser><c:xVal>`+pts("numCache", "", "1.5")+`</c:xVal><c:yVal>`+pts("numCache", "", "9")+`</c:yVal></c:ser></c:scatterChart>`)), "|  | 1.5 | 9 |"},
		{"a formula", slide(shapeXML("", `<a:p>`+ar("", "Per day: ")+`<mc:AlternateContent><mc:Choice><a14:m><m:oMath>`+mr("5 mg")+`</m:oMath></a14:m></mc:Choice><mc:Fallback/></mc:AlternateContent>`+ar("", " at most")+`</a:p>`)), "Per day: 5 mg at most"},
		{"raised and struck text", slide(shapeXML("", `<a:p>`+ar("", "45 m")+ar(`baseline="30000"`, "2")+ar("", " for ")+ar(`strike="sngStrike"`, "99")+ar("", " 79 euros")+`</a:p>`)), "45 m² for ~~99~~ 79 euros"},
		{"a symbol", slide(shapeXML("", `<a:p><a:r><a:rPr><a:sym typeface="Wingdings"/></a:rPr><a:t>`+"\uf0fc"+` paid</a:t></a:r></a:p>`)), "✓ paid"},
		{"numbers of steps", slide(shapeXML("body", strings.Repeat(`<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>`+ar("", "Step")+`</a:p>`, 2))), "1. Step\n2. Step"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantText(t, knowledge.PPTX, c.body, c.want)
		})
	}
}

func wantText(t *testing.T, kind knowledge.Kind, body []byte, want string) {
	t.Helper()
	result, err := read(Input{Kind: kind, Body: body}, Limits{}.OrDefault())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(result.Markdown, want) {
		t.Fatalf("got %q, want it to hold %q", result.Markdown, want)
	}
}
