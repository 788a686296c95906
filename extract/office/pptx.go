package office

import (
	"slices"
	"strconv"
	"strings"

	"parley/core/knowledge"
	"parley/extract/document"
)

// ReadPPTX reads a presentation (ECMA-376, part 1, section 19): its slides in
// the order of the show, without hidden ones.
func ReadPPTX(doc *document.Document, in document.Input) error {
	a, err := openArchive(in, doc.Limits)
	if err != nil {
		return err
	}
	part, err := a.mainPart("ppt/presentation.xml")
	if err != nil {
		return err
	}
	root, err := a.tree(part)
	if err != nil {
		return err
	}
	if root == nil {
		return document.NotOfKind(in, knowledge.PPTX, nil)
	}
	relations, err := a.relations(part)
	if err != nil {
		return err
	}
	doc.Title = a.properTitle()
	for i, id := range slideIDs(root) {
		s := &slide{doc: doc, archive: a, number: i + 1, part: relations[id].target}
		if err := s.read(); err != nil {
			return err
		}
		if doc.Err != nil {
			return doc.Err
		}
	}
	a.noteUnread(&doc.Notes)
	return nil
}

// slideIDs returns the relations of the slides in order, each once.
func slideIDs(root *xmlNode) []string {
	var ids []string
	seen := make(map[string]bool)
	root.each("sldId", func(n *xmlNode) {
		for _, a := range n.attrs {
			if a.Name.Local == "id" && a.Name.Space != "" && !seen[a.Value] {
				seen[a.Value] = true
				ids = append(ids, a.Value)
			}
		}
	})
	return ids
}

// slide is a slide while it is read.
type slide struct {
	doc       *document.Document
	archive   *archive
	number    int
	part      string
	relations map[string]relation
	// title is the shape that the slide's heading shows.
	title *xmlNode
	// listed says that the last block was a bullet, at depth, and dashed that its list has
	// no numbers.
	listed bool
	dashed bool
	depth  int
}

func (s *slide) read() (err error) {
	root, err := s.archive.tree(s.part)
	if err != nil || root == nil {
		return err
	}
	if show := root.attr("show"); show == "0" || show == "false" {
		s.doc.Notes.Add(knowledge.NoteHidden, 1)
		return nil
	}
	if s.relations, err = s.archive.relations(s.part); err != nil {
		return err
	}
	tree := root.kid("cSld", "spTree")
	title := ""
	s.title, title = titleOf(tree)
	s.doc.At(s.number, title)
	if s.doc.Title == "" {
		s.doc.Title = title
	}
	if title == "" {
		title = "Slide " + strconv.Itoa(s.number)
	}
	s.doc.Heading(2, document.Escape(title))
	if err := s.shapes(tree); err != nil {
		return err
	}
	return s.notes()
}

// titleOf returns the first title of a slide, and its text.
func titleOf(tree *xmlNode) (shape *xmlNode, title string) {
	tree.each("sp", func(sp *xmlNode) {
		if kind := placeholder(sp); title == "" && (kind == "title" || kind == "ctrTitle") {
			var parts []string
			sp.kid("txBody").each("p", func(p *xmlNode) { parts = append(parts, plainText(p)) })
			shape, title = sp, document.Line(strings.Join(parts, " "))
		}
	})
	return shape, title
}

// placeholder returns a shape's role in the layout: title, body, or empty for a
// shape outside the layout.
func placeholder(sp *xmlNode) string {
	for _, k := range sp.kids {
		if strings.HasPrefix(k.name, "nv") {
			if ph := k.kid("nvPr", "ph"); ph != nil {
				if kind := ph.attr("type"); kind != "" {
					return kind
				}
				return "body"
			}
		}
	}
	return ""
}

// plainText returns the text of a paragraph without markup.
func plainText(p *xmlNode) string { return drawn(p, nil).words() }

// drawn returns the text of a paragraph of DrawingML (ECMA-376, part 1, section 21.1.2).
func drawn(p *xmlNode, relations map[string]relation) *inline {
	in := &inline{}
	var walk func(n *xmlNode)
	walk = func(n *xmlNode) {
		for _, k := range n.kids {
			switch k.name {
			case "r", "fld":
				in.drawnRun(k, relations)
			case "br":
				in.plain("\n")
			case "oMath":
				in.add(piece{formula: k})
			case "AlternateContent":
				before := len(in.pieces)
				if choice := k.kid("Choice"); choice != nil {
					walk(choice)
				}
				if fallback := k.kid("Fallback"); fallback != nil && len(in.pieces) == before {
					walk(fallback)
				}
			case "m", "oMathPara":
				walk(k)
			}
		}
	}
	if p != nil {
		walk(p)
	}
	return in
}

func (in *inline) drawnRun(r *xmlNode, relations map[string]relation) {
	t, properties := r.kid("t"), r.kid("rPr")
	if t == nil {
		return
	}
	p := piece{text: t.text}
	if strike := properties.attr("strike"); strike == "sngStrike" || strike == "dblStrike" {
		p.struck = true
	}
	if baseline := properties.attr("baseline"); strings.HasPrefix(baseline, "-") {
		p.form = below
	} else if baseline != "" && strings.Trim(baseline, "0%") != "" {
		p.form = above
	}
	p.text = symbols(properties.kid("latin").attr("typeface"), properties.kid("sym").attr("typeface"), p.text)
	if click := properties.kid("hlinkClick"); click != nil && relations != nil {
		own := inline{[]piece{{text: p.text, form: p.form}}}
		text := own.markdown()
		if linked := link(text, relations[click.attr("id")]); linked != text {
			p.text, p.form = linked, markup
		}
	}
	in.add(p)
}

// aroundNotes are the placeholders of a page of notes that hold none.
var aroundNotes = []string{"sldImg", "sldNum", "hdr", "ftr", "dt"}

// notes writes the speaker's notes on a slide, those in text boxes of their own included.
func (s *slide) notes() error {
	root, err := s.archive.tree(target(s.relations, "notesSlide"))
	if err != nil || root == nil {
		return err
	}
	var parts []string
	root.kid("cSld", "spTree").each("sp", func(sp *xmlNode) {
		if !slices.Contains(aroundNotes, placeholder(sp)) {
			sp.kid("txBody").each("p", func(p *xmlNode) {
				if text := document.Line(plainText(p)); text != "" {
					parts = append(parts, document.Escape(text))
				}
			})
		}
	})
	if len(parts) > 0 {
		s.doc.Block("**Notes:** " + strings.Join(parts, "\n\n"))
	}
	return nil
}
