package office

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// runs returns what a paragraph shows, as Markdown. It keeps insertions and drops
// deletions and hidden text.
func (w *wordFile) runs(p *xmlNode) string {
	text := &inline{}
	w.text, w.style = text, w.styles[p.val("pPr", "pStyle")]
	w.walk(p)
	w.pause()
	w.text = nil
	return text.markdown()
}

// walk adds the runs of an element to the text.
func (w *wordFile) walk(n *xmlNode) {
	for _, k := range n.kids {
		switch k.name {
		case "r":
			w.run(k)
		case "oMath":
			w.target().add(piece{formula: k})
		case "oMathPara":
			for i, formula := range k.kids {
				if i > 0 && formula.name == "oMath" && k.kids[i-1].name == "oMath" {
					w.target().plain("\n")
				}
				if formula.name != "oMathParaPr" {
					w.walk(&xmlNode{kids: []*xmlNode{formula}})
				}
			}
		case "hyperlink":
			to := w.relations[k.attr("id")]
			if anchor := k.attr("anchor") + k.attr("docLocation"); anchor != "" && to.external && !strings.Contains(to.target, "#") {
				to.target += "#" + anchor
			}
			w.wrapped(k, &field{separated: true, whole: true, link: to})
		case "fldSimple":
			f := &field{separated: true, whole: true}
			f.code.WriteString(k.attr("instr"))
			w.wrapped(k, f)
		case "AlternateContent":
			w.alternative(k, w.walk)
		case "del", "moveFrom", "Fallback", "pPr", "rPr", "txbxContent", "sdtPr":
		default:
			w.walk(k)
		}
	}
}

// alternative walks the first choice, or the fallback if that shows nothing here.
func (w *wordFile) alternative(n *xmlNode, walk func(*xmlNode)) {
	to := w.target()
	before := len(to.pieces)
	choice := n.kid("Choice")
	if choice != nil {
		walk(choice)
	}
	if fallback := n.kid("Fallback"); fallback != nil && len(to.pieces) == before && !choice.holds("txbxContent") {
		walk(fallback)
	}
}

func (n *xmlNode) holds(name string) bool {
	found := false
	n.each(name, func(*xmlNode) { found = true })
	return found
}

// run adds a run to the text.
func (w *wordFile) run(r *xmlNode) {
	w.runKids(r, w.formOf(r))
}

// runForm is how a run looks.
type runForm struct {
	piece piece
	// font is the font of Latin letters, and other the one of symbols, if it differs.
	font, other string
	hidden      bool
}

func (w *wordFile) formOf(r *xmlNode) runForm {
	var f runForm
	f.hidden = w.property(r, "vanish").on()
	f.piece.struck = w.property(r, "strike").on() || w.property(r, "dstrike").on()
	switch w.property(r, "vertAlign").attr("val") {
	case "superscript":
		f.piece.form = above
	case "subscript":
		f.piece.form = below
	case "":
		f.piece.form = shifted(r)
	}
	fonts := w.property(r, "rFonts")
	if f.font, f.other = fonts.attr("ascii"), fonts.attr("hAnsi"); f.font == "" {
		f.font = f.other
	}
	return f
}

// shifted is the form of a run that is raised or lowered by hand: a few characters by at least
// two points.
func shifted(r *xmlNode) form {
	by, err := strconv.Atoi(r.val("rPr", "position"))
	if err != nil || by > -4 && by < 4 || utf8.RuneCountInString(r.kid("t").content()) > 6 {
		return onLine
	}
	if by > 0 {
		return above
	}
	return below
}

func (n *xmlNode) content() string {
	if n == nil {
		return ""
	}
	return n.text
}

// property returns a property of a run, from its style or its paragraph's if it has none
// itself.
func (w *wordFile) property(r *xmlNode, name string) *xmlNode {
	if k := r.kid("rPr", name); k != nil {
		return k
	}
	if k := w.styles[r.val("rPr", "rStyle")].run(name); k != nil {
		return k
	}
	return w.style.run(name)
}

func (w *wordFile) runKids(r *xmlNode, f runForm) {
	for _, k := range r.kids {
		w.runKid(k, f)
	}
}

func (w *wordFile) runKid(k *xmlNode, f runForm) {
	switch k.name {
	case "fldChar":
		w.fieldChar(k)
		return
	case "instrText":
		w.instruction(k.text)
		return
	}
	if f.hidden {
		return
	}
	add := func(text string) {
		p := f.piece
		p.text = text
		w.target().add(p)
	}
	switch k.name {
	case "t":
		add(symbols(f.font, f.other, k.text))
	case "sym", "symEx":
		add(symbol(k.attr("font"), k.attr("char")))
	case "tab", "ptab":
		w.target().plain("\t")
	case "br", "cr":
		w.target().plain("\n")
	case "noBreakHyphen":
		add("-")
	case "ruby":
		w.ruby(k)
	case "AlternateContent":
		w.alternative(k, func(n *xmlNode) { w.runKids(n, f) })
	case "object":
		k.each("OLEObject", func(o *xmlNode) {
			if strings.HasPrefix(o.attr("ProgID"), "Equation") {
				add("[formula]") // an image: its text is in a format of its own
			}
		})
	case "footnoteReference", "endnoteReference":
		id := strings.TrimSuffix(k.name, "Reference") + k.attr("id")
		if w.notes[id] != nil && len(w.cited) < 1_000 {
			w.cited = append(w.cited, id)
			w.target().add(piece{text: "[^" + noteName(id) + "]", form: markup})
		}
	}
}

// ruby adds characters with how they are pronounced, in parentheses.
func (w *wordFile) ruby(n *xmlNode) {
	if base := n.kid("rubyBase"); base != nil {
		w.walk(base)
	}
	if above := n.kid("rt"); above != nil {
		w.target().plain("(")
		w.walk(above)
		w.target().plain(")")
	}
}
