package office

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/extract/document"
	"parley/text/raised"
)

// inline collects the text of a paragraph, piece by piece. What adjoins is escaped, raised
// and struck out together, since programs split words into runs anywhere.
type inline struct{ pieces []piece }

type piece struct {
	text   string
	form   form
	struck bool
	// formula is an m:oMath in place of a text.
	formula *xmlNode
}

// form is how a piece stands on its line.
type form int

const (
	onLine form = iota
	above
	below
	// markup is Markdown already.
	markup
)

func (in *inline) add(p piece) { in.pieces = append(in.pieces, p) }

func (in *inline) plain(text string) { in.add(piece{text: text}) }

// markdown writes the pieces as Markdown.
func (in *inline) markdown() string {
	out := &inlineText{escapes: true}
	for rest := in.pieces; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].struck == rest[0].struck {
			n++
		}
		if !rest[0].struck {
			out.write(rest[:n])
		} else {
			inside := &inlineText{escapes: true, before: out.tail()}
			inside.write(rest[:n])
			out.struck(inside.text())
		}
		rest = rest[n:]
	}
	return out.text()
}

// words writes the pieces as text without markup.
func (in *inline) words() string {
	out := &inlineText{}
	out.write(in.pieces)
	return out.text()
}

// inlineText writes pieces in order.
type inlineText struct {
	out, pending strings.Builder
	before       string
	escapes      bool
	// apart says that a fraction ends here, which no letter or digit may lengthen.
	apart bool
}

func (t *inlineText) write(pieces []piece) {
	for i := 0; i < len(pieces); {
		n := 1
		for i+n < len(pieces) && pieces[i+n].form == pieces[i].form && pieces[i].formula == nil && pieces[i+n].formula == nil {
			n++
		}
		switch group := pieces[i : i+n]; {
		case group[0].formula != nil:
			t.formula(group[0].formula)
		case group[0].form == markup:
			t.flush()
			t.out.WriteString(joined(group))
		case group[0].form == above:
			if denominator, used := denominatorOf(pieces[i+n:]); used > 0 && digits(joined(group)) {
				t.fraction(joined(group), denominator)
				n += used
			} else {
				t.raise(joined(group), func(text string) string { return raised.Super(t.tail(), text) })
			}
		case group[0].form == below:
			t.raise(joined(group), raised.Sub)
		default:
			t.plain(joined(group))
		}
		i += n
	}
}

func joined(pieces []piece) string {
	if len(pieces) == 1 {
		return pieces[0].text
	}
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// denominatorOf returns the subscript behind a stroke with which pieces begin, as in ³/₄, and
// how many pieces they are.
func denominatorOf(pieces []piece) (text string, used int) {
	if len(pieces) < 2 || pieces[0].form == markup || pieces[0].formula != nil {
		return "", 0
	}
	if stroke := strings.TrimSpace(pieces[0].text); stroke != "/" && stroke != "⁄" {
		return "", 0
	}
	for used = 1; used < len(pieces) && pieces[used].form == below; used++ {
		text += pieces[used].text
		if len(text) > 20 {
			return "", 0
		}
	}
	if !digits(text) {
		return "", 0
	}
	return text, used
}

func digits(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func (t *inlineText) plain(text string) {
	if text == "" {
		return
	}
	if first, _ := utf8.DecodeRuneInString(text); t.apart && wordy(first) {
		t.pending.WriteByte(' ')
	}
	t.apart = false
	t.pending.WriteString(text)
}

// raise writes a superscript or subscript. Space around it stays, and a whole sentence is
// text that somebody made small.
func (t *inlineText) raise(text string, written func(string) string) {
	core := strings.TrimSpace(text)
	if core == "" || len(core) > 60 {
		t.plain(text)
		return
	}
	lead, rest, _ := strings.Cut(text, core)
	t.plain(lead)
	t.apart = false
	t.pending.WriteString(written(core))
	t.pending.WriteString(rest)
}

func (t *inlineText) fraction(numerator, denominator string) {
	text := raised.Fraction(t.tail(), numerator, denominator)
	if last, _ := utf8.DecodeLastRuneInString(t.tail()); unicode.IsLetter(last) {
		text = " " + text
	}
	t.apart = false
	t.pending.WriteString(text)
	t.apart = true
}

func (t *inlineText) formula(n *xmlNode) {
	f := &linear{before: t.tail()}
	f.write(n)
	text := f.String()
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsDigit(first) && !strings.HasPrefix(text, " ") {
		if last, _ := utf8.DecodeLastRuneInString(t.tail()); unicode.IsDigit(last) {
			text = " " + text
		}
	}
	t.plain(text)
	t.apart = f.apart
}

// struck writes Markdown that is struck out. The marks stand at its words.
func (t *inlineText) struck(text string) {
	core := strings.TrimSpace(text)
	if core == "" {
		t.flush()
		t.out.WriteString(text)
		return
	}
	lead, rest, _ := strings.Cut(text, core)
	t.flush()
	t.out.WriteString(lead + "~~" + core + "~~" + rest)
	t.apart = false
}

func (t *inlineText) flush() {
	if t.escapes {
		before := t.before
		if t.out.Len() > 0 {
			before = t.out.String()
		}
		t.out.WriteString(document.EscapeAfter(before, t.pending.String()))
	} else {
		t.out.WriteString(t.pending.String())
	}
	t.pending.Reset()
}

func (t *inlineText) text() string {
	t.flush()
	return t.out.String()
}

// tail is the end of what is written, as far as it matters for what follows.
func (t *inlineText) tail() string {
	for _, text := range []string{t.pending.String(), t.out.String(), t.before} {
		if text != "" {
			return text[max(0, len(text)-utf8.UTFMax):]
		}
	}
	return ""
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
