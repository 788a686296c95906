package harness

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// PDFOf is a PDF with the lines of a text on each page, and none where the text
// is empty.
func PDFOf(pages ...string) string {
	var b strings.Builder
	var offsets []int
	object := func(content string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), content)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, text := range pages {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>", 5+2*i))
		shown := ""
		if text != "" {
			shown = "BT /F 9 Tf 50 800 Td (" + strings.ReplaceAll(text, "\n", ") Tj 0 -12 Td (") + ") Tj ET"
		}
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(shown), shown))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.String()
}

// DocxOf is a DOCX with a heading and paragraphs.
func DocxOf(heading string, paragraphs ...string) string {
	var body strings.Builder
	body.WriteString(`<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>` + heading + `</w:t></w:r></w:p>`)
	for _, text := range paragraphs {
		body.WriteString(`<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>`)
	}
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", head + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		{"_rels/.rels", head + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", head + `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body.String() + `<w:sectPr/></w:body></w:document>`},
	} {
		w, err := z.Create(part[0])
		if err == nil {
			_, err = w.Write([]byte(part[1]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}
