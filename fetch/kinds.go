package fetch

import (
	"bytes"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"parley/core/fault"
)

// kinds maps the names that servers use to the content types that Parley reads.
var kinds = map[string]string{
	"text/html":                 "text/html",
	"application/xhtml+xml":     "text/html",
	"text/plain":                "text/plain",
	"text/markdown":             "text/markdown",
	"text/x-markdown":           "text/markdown",
	"text/csv":                  "text/csv",
	"application/csv":           "text/csv",
	"text/tab-separated-values": "text/tab-separated-values",
	"application/pdf":           "application/pdf",
	"application/x-pdf":         "application/pdf",
	"application/epub+zip":      "application/epub+zip",
	docx:                        docx,
	pptx:                        pptx,
	xlsx:                        xlsx,
}

const (
	docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	pptx = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// extensions decide if the server's name is too vague.
var extensions = map[string]string{
	".html": "text/html", ".htm": "text/html", ".txt": "text/plain",
	".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".pdf": "application/pdf", ".epub": "application/epub+zip", ".docx": docx, ".pptx": pptx, ".xlsx": xlsx,
}

// vague lists the names that servers use for files of unknown kind.
var vague = []string{"", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download", "application/zip"}

// ContentTypes returns the content types that a [Page] can have, sorted.
func ContentTypes() []string {
	return slices.Compact(slices.Sorted(maps.Values(kinds)))
}

// pageKind refuses what cannot be a page before its body is read.
func pageKind(header http.Header, u *url.URL) error {
	named, _ := mediaType(header)
	if slices.Contains(vague, named) || kinds[named] != "" {
		return nil
	}
	return otherKind(named)
}

// packedTwice recognizes a text that is still compressed: gzip within gzip, of
// which the server names only one.
func packedTwice(kind string, body []byte) bool {
	return strings.HasPrefix(kind, "text/") && bytes.HasPrefix(body, []byte("\x1f\x8b"))
}

// contentType returns the kind of a page and the encoding that its server names.
// If the server's name is vague, the extension of the file's name or of the address
// decides, then the bytes.
func contentType(header http.Header, u *url.URL, body []byte) (kind, charset string, err error) {
	named, charset := mediaType(header)
	byExtension := extensions[strings.ToLower(path.Ext(fileName(header)))]
	if byExtension == "" {
		byExtension = extensions[strings.ToLower(path.Ext(u.Path))]
	}
	switch {
	case named == "text/plain" && strings.HasPrefix(byExtension, "text/") && byExtension != "text/html":
		return byExtension, charset, nil
	case !slices.Contains(vague, named):
		return kinds[named], charset, nil
	case byExtension != "":
		return byExtension, charset, nil
	}
	sniffed, parameters, _ := mime.ParseMediaType(http.DetectContentType(body))
	if sniffed == "application/zip" {
		sniffed = archiveKind(body)
	}
	if kind := kinds[sniffed]; kind != "" {
		return kind, parameters["charset"], nil
	}
	return "", "", otherKind(named)
}

// fileName is the name under which a browser would save the response.
func fileName(header http.Header) string {
	_, parameters, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return parameters["filename"]
}

// archiveKind is the content type of a ZIP archive by the names of the files in it.
func archiveKind(body []byte) string {
	for _, of := range []struct{ file, kind string }{
		{"mimetypeapplication/epub+zip", "application/epub+zip"},
		{"word/document.xml", docx},
		{"ppt/presentation.xml", pptx},
		{"xl/workbook.xml", xlsx},
	} {
		if bytes.Contains(body, []byte(of.file)) {
			return of.kind
		}
	}
	return "application/zip"
}

func mediaType(header http.Header) (name, charset string) {
	name, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil && name == "" {
		return "", ""
	}
	return name, strings.ToLower(parameters["charset"])
}

// maxTypeBytes bounds how much of a server's text a message repeats.
const maxTypeBytes = 100

func otherKind(named string) error {
	what := "content of an unknown kind"
	if named != "" && len(named) <= maxTypeBytes {
		what = "content of the kind " + named
	}
	return fault.Wrap(fault.Invalid, ErrKind,
		"This address holds %s, which Parley cannot read. It reads web pages, text, Markdown, CSV, PDF, Word, PowerPoint, Excel and EPUB.", what)
}
