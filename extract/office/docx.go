package office

import (
	"maps"
	"slices"
	"strings"

	"parley/core/knowledge"
	"parley/extract/document"
)

// wordFile is a DOCX file while it is read (ECMA-376, part 1, section 17).
type wordFile struct {
	doc       *document.Document
	archive   *archive
	part      string
	relations map[string]relation
	styles    map[string]*wordStyle
	numbering *numbering
	notes     map[string]*xmlNode
	// cited lists the notes to which the current block refers.
	cited []string
	// listed says that the last block was a list item, at depth, and dashed
	// that its list has no numbers.
	listed bool
	dashed bool
	depth  int
	page   int
	// joined is the text of paragraphs whose paragraph mark was deleted.
	joined string
	// text is what the current paragraph shows, and style its style.
	text  *inline
	style *wordStyle
	// fields are the open fields, and deeper how many more have begun within.
	fields []*field
	deeper int
	// nested is how many documents are around this one.
	nested int
	// graphics are the diagrams that a table's cells hold.
	graphics []*xmlNode
}

// ReadDOCX reads a text document (ECMA-376, WordprocessingML).
func ReadDOCX(doc *document.Document, in document.Input) error {
	a, err := openArchive(in, doc.Limits)
	if err != nil {
		return err
	}
	part, err := a.mainPart("word/document.xml")
	if err != nil {
		return err
	}
	body, err := a.read(part)
	if err != nil {
		return err
	}
	if body == nil {
		return document.NotOfKind(in, knowledge.DOCX, nil)
	}
	w := &wordFile{doc: doc, archive: a, part: part, page: 1}
	if err := w.read(body); err != nil {
		return err
	}
	if doc.Title == "" {
		doc.Title = a.properTitle()
	}
	a.noteUnread(&doc.Notes)
	return nil
}

// read writes the body of a document.
func (w *wordFile) read(body []byte) error {
	if err := w.open(w.part); err != nil {
		return err
	}
	if err := scanXML(body, wordVerdict, w.block); err != nil {
		return document.Damaged(knowledge.DOCX, err)
	}
	w.end()
	return w.doc.Err
}

// end writes what waits for a paragraph that does not come.
func (w *wordFile) end() {
	if text := strings.TrimSpace(w.joined); text != "" {
		w.doc.Block(text)
	}
	w.joined = ""
}

// open reads the parts to which the text refers.
func (w *wordFile) open(part string) (err error) {
	if w.relations, err = w.archive.relations(part); err != nil {
		return err
	}
	trees := make(map[string]*xmlNode)
	for _, kind := range []string{"styles", "numbering", "footnotes", "endnotes"} {
		if trees[kind], err = w.archive.tree(target(w.relations, kind)); err != nil {
			return err
		}
	}
	w.styles = stylesOf(trees["styles"])
	w.numbering = numberingOf(trees["numbering"], trees["styles"])
	w.notes = make(map[string]*xmlNode)
	trees["footnotes"].each("footnote", func(n *xmlNode) { w.notes["footnote"+n.attr("id")] = n })
	trees["endnotes"].each("endnote", func(n *xmlNode) { w.notes["endnote"+n.attr("id")] = n })
	return nil
}

// wordVerdict takes the body's paragraphs and tables, whatever wraps them, and
// skips deleted ones.
func wordVerdict(name string) verdict {
	switch name {
	case "p", "tbl", "altChunk":
		return take
	case "del", "moveFrom", "Fallback", "sectPr", "sdtPr", "background":
		return skip
	}
	return enter
}

func (w *wordFile) block(n *xmlNode) error {
	if w.doc.Err != nil {
		return w.doc.Err
	}
	lettering(n, &w.doc.Notes)
	breaks := 0
	n.each("lastRenderedPageBreak", func(*xmlNode) { breaks++ })
	if breaks > 0 && len(w.doc.Places) == 0 {
		w.doc.Places = append(w.doc.Places, document.Place{Offset: 0, Page: 1})
	}
	if breaks > 0 && breaksFirst(n) {
		w.page++
		breaks--
		w.doc.At(w.page, "")
	}
	switch n.name {
	case "tbl":
		w.end()
		w.table(n)
	case "altChunk":
		w.chunk(n)
	default:
		w.paragraph(n)
	}
	w.writeNotes()
	if breaks > 0 {
		w.page += breaks
		w.doc.At(w.page, "")
	}
	return w.doc.Err
}

// breaksFirst reports whether a block begins on a new page.
func breaksFirst(n *xmlNode) bool {
	for _, k := range n.kids {
		switch {
		case k.name == "lastRenderedPageBreak":
			return true
		case k.name == "t" && k.text != "":
			return false
		case len(k.kids) > 0 && (k.name == "r" || k.name == "p" || k.name == "ins" || k.name == "hyperlink"):
			return breaksFirst(k)
		}
	}
	return false
}

