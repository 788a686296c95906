package office

import (
	"strings"

	"parley/extract/document"
)

// runs returns what a paragraph shows, as Markdown. It keeps insertions and drops
// deletions and hidden text.
func (w *wordFile) runs(p *xmlNode) string {
	var b strings.Builder
	w.writeRuns(&b, p)
	return b.String()
}

func (w *wordFile) writeRuns(b *strings.Builder, n *xmlNode) {
	var plain strings.Builder // escape adjoining runs together
	flush := func() {
		b.WriteString(document.EscapeAfter(b.String(), plain.String()))
		plain.Reset()
	}
	for _, k := range n.kids {
		switch k.name {
		case "r":
			if special := w.run(&plain, k); special != "" {
				flush()
				b.WriteString(special)
			}
		case "t": // in a formula
			plain.WriteString(k.text)
		case "hyperlink":
			flush()
			b.WriteString(link(w.runs(k), w.relations[k.attr("id")]))
		case "del", "moveFrom", "Fallback", "pPr", "rPr", "txbxContent", "sdtPr":
		default:
			flush()
			w.writeRuns(b, k)
		}
	}
	flush()
}

// run appends the text of a run to plain, and returns Markdown that follows it.
func (w *wordFile) run(plain *strings.Builder, r *xmlNode) string {
	if r.on("rPr", "vanish") {
		return ""
	}
	special := ""
	for _, k := range r.kids {
		switch k.name {
		case "t":
			plain.WriteString(k.text)
		case "tab", "ptab":
			plain.WriteByte('\t')
		case "br", "cr":
			plain.WriteByte('\n')
		case "noBreakHyphen":
			plain.WriteByte('-')
		case "footnoteReference", "endnoteReference":
			id := strings.TrimSuffix(k.name, "Reference") + k.attr("id")
			if w.notes[id] != nil && len(w.cited) < 1_000 {
				w.cited = append(w.cited, id)
				special += "[^" + noteName(id) + "]"
			}
		}
	}
	return special
}
