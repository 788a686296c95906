package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a part of a page: a table if it has rows, else a paragraph.
type block struct {
	rows [][]string
	text string
	size float64
	bold bool
	item bool
	// lines is how many lines the paragraph has.
	lines int
}

// blocksOf returns the blocks of a page in their order.
func blocksOf(p *page) []block {
	var blocks []block
	for _, region := range regions(flat(rowsOfSpans(p.spans)), 0) {
		rows := rowsOfSpans(region)
		splitAtEdges(rows)
		var text []span
		for i := 0; i < len(rows); {
			cells, taken := tableAt(rows[i:])
			if taken == 0 {
				text = append(text, together(rows[i]))
				i++
				continue
			}
			blocks = appendBlocks(blocks, paragraphs(text))
			blocks = append(blocks, block{rows: cells})
			text = nil
			i += taken
		}
		blocks = appendBlocks(blocks, paragraphs(text))
	}
	return blocks
}

// appendBlocks appends the blocks of a column. A paragraph may continue from the
// previous column.
func appendBlocks(blocks, more []block) []block {
	if len(blocks) > 0 && len(more) > 0 && blocks[len(blocks)-1].goesOn(more[0]) {
		last := &blocks[len(blocks)-1]
		last.text = joinLines(last.text, more[0].text)
		more = more[1:]
	}
	return append(blocks, more...)
}

// goesOn reports whether a paragraph continues in another: it stops in the middle
// of a sentence, and the other starts there.
func (b block) goesOn(next block) bool {
	if b.rows != nil || next.rows != nil || next.item || b.bold != next.bold || math.Abs(b.size-next.size) > 0.5 {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(b.text)
	first, _ := utf8.DecodeRuneInString(next.text)
	return unicode.IsLower(first) && (unicode.IsLetter(last) || last == ',' || last == '-')
}

// bulletMark matches what list items start with: a sign, a box or a number.
var bulletMark = regexp.MustCompile(`^(?:[•◦▪●○■□–‣⁃∙·*\-]\s+|[☐☑☒]\s+|\(?[0-9]{1,2}[.)]\s+|\(?[a-z][.)]\s+)`)

// paragraphs joins the lines of a region into paragraphs.
func paragraphs(lines []span) []block {
	var blocks []block
	if len(lines) == 0 {
		return nil
	}
	left, right := lines[0].left, lines[0].right
	for _, s := range lines {
		left, right = min(left, s.left), max(right, s.right)
	}
	usual := usualLeading(lines)
	leading := usual
	for i, s := range lines {
		item := bulletMark.MatchString(s.text)
		if i == 0 || item || begins(lines[i-1], s, leading, left, right) {
			blocks = append(blocks, block{text: s.text, size: s.size, bold: s.bold, item: item, lines: 1})
			leading = usual
			continue
		}
		leading = max(usual, lines[i-1].bottom-s.bottom)
		last := &blocks[len(blocks)-1]
		last.text = joinLines(last.text, s.text)
		last.bold = last.bold && s.bold
		last.lines++
	}
	return blocks
}

// usualLeading returns the distance between successive lines of a text. It picks
// a small distance, because larger ones separate paragraphs.
func usualLeading(lines []span) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		if gap := lines[i-1].bottom - lines[i].bottom; gap > 0 && gap < 4*lines[i].size {
			gaps = append(gaps, gap)
		}
	}
	slices.Sort(gaps)
	if len(gaps) == 0 {
		return 0
	}
	return gaps[len(gaps)/4]
}

// begins reports whether a line begins a paragraph.
func begins(before, s span, leading, left, right float64) bool {
	gap := before.bottom - s.bottom
	size := max(before.size, s.size)
	switch {
	case gap > 1.3*leading && gap > 1.35*size, gap < 0: // space above; the next column
		return true
	case before.size > 1.1*s.size || s.size > 1.1*before.size:
		return true
	case before.bold != s.bold && (before.bold || s.bold) && utf8.RuneCountInString(before.text) < 80 && before.right < left+0.8*(right-left):
		return true
	case before.left > left+1.5*size && before.right < right-size && s.left < left+0.5*size: // below a centered line
		return true
	case s.left > left+0.6*size && before.left < left+0.5*size && !bulletMark.MatchString(before.text): // indented
		return true
	}
	ended := strings.ContainsRune(".:?!", rune(before.text[len(before.text)-1]))
	return ended && before.right < left+0.75*(right-left)
}

// joinLines joins two lines of one text. It drops a hyphen between lowercase
// letters, which only breaks the word.
func joinLines(above, below string) string {
	if above == "" || below == "" {
		return above + below
	}
	stem := strings.TrimRight(above, "-\u2010\u00ad")
	last, _ := utf8.DecodeLastRuneInString(stem)
	next, _ := utf8.DecodeRuneInString(below)
	if len(stem) < len(above) && unicode.IsLetter(last) {
		if unicode.IsLower(next) {
			return stem + below
		}
		return above + below
	}
	if ideographic(last) && ideographic(next) {
		return above + below
	}
	return above + " " + below
}

// ideographic reports whether a letter belongs to a script without spaces.
func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f
}
