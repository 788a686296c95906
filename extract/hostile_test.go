package extract

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
)

// hostile are documents that try to exceed their limits. Extract must either read
// each without harm or refuse it with a sentence for its owner.
var hostile = []struct {
	name, file string
	body       func() []byte
	// want is part of the sentence; empty means that Extract reads the document.
	want string
}{
	{"42.zip", "42.docx", bomb42, "not a DOCX file"},
	{"42.zip within a DOCX", "a.docx", func() []byte { return docxOf(p("", "Text"), entry{"word/embeddings/42.zip", string(bomb42())}) }, ""},
	{"an archive that declares a gigabyte", "a.docx", func() []byte { return declaring("word/media/a.bin", 1<<30, nil) }, "unpacks to more than 200 MB"},
	{"an archive packed a thousand times", "a.docx", func() []byte { return docxOf("", zeros("word/media/a.bin", 30<<20)) }, "300 times its size"},
	{"an entry whose header lies about its size", "a.docx", lyingEntry, "damaged"},
	{"a name that leads out of the archive", "a.docx", func() []byte { return docxOf(p("", "x"), entry{"../../etc/passwd", "x"}) }, "leads out of it"},
	{"an absolute name", "a.docx", func() []byte { return docxOf(p("", "x"), entry{`C:\boot.ini`, "x"}) }, "leads out of it"},
	{"an archive of 25,000 files", "a.xlsx", manyEntries, "more than 20,000 files"},
	{"nested gzip", "a.html", nestedGzip, "compressed with gzip"},
	{"an archive that holds itself", "a.pptx", quine, "not a PPTX file"},
	{"billion laughs", "a.docx", func() []byte { return zipOf(entry{"word/document.xml", laughs}) }, "damaged"},
	{"an external entity", "a.docx", func() []byte {
		return zipOf(entry{"word/document.xml", `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:p><w:r><w:t>&e;</w:t></w:r></w:p>`})
	}, "damaged"},
	{"XML of 100,000 levels", "a.docx", func() []byte { return docxOf(strings.Repeat("<w:p>", 100_000) + strings.Repeat("</w:p>", 100_000)) }, "damaged"},
	{"slides of 100,000 levels", "a.pptx", func() []byte {
		return pptxOf(`<p:sldId id="1" r:id="rId1"/>`, entry{"ppt/slides/slide1.xml", slideOf(strings.Repeat("<p:grpSp>", 100_000)+strings.Repeat("</p:grpSp>", 100_000), "")})
	}, "damaged"},
	{"a slide that is listed 100,000 times", "a.pptx", func() []byte {
		return pptxOf(strings.Repeat(`<p:sldId id="1" r:id="rId1"/>`, 100_000), entry{"ppt/slides/slide1.xml", slideOf(shapeXML("", line1("0", "once")), "")})
	}, ""},
	{"styles that are based on one another", "a.docx", func() []byte {
		return docxOf(p(`<w:pStyle w:val="a"/>`, "Text"), entry{"word/_rels/document.xml.rels", relationsXML("r", "styles", "styles.xml")},
			entry{"word/styles.xml", `<w:styles><w:style w:type="paragraph" w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:type="paragraph" w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>`})
	}, ""},
	{"100,000 fields that never end", "a.docx", func() []byte {
		return docxOf(strings.Repeat(par(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`, r("x")), 100_000))
	}, ""},
	{"fractions of 60 levels", "a.docx", func() []byte {
		return docxOf(strings.Repeat(par(formula(strings.Repeat("<m:f><m:num>", 60)+mr("1")+strings.Repeat("</m:num></m:f>", 60))), 1_000))
	}, ""},
	{"text between 1,000,000 comments", "a.docx", func() []byte { return docxOf(par(r(strings.Repeat("a<!-- "+"-->", 1_000_000)))) }, ""},
	{"documents within documents", "a.docx", func() []byte {
		body := chunkOf("a.docx", "x")
		for range 20 {
			body = chunkOf("a.docx", string(body))
		}
		return body
	}, ""},
	{"a row that leaves out a billion columns", "a.docx", func() []byte {
		return docxOf(`<w:tbl>` + strings.Repeat(`<w:tr><w:trPr><w:gridBefore w:val="1000000000"/><w:gridAfter w:val="1000000000"/></w:trPr>`+cellsOf("x")+`</w:tr>`, 1_000) + `</w:tbl>`)
	}, ""},
	{"a rooted name that leads out of the archive", "a.docx", func() []byte { return docxOf(p("", "x"), entry{`\..\etc\passwd`, "x"}) }, "leads out of it"},
	{"a PDF of 10,000 nested arrays", "a.pdf", func() []byte {
		return pdfFile{pages: []string{text(50, 700, 12, "F", "Text")}, extra: map[int]string{700: strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), 1: "<< /Type /Catalog /Pages 2 0 R /Names 700 0 R >>"}}.bytes()
	}, ""},
	{"a PDF of 10,000 nested dictionaries as its catalog", "a.pdf", func() []byte {
		return pdfFile{pages: []string{""}, extra: map[int]string{1: strings.Repeat("<< /A ", 10_000) + "1" + strings.Repeat(" >>", 10_000)}}.bytes()
	}, "damaged"},
	{"a PDF that claims a billion pages", "a.pdf", func() []byte {
		return pdfFile{pages: []string{text(50, 700, 12, "F", "Text")}, extra: map[int]string{2: "<< /Type /Pages /Kids [5 0 R] /Count 1000000000 >>"}}.bytes()
	}, ""},
	{"a PDF with a cycle in its page tree", "a.pdf", func() []byte {
		return pdfFile{pages: []string{""}, extra: map[int]string{2: "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"}}.bytes()
	}, "PDF"},
	{"a PDF whose form draws itself", "a.pdf", func() []byte {
		return pdfFile{pages: []string{text(50, 700, 12, "F", "Text") + "/Im Do"}, extra: map[int]string{900: stream("/Type /XObject /Subtype /Form /BBox [0 0 500 500] /Resources << /XObject << /Im 900 0 R >> >>", strings.Repeat("/Im Do ", 100))}}.bytes()
	}, "Reading "},
	{"a truncated PDF", "a.pdf", func() []byte { return plainPDF()[:300] }, "PDF"},
	{"a sheet that declares every cell and has two", "a.xlsx", func() []byte {
		return sheetWith(`<dimension ref="A1:XFD1048576"/>`, `<row r="1"><c r="A1" t="inlineStr"><is><t>first</t></is></c></row><row r="200000"><c r="XFD200000" t="inlineStr"><is><t>last</t></is></c></row>`, `<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`)
	}, ""},
	{"a sheet of 450,000 identical rows", "a.xlsx", func() []byte { return sheetWith("", strings.Repeat(sheetRow, 450_000), "") }, "300 times its size"},
	{"a sheet of 101,000 rows", "a.xlsx", func() []byte { return sheetWith("", strings.Repeat(sheetRow, 101_000), "") }, `The sheet "S" has more than 100,000 rows.`},
	{"a row beyond the last", "a.xlsx", func() []byte { return sheetWith("", `<row r="2000000000"><c r="A2000000000"><v>1</v></c></row>`, "") }, "XLSX"},
	{"HTML nested 1,000,000 deep", "a.html", func() []byte { return []byte("<html><body>" + strings.Repeat("<div>", 1_000_000) + "x") }, "too deep"},
	{"HTML of 10 MB in one line", "a.html", func() []byte { return []byte("<html><body><p>" + strings.Repeat("word ", 2<<20)) }, "larger than 5 MB"},
	{"200,000 empty elements", "a.html", func() []byte { return []byte("<html><body>Text" + strings.Repeat("<p></p><br>", 100_000)) }, ""},
	{"a table cell of a billion columns", "a.html", func() []byte {
		return []byte("<html><body><table><tr><td colspan=1000000000 rowspan=1000000000>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>")
	}, ""},
	{"a CSV of a million columns", "a.csv", func() []byte { return []byte(strings.Repeat("a,", 1_000_000) + "\n1,2\n") }, "more than 1,000 columns"},
	{"a CSV of 200,000 rows", "a.csv", func() []byte { return []byte("a,b\n" + strings.Repeat("1,2\n", 200_000)) }, "more than 100,000 rows"},
	{"a quote that never ends", "a.csv", func() []byte { return []byte("a,b\n\"" + strings.Repeat("x,\n", 1_000_000)) }, "more than 100,000 rows"},
	{"JSON of 1,000,000 levels", "a.json", func() []byte { return []byte(`[{"question":` + strings.Repeat("[", 1_000_000)) }, ""},
	{"a book whose spine is a circle", "a.epub", func() []byte {
		return epubOf(strings.Repeat(`<itemref idref="c1"/>`, 100_000), entry{"OEBPS/text/c1.xhtml", "<p>Once.</p>"})
	}, ""},
	{"a book whose chapter is its list of chapters", "a.epub", func() []byte {
		return zipOf(entry{"META-INF/container.xml", `<c><rootfile full-path="META-INF/container.xml"/></c>`})
	}, "no text"},
	{"a file of zeros", "a.bin", func() []byte { return make([]byte, 1<<20) }, "cannot read files of this kind"},
	{"an old Word file", "a.doc", func() []byte { return []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600)) }, "old version of Office"},
	{"text called DOCX", "a.docx", func() []byte { return []byte("just text") }, "This file is not a DOCX file, although its name says so."},
	{"nothing", "a.txt", func() []byte { return nil }, "empty"},
}

func TestHostile(t *testing.T) {
	e := newExtractor(t, Limits{Time: time.Minute, Memory: 400 << 20})
	for _, h := range hostile {
		t.Run(h.name+" does no harm", func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			result, err := e.Extract(t.Context(), Input{Name: h.file, Body: h.body()})
			t.Logf("%s: %v, %d bytes, %v", h.name, time.Since(start).Round(time.Millisecond), len(result.Markdown), err)
			if h.want == "" {
				if err != nil || result.Markdown == "" {
					t.Fatalf("got %v and %d bytes, want a result", err, len(result.Markdown))
				}
				return
			}
			if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
				t.Fatalf("got %v, want a fault that its owner can act on", err)
			}
			if message := fault.As(err).Message; !strings.Contains(message, h.want) || !strings.HasSuffix(message, ".") {
				t.Fatalf("the sentence is %q, want one with %q", message, h.want)
			}
		})
	}
}

// zeros is an entry that deflate packs a thousandfold.
func zeros(name string, n int) entry { return entry{name, string(make([]byte, n))} }

// bomb42 imitates 42.zip: nested archives, each of which holds the next many times.
func bomb42() []byte {
	inner := zipOf(zeros("0.dll", 4<<20))
	for range 3 {
		var entries []entry
		for i := range 16 {
			entries = append(entries, entry{fmt.Sprintf("lib %d.zip", i), string(inner)})
		}
		inner = zipOf(entries...)
	}
	return inner
}

// declaring builds an archive with an entry that declares a false size.
func declaring(name string, size uint64, body []byte) []byte {
	var packed, b bytes.Buffer
	f, _ := flate.NewWriter(&packed, 9)
	_, _ = f.Write(body)
	_ = f.Close()
	w := zip.NewWriter(&b)
	main, err := w.Create("word/document.xml")
	if err != nil {
		panic(err)
	}
	_, _ = main.Write([]byte(p("", "Text")))
	raw, err := w.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(body),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: size,
	})
	if err != nil {
		panic(err)
	}
	_, _ = raw.Write(packed.Bytes())
	_ = w.Close()
	return b.Bytes()
}

// lyingEntry is a DOCX whose notes declare 100 bytes and hold 4 MB.
func lyingEntry() []byte {
	archive := declaring("word/styles.xml", 100, []byte(strings.Repeat(p("", "lies"), 1<<16)))
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, file := range files.File {
		if err := w.Copy(file); err != nil {
			panic(err)
		}
	}
	relations, _ := w.Create("word/_rels/document.xml.rels")
	_, _ = relations.Write([]byte(relationsXML("r", "styles", "styles.xml")))
	_ = w.Close()
	return b.Bytes()
}

func manyEntries() []byte {
	entries := []entry{{"xl/workbook.xml", "<x/>"}}
	for i := range 25_000 {
		entries = append(entries, entry{fmt.Sprint(i), ""})
	}
	return zipOf(entries...)
}

func nestedGzip() []byte {
	body := make([]byte, 1<<20)
	for range 5 {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body)
		_ = w.Close()
		body = b.Bytes()
	}
	return body
}

// quine builds an archive that holds its own beginning as an entry.
func quine() []byte {
	self := zipOf(entry{"r.zip", ""})
	for range 5 {
		self = zipOf(entry{"r.zip", string(self)})
	}
	return self
}

const sheetRow = `<row><c t="inlineStr"><is><t>x</t></is></c></row>`

const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;"><!ENTITY lol2 "&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;">]><w:p><w:r><w:t>&lol2;</w:t></w:r></w:p>`

// sheetWith is a workbook of one sheet.
func sheetWith(before, rows, after string) []byte {
	const ns = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	return zipOf(
		entry{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		entry{"_rels/.rels", relationsXML("rId1", "officeDocument", "xl/workbook.xml")},
		entry{"xl/workbook.xml", xmlHead + `<workbook` + ns + `><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`},
		entry{"xl/_rels/workbook.xml.rels", relationsXML("rId1", "worksheet", "worksheets/sheet1.xml")},
		entry{"xl/worksheets/sheet1.xml", xmlHead + `<worksheet` + ns + `>` + before + `<sheetData>` + rows + `</sheetData>` + after + `</worksheet>`},
	)
}
