package office

import (
	"strconv"
	"strings"
)

// field is a field while its paragraphs are read (ECMA-376, part 1, section 17.16): code,
// then the result that people see.
type field struct {
	code      strings.Builder
	separated bool
	// whole says that an element holds the field, so no character ends it.
	whole bool
	data  *xmlNode
	// link is where an element leads.
	link relation
	// text is the result in this paragraph, or what stands within the code.
	text inline
	// words is the code of a separated field, once it is read.
	words []string
}

// codeWords returns the code, which changes no more when the result has begun.
func (f *field) codeWords() []string {
	if f.words != nil {
		return f.words
	}
	words := codeWords(f.code.String())
	if f.separated {
		f.words = append([]string{}, words...)
	}
	return words
}

// maxFields is how deep fields may nest. Word allows 20.
const maxFields = 32

// target returns what text is added to: the innermost field's, or the paragraph's.
func (w *wordFile) target() *inline {
	if n := len(w.fields); n > 0 {
		return &w.fields[n-1].text
	}
	return w.text
}

func (w *wordFile) fieldChar(n *xmlNode) {
	last := len(w.fields) - 1
	switch n.attr("fldCharType") {
	case "begin":
		if len(w.fields) >= maxFields {
			w.deeper++
			return
		}
		w.fields = append(w.fields, &field{data: n.kid("ffData")})
	case "separate":
		if last >= 0 && w.deeper == 0 && !w.fields[last].separated {
			w.fields[last].separated, w.fields[last].text = true, inline{}
		}
	case "end":
		if w.deeper > 0 {
			w.deeper--
		} else if last >= 0 && !w.fields[last].whole {
			w.endField()
		}
	}
}

// instruction adds to the code of a field.
func (w *wordFile) instruction(code string) {
	if n := len(w.fields); n > 0 && w.deeper == 0 && !w.fields[n-1].separated && w.fields[n-1].code.Len() < 10_000 {
		w.fields[n-1].code.WriteString(code)
	}
}

// wrapped adds an element that is a field.
func (w *wordFile) wrapped(n *xmlNode, f *field) {
	if len(w.fields) >= maxFields {
		w.walk(n)
		return
	}
	at := len(w.fields)
	w.fields = append(w.fields, f)
	w.walk(n)
	for len(w.fields) > at {
		w.endField()
	}
}

// endField ends the innermost field and adds what it shows to the text around it.
func (w *wordFile) endField() {
	n := len(w.fields) - 1
	f := w.fields[n]
	w.fields = w.fields[:n]
	shown := f.shown()
	w.target().pieces = append(w.target().pieces, shown...)
	if n > 0 && !w.fields[n-1].separated && w.fields[n-1].code.Len() < 10_000 {
		shownAs := inline{shown}
		w.fields[n-1].code.WriteString(shownAs.words())
	}
}

// pause writes the fields that go on in the next paragraph, as far as they are read.
func (w *wordFile) pause() {
	for n := len(w.fields) - 1; n >= 0; n-- {
		f, around := w.fields[n], w.text
		if n > 0 {
			around = &w.fields[n-1].text
		}
		around.pieces = append(around.pieces, f.linked()...)
		f.text = inline{}
	}
}

// linked returns the result with its link, if the field is one.
func (f *field) linked() []piece {
	to := f.link
	if words := f.codeWords(); len(words) > 0 && strings.EqualFold(words[0], "HYPERLINK") {
		to = linkOf(words)
	}
	if !to.external {
		return f.text.pieces
	}
	text := f.text.markdown()
	if linked := link(text, to); linked != text {
		return []piece{{text: linked, form: markup}}
	}
	return f.text.pieces
}

// shown returns what people see of a field. Programs calculate some only when they show them.
func (f *field) shown() []piece {
	words := f.codeWords()
	if len(words) == 0 || f.link.external {
		return f.linked()
	}
	name := strings.ToUpper(words[0])
	if name == "FORMCHECKBOX" {
		return []piece{{text: f.box()}}
	}
	if f.separated && strings.TrimSpace(f.text.words()) != "" {
		return f.linked()
	}
	text := ""
	switch name {
	case "FORMDROPDOWN":
		text = f.choice()
	case "FORMTEXT":
		text = f.data.val("textInput", "default")
	case "SYMBOL":
		text = symbolField(words)
	case "EQ":
		_, code, _ := strings.Cut(f.code.String(), words[0])
		text = equation(code)
	case "MACROBUTTON", "GOTOBUTTON":
		text = strings.Join(words[min(2, len(words)):], " ")
	case "QUOTE":
		text = strings.Join(words[1:], " ")
	}
	return []piece{{text: text}}
}

// box returns the check box of a form.
func (f *field) box() string {
	state := f.data.kid("checkBox", "checked")
	if state == nil {
		state = f.data.kid("checkBox", "default")
	}
	if state.on() {
		return "☒"
	}
	return "☐"
}

// choice returns the chosen entry of a form's list.
func (f *field) choice() string {
	list := f.data.kid("ddList")
	at := list.val("result")
	if at == "" {
		at = list.val("default")
	}
	chosen, _ := strconv.Atoi(at)
	entries := []string{}
	list.each("listEntry", func(n *xmlNode) { entries = append(entries, n.attr("val")) })
	if chosen < 0 || chosen >= len(entries) {
		return ""
	}
	return entries[chosen]
}

// linkOf returns where a HYPERLINK field leads: HYPERLINK "address" \l "place in it".
func linkOf(words []string) relation {
	to := relation{external: true}
	for i := 1; i < len(words); i++ {
		switch strings.ToLower(words[i]) {
		case `\l`:
			if i++; i < len(words) && to.target != "" {
				to.target += "#" + words[i]
			}
		case `\o`, `\t`, `\s`:
			i++
		default:
			if !strings.HasPrefix(words[i], `\`) && to.target == "" {
				to.target = words[i]
			}
		}
	}
	to.external = to.target != ""
	return to
}

// codeWords splits the code of a field. Quotation marks hold words together.
func codeWords(code string) []string {
	var words []string
	var word strings.Builder
	quoted, any := false, false
	for _, r := range code {
		switch {
		case r == '"' || r == '“' || r == '”':
			quoted, any = !quoted, true
		case !quoted && (r == ' ' || r == '\t' || r == '\n' || r == '\u00a0'):
			if any {
				words = append(words, word.String())
			}
			word.Reset()
			any = false
		default:
			word.WriteRune(r)
			any = true
		}
	}
	if any {
		words = append(words, word.String())
	}
	return words
}
