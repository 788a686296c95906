// Package markdown owns the forms in which an answer leaves: Markdown as it was
// written, plain text, and sanitized HTML. Its input is hostile: whatever a
// model was talked into, the HTML holds nothing that a browser executes, and
// nothing that it fetches except images from hosts that the chatbot allows.
//
// It does not own what is stored, which is always the Markdown, nor which
// format a caller asked for, nor where a chatbot's allowed hosts are kept.
//
// The Markdown is GitHub's: CommonMark with tables, strikethrough, task lists
// and bare links, and without footnotes. Raw HTML in it is not passed on: its
// tags are dropped, the text between them is kept as text, and the ones that
// start a line (<br>, <p>, <li> and so on) become a line break. An answer that
// exceeds the limits in limits.go is shown as it was written.
package markdown

// Format is a form in which an answer leaves, by its name in the API.
type Format string

// The formats.
const (
	Markdown  Format = "markdown"
	PlainText Format = "plain_text"
	HTML      Format = "html"
)

// Parse returns the format of a name, if it is one. The empty name means [Markdown]. Names
// are compared exactly.
func Parse(name string) (Format, bool) {
	switch to := Format(name); to {
	case "":
		return Markdown, true
	case Markdown, PlainText, HTML:
		return to, true
	}
	return "", false
}

// Render returns an answer in a format. Markdown stays as it is, byte for byte. Plain text
// and HTML are valid UTF-8 without control characters other than newline and tab, and end
// without a newline. Only HTML has images, and only from hosts in allow; any other image
// becomes its alternative text.
//
// Render is safe for concurrent use. Its work grows with the length of the
// answer, whatever is in it.
func Render(markdown string, to Format, allow Hosts) string {
	switch to {
	case PlainText:
		return toPlainText(clean(markdown))
	case HTML:
		return toHTML(clean(markdown), allow)
	}
	return markdown
}

// maxExcerpt is the length of the longest excerpt, in characters.
const maxExcerpt = 3_000

// Excerpt is the beginning of a passage as people read it: plain text of a bounded
// length.
func Excerpt(markdown string) string {
	text := Render(markdown, PlainText, nil)
	chars := 0
	for i := range text {
		if chars++; chars > maxExcerpt {
			return text[:i] + "…"
		}
	}
	return text
}
