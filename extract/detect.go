package extract

import (
	"bytes"
	"net/http"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
	"parley/extract/office"
)

// Detect chooses the kind as which to read a document. A declared kind is
// binding. Otherwise what the bytes prove comes first, because names and
// content types are often wrong; then the content type, then the name, then a
// guess among the kinds of text.
func Detect(in Input) (knowledge.Kind, error) {
	if in.Kind != "" {
		if _, known := readers[in.Kind]; !known {
			return "", fault.New(fault.Invalid, "Parley cannot read documents of the kind %q.", document.Clip(document.Line(string(in.Kind)), 40))
		}
		return in.Kind, nil
	}
	if kind, err := proven(in); kind != "" || err != nil {
		return kind, err
	}
	hinted := document.KindOfType(in.ContentType)
	if hinted == "" || hinted == knowledge.Text {
		if named := document.KindOfName(in.Name); named != "" {
			hinted = named
		}
	}
	if readers[hinted].isolated && hinted != knowledge.HTML {
		return "", document.NotOfKind(in, hinted, nil) // its bytes would have proven it
	}
	if isBinary(in.Body) {
		return "", fault.New(fault.Invalid, "Parley cannot read files of this kind. Add text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, CSV or EPUB.")
	}
	return kindOfText(hinted, in), nil
}

// magic lists the first bytes of files that Parley cannot read, each with advice.
var magic = []struct{ first, advice string }{
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "This file is protected by a password or comes from an old version of Office. Remove the password, save it as DOCX, PPTX or XLSX, and add it again."},
	{"\x1f\x8b", "This file is compressed with gzip. Unpack it, and add the files in it."},
	{"Rar!", "This file is an archive. Unpack it, and add the files in it."},
	{"7z\xbc\xaf\x27\x1c", "This file is an archive. Unpack it, and add the files in it."},
	{"\x28\xb5\x2f\xfd", "This file is compressed with zstd. Unpack it, and add the files in it."},
	{"BZh", "This file is compressed with bzip2. Unpack it, and add the files in it."},
	{"\xfd7zXZ\x00", "This file is compressed with xz. Unpack it, and add the files in it."},
	{"{\\rtf", "Parley cannot read RTF files. Save it as DOCX, and add it again."},
}

// proven returns the kind that the bytes prove.
func proven(in Input) (knowledge.Kind, error) {
	for _, m := range magic {
		if bytes.HasPrefix(in.Body, []byte(m.first)) {
			return "", fault.New(fault.Invalid, "%s", m.advice)
		}
	}
	if mayBePDF(in) {
		return knowledge.PDF, nil
	}
	if bytes.HasPrefix(in.Body, []byte("PK\x03\x04")) || bytes.HasPrefix(in.Body, []byte("PK\x05\x06")) {
		return office.KindOfArchive(in)
	}
	return "", nil
}

// mayBePDF reports whether a document is read as a PDF, which may have up to 1,024 bytes before
// its header (PDF 1.7, appendix H).
func mayBePDF(in Input) bool {
	if in.Kind != "" {
		return in.Kind == knowledge.PDF
	}
	return bytes.Contains(in.Body[:min(len(in.Body), 1024)], []byte("%PDF-")) && document.KindOfName(in.Name) != knowledge.Markdown
}

// kindOfText distinguishes the kinds of text.
func kindOfText(hinted knowledge.Kind, in Input) knowledge.Kind {
	start := bytes.TrimLeft(in.Body[:min(len(in.Body), 1024)], "\xef\xbb\xbf \t\r\n")
	switch {
	case hinted == knowledge.CSV || hinted == "":
		if isPairs(in) {
			return knowledge.Pairs
		}
	case hinted == knowledge.Pairs && !isPairs(in):
		hinted = knowledge.Text // JSON of another shape
	}
	if hinted != "" {
		return hinted
	}
	if strings.HasPrefix(http.DetectContentType(start), "text/html") {
		return knowledge.HTML
	}
	return knowledge.Text
}

// isBinary reports whether a body is not text in any encoding.
func isBinary(body []byte) bool {
	start := body[:min(len(body), 4096)]
	if document.UTF16Order(start) != nil {
		return false
	}
	odd := 0
	for _, c := range start {
		if c == 0 {
			return true
		}
		if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(c)) {
			odd++
		}
	}
	return odd > len(start)/20
}