// paragraph writes a paragraph as a heading, an item of a list, or text.
func (w *wordFile) paragraph(p *xmlNode) {
	properties := p.kid("pPr")
	text := w.joined + w.runs(p)
	w.joined = ""
	if properties.kid("rPr", "del") != nil {
		w.joined = text
		return
	}
	style := w.styles[properties.val("pStyle")]
	empty := document.Line(text) == ""
	number := number{}
	if !empty || !properties.on("rPr", "vanish") {
		number = w.numbering.next(properties, style) // an empty item has a number, too
	}
	level := w.level(properties, style)
	switch {
	case empty:
	case style.isContents():
	case level > 0:
		if w.doc.Title == "" && level == 1 {
			w.doc.Title = document.Unmark(text)
		}
		w.doc.Heading(level, strings.TrimSpace(number.label+" "+document.Line(text)))
		w.listed = false
	case number.listed:
		w.item(number, text)
	default:
		if w.listed = false; bold(p) && len(text) < 120 {
			text = "**" + document.Line(text) + "**"
		}
		w.doc.Block(strings.TrimSpace(text))
	}
	w.boxes(p)
}

// item writes a list item, at most one level deeper than the one before:
// Markdown would read a deeper one as code.
func (w *wordFile) item(number number, text string) {
	depth := 0
	if w.listed {
		depth = min(number.level, w.depth+1)
	}
	indent := strings.Repeat("    ", depth)
	text = indent + number.mark + " " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+indent+"  ")
	dashed := strings.HasPrefix(number.mark, "-")
	if w.listed && (depth > 0 || dashed == w.dashed) {
		w.doc.Follow(text)
	} else {
		w.doc.Block(text)
	}
	if depth == 0 {
		w.dashed = dashed
	}
	w.listed, w.depth = true, depth
}

// boxes writes the paragraphs of text boxes that are anchored in a paragraph, and the texts
// of its diagrams.
func (w *wordFile) boxes(p *xmlNode) {
	eachBox(p, func(k *xmlNode) {
		if k.name == "graphicData" {
			w.graphic(k)
			return
		}
		k.eachKid(func(n *xmlNode) {
			switch n.name {
			case "p":
				w.paragraph(n)
			case "tbl":
				w.table(n)
			case "altChunk":
				w.chunk(n)
			}
		})
	})
}

// eachBox calls f for the text boxes and diagrams in an element, in order.
func eachBox(n *xmlNode, f func(*xmlNode)) {
	for _, k := range n.kids {
		switch {
		case k.name == "Fallback" || k.name == "del" || k.name == "moveFrom":
		case k.name == "txbxContent", k.name == "graphicData" && (k.kid("chart") != nil || k.kid("relIds") != nil):
			f(k)
		default:
			eachBox(k, f)
		}
	}
}

// graphic writes a chart or the texts of a diagram.
func (w *wordFile) graphic(data *xmlNode) {
	w.listed = false
	title, rows, err := w.archive.chart(w.relations, data)
	texts, wrong := w.archive.diagram(w.relations, data)
	if err != nil || wrong != nil {
		w.fail(err)
		w.fail(wrong)
		return
	}
	noteGraphic(data, rows, texts, &w.doc.Notes)
	w.doc.Block(document.Escape(title))
	w.doc.WriteTable(rows)
	for i, text := range texts {
		if text = "- " + text; i == 0 {
			w.doc.Block(text)
		} else {
			w.doc.Follow(text)
		}
	}
}

// fail keeps the first failure of a part.
func (w *wordFile) fail(err error) {
	if err != nil && w.doc.Err == nil {
		w.doc.Err = err
	}
}

func (n *xmlNode) eachKid(f func(*xmlNode)) {
	for _, k := range n.kids {
		f(k)
	}
}

// writeNotes writes the cited notes directly below the block.
func (w *wordFile) writeNotes() {
	cited := slices.Compact(w.cited)
	w.cited = nil
	for _, id := range cited {
		var parts []string
		w.notes[id].each("p", func(p *xmlNode) { parts = append(parts, document.Line(w.runs(p))) })
		if text := document.Line(strings.Join(parts, " ")); text != "" {
			w.doc.Block("[^" + noteName(id) + "]: " + text)
			w.listed = false
		}
	}
	w.cited = nil // a note may refer to notes itself
}

func noteName(id string) string {
	if number, ok := strings.CutPrefix(id, "footnote"); ok {
		return number
	}
	return "e" + strings.TrimPrefix(id, "endnote")
}

// bold reports whether everything that a paragraph shows is bold.
func bold(p *xmlNode) bool {
	all := true
	found := false
	p.each("r", func(r *xmlNode) {
		if r.kid("t") != nil && document.Line(r.kid("t").text) != "" {
			found = true
			all = all && r.on("rPr", "b")
		}
	})
	return all && found
}

// sorted returns the keys of a map in order, so that the result is
// deterministic.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
