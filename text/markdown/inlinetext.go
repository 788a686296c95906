package markdown

import (
	"bufio"
	"bytes"
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	goldhtml "github.com/yuin/goldmark/renderer/html"
)

// inlineText is the text in a paragraph, heading, cell or image.
func inlineText(parent ast.Node, source []byte) string {
	var out strings.Builder
	writeInline(&out, parent, source)
	return out.String()
}

func writeInline(out *strings.Builder, parent ast.Node, source []byte) {
	var rest ast.Node
	for n := parent.FirstChild(); n != nil; n = rest {
		rest = n.NextSibling()
		switch n := n.(type) {
		case *ast.Text:
			writeText(out, n, source)
		case *ast.CodeSpan:
			writeCode(out, n, source)
		case *ast.Link:
			writeLink(out, n, source)
		case *ast.AutoLink:
			out.Write(n.Label(source))
		case *ast.RawHTML:
			if end := writeRaised(out, n, source); end != nil {
				rest = end.NextSibling()
				break
			}
			if breaksLine(n, source) {
				out.WriteByte('\n')
			}
			out.WriteString(altOf(n.Segments.Value(source)))
		case *extast.Strikethrough:
			out.WriteString("~~") // without them an old price stands beside the new one
			writeInline(out, n, source)
			out.WriteString("~~")
		case *extast.TaskCheckBox:
			out.WriteString(box(n.IsChecked))
		default: // emphasis, and an image's alternative text
			writeInline(out, n, source)
		}
	}
}

func box(checked bool) string {
	if checked {
		return "☑ "
	}
	return "☐ "
}

// writeText keeps the lines of the source: whoever wrote them meant them.
func writeText(out *strings.Builder, n *ast.Text, source []byte) {
	value := n.Segment.Value(source)
	if n.IsRaw() || !bytes.ContainsAny(value, `\&`) {
		out.Write(value)
	} else {
		out.WriteString(unescape(value))
	}
	if n.SoftLineBreak() || n.HardLineBreak() {
		out.WriteByte('\n')
	}
}

// unescape resolves backslashes and character references exactly as the HTML
// renderer does, by undoing the escaping of its output.
func unescape(value []byte) string {
	var escaped bytes.Buffer
	w := bufio.NewWriterSize(&escaped, 2*len(value)+16)
	goldhtml.DefaultWriter.Write(w, value)
	_ = w.Flush() // a bytes.Buffer takes everything
	return html.UnescapeString(escaped.String())
}

func writeCode(out *strings.Builder, span *ast.CodeSpan, source []byte) {
	for n := span.FirstChild(); n != nil; n = n.NextSibling() {
		if text, ok := n.(*ast.Text); ok {
			out.WriteString(strings.ReplaceAll(string(text.Segment.Value(source)), "\n", " "))
		}
	}
}

// writeLink writes "text (address)", or one of them if it says it all.
func writeLink(out *strings.Builder, link *ast.Link, source []byte) {
	text := inlineText(link, source)
	out.WriteString(text)
	target := linkTarget(link.Destination)
	if target == nil {
		return
	}
	switch address := shownAddress(target); text {
	case address, string(link.Destination):
	case "":
		out.WriteString(address)
	default:
		out.WriteString(" (" + address + ")")
	}
}

// shownAddress is an address as people write it.
func shownAddress(u *url.URL) string { return strings.TrimPrefix(u.String(), "mailto:") }
