package extract

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"strings"
)

// entry is a file in an archive.
type entry struct{ name, body string }

// zipOf packs entries in order. All share one compressor: a new one for each of
// 25,000 entries would take seconds.
func zipOf(entries ...entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	compressor, err := flate.NewWriter(io.Discard, flate.DefaultCompression)
	if err != nil {
		panic(err)
	}
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		compressor.Reset(to)
		return compressor, nil
	})
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err != nil {
			panic(err)
		}
		if _, err := f.Write([]byte(e.body)); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// rewrite returns an archive with one entry changed.
func rewrite(archive []byte, name string, change func(string) string) []byte {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err)
	}
	var entries []entry
	for _, file := range files.File {
		f, err := file.Open()
		if err != nil {
			panic(err)
		}
		body, err := io.ReadAll(f)
		if err != nil {
			panic(err)
		}
		if file.Name == name {
			body = []byte(change(string(body)))
		}
		entries = append(entries, entry{file.Name, string(body)})
	}
	return zipOf(entries...)
}

const xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// relationsXML writes relations from consecutive ids, types and targets. A
// target with a colon is external.
func relationsXML(of ...string) string {
	var b strings.Builder
	b.WriteString(xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i+2 < len(of); i += 3 {
		mode := ""
		if strings.Contains(of[i+2], ":") {
			mode = ` TargetMode="External"`
		}
		b.WriteString(`<Relationship Id="` + of[i] + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + of[i+1] + `" Target="` + of[i+2] + `"` + mode + `/>`)
	}
	return b.String() + `</Relationships>`
}

const wordXML = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`

// docxOf packs a DOCX with the given body and the parts that it needs.
func docxOf(body string, more ...entry) []byte {
	entries := append([]entry{
		{"[Content_Types].xml", xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		{"_rels/.rels", relationsXML("rId1", "officeDocument", "word/document.xml")},
		{"word/document.xml", xmlHead + `<w:document` + wordXML + `><w:body>` + body + `<w:sectPr/></w:body></w:document>`},
	}, more...)
	return zipOf(entries...)
}

// p writes a paragraph: properties, then runs of text.
func p(properties string, texts ...string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr>` + r(texts...) + `</w:p>`
}

func r(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString(`<w:r><w:t xml:space="preserve">` + t + `</w:t></w:r>`)
	}
	return b.String()
}
