package extract

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/knowledge"
)

// notesOn lists what a reader says that it did not read: "2 image, 1 chart".
func notesOn(result Result) string {
	var parts []string
	for _, note := range knowledge.NotesOf(result.Notes) {
		parts = append(parts, fmt.Sprintf("%d %s", note.Count, note.Kind))
	}
	return strings.Join(parts, ", ")
}

func TestUnread(t *testing.T) {
	words := par(r("The words."))
	wordRelations := func(of ...string) entry { return entry{"word/_rels/document.xml.rels", relationsXML(of...)} }
	slide := slideOf(shapeXML("title", line1("0", "Prices"))+shapeXML("body", line1("0", "Cheap")), "")
	sheets := func(more ...entry) []byte {
		return zipOf(append([]entry{
			{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
			{"_rels/.rels", relationsXML("rId1", "officeDocument", "xl/workbook.xml")},
			{"xl/workbook.xml", xmlHead + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Prices" sheetId="1" r:id="a"/><sheet name="Costs" sheetId="2" state="hidden" r:id="b"/></sheets></workbook>`},
			{"xl/_rels/workbook.xml.rels", relationsXML("a", "worksheet", "worksheets/sheet1.xml", "b", "worksheet", "worksheets/sheet2.xml", "c", "chartsheet", "chartsheets/sheet1.xml")},
			{"xl/chartsheets/sheet1.xml", "<chartsheet/>"},
			{"xl/worksheets/sheet1.xml", xmlHead + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Rye</t></is></c></row></sheetData><headerFooter><oddHeader>&amp;CRye only</oddHeader></headerFooter></worksheet>`},
			{"xl/worksheets/sheet2.xml", xmlHead + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>`},
		}, more...)...)
	}
	page := func(body string) []byte {
		return []byte("<html><body><main><p>The words.</p>" + body + "</main></body></html>")
	}
	for name, c := range map[string]struct {
		file string
		body []byte
		want string
	}{
		"a document of words": {"a.docx", docxOf(words), ""},
		"comments, pictures, files, headers with words and what has no name": {
			"a.docx", docxOf(words, wordRelations(
				"a", "comments", "comments.xml", "b", "image", "media/b.png", "c", "package", "embeddings/c.xlsx", "d", "header", "header1.xml", "e", "footer", "footer1.xml",
				"f", "hologram", "hologram.xml", "g", "image", "https://example.com/far.png", "h", "theme", "theme.xml", "i", "image", "media/missing.png"),
				entry{"word/comments.xml", `<w:comments` + wordXML + `><w:comment w:id="1">` + words + `</w:comment><w:comment w:id="2">` + words + `</w:comment></w:comments>`},
				entry{"word/media/b.png", "png"}, entry{"word/embeddings/c.xlsx", "xlsx"}, entry{"word/hologram.xml", "<x/>"}, entry{"word/theme.xml", "<x/>"},
				entry{"word/header1.xml", `<w:hdr` + wordXML + `>` + words + `</w:hdr>`}, entry{"word/footer1.xml", `<w:ftr` + wordXML + `>` + par(r(" ")) + `</w:ftr>`}),
			"2 image, 2 comment, 1 header_or_footer, 1 embedded_file, 1 part",
		},
		"a chart without data": {"a.docx", docxOf(words+par(`<w:r><w:drawing><a:graphicData><c:chart r:id="a"/></a:graphicData></w:drawing></w:r>`), wordRelations("a", "chart", "charts/chart1.xml"),
			entry{"word/charts/chart1.xml", `<c:chartSpace><c:chart><c:plotArea/></c:chart></c:chartSpace>`}), "1 chart"},
		"letters that are a picture": {"a.docx", docxOf(words + par(`<w:r><w:pict><v:shape><v:textpath string="Sale"/></v:shape></w:pict></w:r>`)), "1 drawing"},
		"a document within that cannot be read": {
			"a.docx", docxOf(words+`<w:altChunk r:id="c"/>`, wordRelations("c", "aFChunk", "afchunk.bin"), entry{"word/afchunk.bin", "\x00\x01"}),
			"1 embedded_file",
		},
		"a presentation": {
			"a.pptx", pptxOf(`<p:sldId id="256" r:id="rId1"/><p:sldId id="257" r:id="rId2"/>`,
				entry{"ppt/slides/slide1.xml", slide}, entry{"ppt/slides/slide2.xml", slideOf(shapeXML("title", line1("0", "Hidden")), ` show="0"`)},
				entry{"ppt/slides/_rels/slide1.xml.rels", relationsXML("a", "video", "../media/a.mp4", "b", "media", "../media/a.mp4", "c", "image", "../media/c.png", "d", "comments", "../comments/c1.xml")},
				entry{"ppt/media/a.mp4", "mp4"}, entry{"ppt/media/c.png", "png"}, entry{"ppt/comments/c1.xml", "<p:cmLst><p:cm/><p:cm/></p:cmLst>"}),
			"1 image, 1 media, 2 comment, 1 hidden_part",
		},
		"a workbook": {
			"a.xlsx", sheets(
				entry{"xl/worksheets/_rels/sheet1.xml.rels", relationsXML("a", "drawing", "../drawings/drawing1.xml", "b", "comments", "../comments1.xml", "c", "ctrlProp", "../ctrlProps/c.xml")},
				entry{"xl/drawings/drawing1.xml", `<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Only today</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:sp><xdr:txBody><a:p/></xdr:txBody></xdr:sp></xdr:wsDr>`},
				entry{"xl/drawings/_rels/drawing1.xml.rels", relationsXML("a", "chart", "../charts/chart1.xml")},
				entry{"xl/charts/chart1.xml", "<c/>"}, entry{"xl/comments1.xml", "<comments><commentList><comment/></commentList></comments>"}, entry{"xl/ctrlProps/c.xml", "<x/>"}),
			"2 chart, 1 drawing, 1 form_field, 1 comment, 1 header_or_footer, 1 hidden_part",
		},
		"a page of words": {"a.html", page(`<img src="rule.gif" alt=""><svg><path d=""/></svg><img src="a.png" alt="The shop in spring">`), ""},
		"frames, films, forms and images": {
			"a.html", page(`<iframe src="https://maps.example.com/"></iframe><video src="a.mp4"></video><canvas></canvas><object data="a.pdf"></object><form><input name="q"><select></select><input type="hidden"><button>Go</button></form><img src="menu.jpg"><svg><text>Org chart</text></svg>`),
			"1 diagram, 1 drawing, 1 image, 1 media, 2 form_field, 1 frame, 1 embedded_file",
		},
		"what surrounds a page":  {"a.html", []byte(`<html><body><nav><img src="logo.png"></nav><div><p>The words.</p></div><footer><form><input></form></footer><img src="pixel.gif" width="1" height="1"></body></html>`), ""},
		"half pairs":             {"a.csv", []byte("question,answer\nWhen?,At dawn.\nWho?,\n"), "1 row"},
		"properties of Markdown": {"a.md", []byte("---\ntitle: Bread\nauthor: Ada\n---\nThe words.\n"), "1 properties"},
		"a title of Markdown":    {"a.md", []byte("---\ntitle: Bread\n---\nThe words.\n"), ""},
		"a PDF": {"a.pdf", pdfFile{
			pages: []string{lines(72, 700, 12, "F", "The words of the first page.") + "q 100 0 0 100 72 400 cm /Im Do Q\nq 100 0 0 100 72 200 cm /Fm Do Q\n", "q 400 0 0 400 72 100 cm /Im Do Q\n"},
			extra: map[int]string{
				5:   "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Resources << /Font << /F 3 0 R >> /XObject << /Im 900 0 R /Fm 904 0 R >> >> /Annots [901 0 R 902 0 R 903 0 R] >>",
				900: stream("/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 ", "\xff"),
				901: "<< /Type /Annot /Subtype /Text /Rect [0 0 10 10] /Contents (Ask Ada) >>",
				902: "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [0 0 10 10] >>",
				904: stream("/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /Im 900 0 R >> >> ", "/Im Do"),
				903: "<< /Type /Annot /Subtype /Link /Rect [0 0 10 10] >>",
			},
		}.bytes(), "1 page, 2 image, 1 form_field, 1 comment"},
	} {
		t.Run(name+" says what was not read", func(t *testing.T) {
			t.Parallel()
			result, err := newExtractor(t, Limits{}).Extract(t.Context(), Input{Name: c.file, Body: c.body})
			if got := notesOn(result); got != c.want || err != nil {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
		})
	}
}

func TestNotesOfAChild(t *testing.T) {
	t.Run("a child that invents kinds of notes is not believed", func(t *testing.T) {
		var many strings.Builder
		for i := range 200 {
			fmt.Fprintf(&many, `"kind %d": 1,`, i)
		}
		r, err := received([]byte(`{"result": {"Kind": "pdf", "Markdown": "x", "Notes": {` + strings.TrimSuffix(many.String(), ",") + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newExtractor(t, Limits{}).resultOf(Input{}, r); err == nil {
			t.Error("200 kinds of notes were taken")
		}
		if got := knowledge.NotesOf(map[knowledge.NoteKind]int{"<b>": 1, knowledge.NoteChart: -1, knowledge.NoteImage: 1 << 40}); len(got) != 1 || got[0].Count != 1_000_000 {
			t.Errorf("got %v", got)
		}
	})
}
