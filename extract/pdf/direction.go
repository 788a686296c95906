package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"parley/extract/document"
	"parley/text/writing"
)

// glyph is what is shown at a place: a character with its marks, or a ligature.
type glyph struct {
	text                     string
	left, right, top, bottom float64
	// at is where it is among the letters of the page.
	at int
}

// between stands between the glyphs of a word, where it takes less than a list of them.
const between = "\x00"

func (g glyph) middle() float64 { return (g.left + g.right) / 2 }

// over reports whether a mark stands over a glyph.
func (g glyph) over(mark glyph) bool { return mark.middle() > g.left && mark.middle() < g.right }

// turnedRound says which characters of a line pdfium has put in the order in which they are
// spoken: those from right to left, and what stands after them. It has turned their brackets
// round, too.
func turnedRound(line []rune) []bool {
	turned := make([]bool, len(line))
	now := mostly(line)
	for i, r := range line {
		switch rtl, ltr := writing.RightToLeft(string(r)); {
		case rtl > 0:
			now = true
		case ltr > 0 || unicode.IsDigit(r):
			now = false
		}
		turned[i] = now
	}
	return turned
}

// mostly reports whether at least as many pieces of a line run from right to left as from left
// to right.
func mostly(line []rune) bool {
	rights, lefts, before := 0, 0, ' '
	for _, r := range line {
		rtl, ltr := writing.RightToLeft(string(r))
		now := ' '
		switch {
		case rtl > 0:
			now = 'R'
		case ltr > 0 || unicode.IsDigit(r):
			now = 'L'
		}
		if now != before && now == 'R' {
			rights++
		}
		if now != before && now == 'L' {
			lefts++
		}
		before = now
	}
	return rights > 0 && rights >= lefts
}

// mixed reads a line with letters from right to left by where they stand. It does nothing if
// the line runs upward or downward.
func (w *wordReader) mixed(start, end int) (done bool, err error) {
	w.first = start
	for w.first < end-1 && unicode.IsSpace(w.letters[w.first]) {
		w.first++
	}
	first, err := w.box(w.first)
	if err != nil {
		return false, err
	}
	w.line = true
	if err := w.font(first); err != nil || w.turned {
		return false, err
	}
	glyphs, err := w.glyphs(start, end)
	if err != nil {
		return false, err
	}
	for len(glyphs) > 0 {
		n := slices.IndexFunc(glyphs, func(g glyph) bool { return g.text == " " })
		if n < 0 {
			n = len(glyphs)
		}
		if n > 0 {
			if err := w.add(w.word(glyphs[:n])); err != nil {
				return true, err
			}
		}
		glyphs = glyphs[min(n+1, len(glyphs)):]
	}
	return true, nil
}

// word makes a word of what stands side by side.
func (w *wordReader) word(glyphs []glyph) span {
	first := glyphs[0]
	s := span{left: first.left, right: first.right, top: first.top, bottom: first.bottom}
	w.first = first.at
	shown := make([]string, len(glyphs))
	for i, g := range glyphs {
		w.first = min(w.first, g.at)
		s.left, s.right = min(s.left, g.left), max(s.right, g.right)
		s.bottom, s.top = min(s.bottom, g.bottom), max(s.top, g.top)
		shown[i] = g.text
	}
	s.glyphs = strings.Join(shown, between)
	rights, lefts := writing.RightToLeft(s.glyphs)
	s.text = writing.Logical(shown, rights >= lefts)
	return s
}

// glyphs returns what a line shows, from left to right.
func (w *wordReader) glyphs(start, end int) ([]glyph, error) {
	turned := turnedRound(w.letters[start:end])
	var all, marks []glyph
	var before []int // how many glyphs come before a mark
	for i, r := range w.letters[start:end] {
		text := document.Clean(string(r))
		switch {
		case r == hyphen || r == 0xfffe:
			text = "-"
		case unicode.IsSpace(r):
			text = " "
		case isJoiner(r):
			text = string(r) // it stays where it means something
		case text == "" || unicode.IsControl(r):
			continue
		}
		if other, ok := writing.Mirror(text); ok && turned[i] {
			text = other
		}
		box, err := w.box(start + i)
		if err != nil {
			return nil, err
		}
		g := glyph{text, box.left, box.right, box.top, box.bottom, start + i}
		n := len(all)
		switch {
		case unicode.Is(unicode.Mn, r) || isJoiner(r):
			marks, before = append(marks, g), append(before, n)
		case n > 0 && text != " " && all[n-1].left == g.left && all[n-1].right == g.right && g.right > g.left: // letters of one ligature
			all[n-1].text = ligature(all[n-1].text + text)
		default:
			all = append(all, g)
		}
	}
	for i, mark := range marks { // it belongs to the letter before, unless it stands over the next
		of, next := before[i]-1, before[i]
		if over := !isJoiner(w.letters[mark.at]) && next < len(all) && all[next].over(mark); of < 0 && next < len(all) || over && !all[of].over(mark) {
			of = next
		}
		if of < 0 {
			all = append(all, mark)
		} else {
			all[of].text += mark.text
		}
	}
	slices.SortStableFunc(all, func(a, b glyph) int { return cmp.Compare(a.middle(), b.middle()) })
	if w.upsideDown {
		slices.Reverse(all)
	}
	return all, nil
}

// isJoiner reports whether a character is the zero-width joiner or non-joiner.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// ligature returns the letters of a ligature as they are spoken: there is none of alef and
// lam, but one of lam and alef.
func ligature(text string) string {
	if alef, ok := strings.CutSuffix(text, "\u0644"); ok && slices.Contains([]string{"\u0627", "\u0622", "\u0623", "\u0625"}, alef) {
		return "\u0644" + alef
	}
	return text
}

// readsFromRight reports whether at least as many words run from right to left as from left
// to right.
func readsFromRight(words []span) bool {
	rights, lefts := 0, 0
	for _, s := range words {
		switch rtl, ltr := writing.RightToLeft(s.text); {
		case rtl > ltr:
			rights++
		case ltr > 0:
			lefts++
		}
	}
	return rights > 0 && rights >= lefts
}

// fromRight turns a page that reads from right to left round, so that its first column, cell
// and word has the least distance from the edge, as on any other page.
func fromRight(words []span, width float64) {
	for i, s := range words {
		words[i].left, words[i].right, words[i].fromRight = width-s.right, width-s.left, true
	}
}

// spoken joins the words of a line, which stand in the order in which the page is read.
func spoken(words []span) string {
	if words[0].fromRight {
		words = slices.Clone(words)
		slices.Reverse(words)
	}
	var shown []string
	for i, s := range words {
		if i > 0 {
			shown = append(shown, " ")
		}
		if s.glyphs != "" {
			shown = append(shown, strings.Split(s.glyphs, between)...)
			continue
		}
		for _, r := range s.text {
			shown = append(shown, string(r))
		}
	}
	return writing.Logical(shown, words[0].fromRight || readsFromRight(words))
}
