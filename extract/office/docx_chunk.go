package office

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"path"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
	"parley/extract/html"
)

// maxNested is how many documents within documents are read.
const maxNested = 3

// chunk writes a document of another format that a program put into this one (ECMA-376,
// part 1, section 17.17.2).
func (w *wordFile) chunk(n *xmlNode) {
	w.end()
	w.listed = false
	w.doc.Block(w.embedded(n))
}

// embedded returns such a document as Markdown, or says that it cannot be read.
func (w *wordFile) embedded(n *xmlNode) string {
	r := w.relations[n.attr("id")]
	unread := func() string {
		w.doc.Notes.Add(knowledge.NoteEmbedded, 1)
		return "[Not read: " + document.Escape(document.Line(path.Base(r.target))) + "]"
	}
	if r.external || r.target == "" {
		return unread()
	}
	body, err := w.archive.read(r.target)
	if err != nil {
		w.doc.Err = err
		return ""
	}
	if len(body) == 0 {
		return unread()
	}
	text, err := w.embeddedText(r.target, body)
	if fault.Is(err, fault.TooLarge) {
		w.doc.Err = err
		return ""
	}
	if err != nil || strings.TrimSpace(text) == "" {
		return unread()
	}
	return text
}

func (w *wordFile) embeddedText(name string, body []byte) (string, error) {
	start := strings.ToLower(string(bytes.TrimLeft(body[:min(len(body), 2048)], "\xef\xbb\xbf \t\r\n")))
	extension, notes := strings.ToLower(path.Ext(name)), &w.doc.Notes
	switch {
	case strings.HasPrefix(start, "pk\x03\x04"):
		return w.embeddedDOCX(body)
	case strings.HasPrefix(start, `{\rtf`):
		notes.Add(knowledge.NoteImage, bytes.Count(body, []byte(`{\pict`)))
		return rtfText(body), nil
	case strings.HasPrefix(start, "mime-version:") || strings.HasPrefix(start, "from:") || strings.Contains(start, "\nmime-version:") || extension == ".mht" || extension == ".mhtml":
		return mailText(body, notes)
	case extension == ".htm" || extension == ".html" || extension == ".xhtml" || strings.Contains(start, "<html") || strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<p") || strings.HasPrefix(start, "<div"):
		_, markdown, err := html.Chapter(body, notes)
		return markdown, err
	case extension == ".txt" || extension == ".md" || extension == ".text":
		text, err := document.Decode(body, "", "")
		return plainBlocks(text), err
	}
	return "", nil
}

// plainBlocks writes plain text: each of its lines is a paragraph.
func plainBlocks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(document.Clean(text)) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(document.Escape(line) + "\n\n")
		}
	}
	return b.String()
}

func (w *wordFile) embeddedDOCX(body []byte) (string, error) {
	if w.nested >= maxNested {
		return "", nil
	}
	limits := w.doc.Limits
	limits.Unpacked = w.archive.left
	a, err := openArchive(document.Input{Kind: knowledge.DOCX, Body: body}, limits)
	if err != nil {
		return "", err
	}
	a.unpacked = w.archive.unpacked
	defer func() { w.archive.left = max(a.left, 0) }()
	part, err := a.mainPart("word/document.xml")
	if err != nil {
		return "", err
	}
	main, err := a.read(part)
	if err != nil || main == nil {
		return "", err
	}
	inner := &wordFile{doc: &document.Document{Limits: w.doc.Limits}, archive: a, part: part, page: 1, nested: w.nested + 1}
	if err := inner.read(main); err != nil {
		return "", err
	}
	a.noteUnread(&inner.doc.Notes)
	w.doc.Notes.AddAll(inner.doc.Notes)
	return inner.doc.Text.String(), nil
}

// mailText returns the page in a web archive (MHTML, RFC 2557), or its plain text.
func mailText(body []byte, notes *document.Notes) (string, error) {
	message, err := mail.ReadMessage(bytes.NewReader(bytes.TrimLeft(body, "\xef\xbb\xbf \t\r\n")))
	if err != nil {
		return "", err
	}
	page, plain, err := mailParts(message.Header.Get("Content-Type"), message.Header.Get("Content-Transfer-Encoding"), message.Body, 0)
	if err != nil && page == nil && plain == "" {
		return "", err
	}
	if page == nil {
		return plainBlocks(plain), nil
	}
	_, markdown, err := html.Chapter(page, notes)
	return markdown, err
}

// mailParts returns the first page and the first plain text of a message.
func mailParts(contentType, encoding string, body io.Reader, depth int) (page []byte, plain string, err error) {
	media, params, unknown := mime.ParseMediaType(contentType)
	if unknown != nil {
		media = "text/plain"
	}
	if strings.HasPrefix(media, "multipart/") && depth < 4 {
		parts := multipart.NewReader(body, params["boundary"])
		for range 1_000 {
			part, ends := parts.NextRawPart()
			if ends != nil {
				break
			}
			inner, text, _ := mailParts(part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), part, depth+1)
			if plain == "" {
				plain = text
			}
			if inner != nil {
				return inner, plain, nil
			}
		}
		return nil, plain, nil //nolint:nilerr // a part that is broken ends the message; what came before is read
	}
	if media != "text/html" && media != "application/xhtml+xml" && media != "text/plain" {
		return nil, "", nil
	}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, err := io.ReadAll(body)
	if len(text) == 0 {
		return nil, "", err
	}
	decoded, err := document.Decode(text, contentType, "")
	if err != nil {
		return nil, "", err
	}
	if media == "text/plain" {
		return nil, decoded, nil
	}
	return []byte("\xef\xbb\xbf" + decoded), "", nil
}
