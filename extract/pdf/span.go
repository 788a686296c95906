package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
)

// span is a word, or several on one line, with its box in points. The origin is
// the page's lower left corner, so top is larger than bottom.
type span struct {
	left, right, top, bottom float64
	// size is the font size in points.
	size float64
	bold bool
	// turned says that the text runs upward or downward.
	turned bool
	text   string
	// glyphs are what a word shows from left to right, on a line with letters from right
	// to left: see [between].
	glyphs string
	// fromRight says that the page reads from right to left: then left and right are
	// distances from its right edge.
	fromRight bool
	// words are the words that it was made of, in the order in which the page is read.
	words []span
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.Abs(v) > 1e6 {
			return false
		}
	}
	return true
}

// turn rotates a span to match how the page is displayed. Width and height are the
// displayed page's.
func (s span) turn(rotation enums.FPDF_PAGE_ROTATION, width, height float64) span {
	l, r, t, b := s.left, s.right, s.top, s.bottom
	switch rotation {
	case enums.FPDF_PAGE_ROTATION_90_CW:
		s.turned = !s.turned
		s.left, s.right, s.bottom, s.top = b, t, height-r, height-l
	case enums.FPDF_PAGE_ROTATION_180_CW:
		s.left, s.right, s.bottom, s.top = width-r, width-l, height-t, height-b
	case enums.FPDF_PAGE_ROTATION_270_CW:
		s.turned = !s.turned
		s.left, s.right, s.bottom, s.top = width-t, width-b, l, r
	}
	return s
}

// sameLine reports whether two spans are on one line.
func (s span) sameLine(o span) bool {
	overlap := min(s.top, o.top) - max(s.bottom, o.bottom)
	return overlap > 0.5*min(s.top-s.bottom, o.top-o.bottom)
}

// upright returns the upright words: a stamp along the margin is not text. If most
// words are turned, it returns all, in drawing order, each group as a line.
func upright(words []span) []span {
	var standing, turned []span
	for _, s := range words {
		if s.turned {
			turned = append(turned, s)
		} else {
			standing = append(standing, s)
		}
	}
	if len(turned) <= len(standing) {
		return standing
	}
	at := 1e5
	for i, s := range words {
		s.left, s.right = float64(i%12)*100, float64(i%12)*100+99
		s.top, s.bottom = at+s.size, at
		if i%12 == 11 {
			at -= 1.2 * s.size
		}
		words[i] = s
	}
	return words
}

// rowsOfSpans groups spans into lines, top to bottom, each from left to right. It
// joins spans without a gap between them.
func rowsOfSpans(spans []span) [][]span {
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(b.top+b.bottom, a.top+a.bottom) })
	var rows [][]span
	for _, s := range spans {
		if n := len(rows); n > 0 && rows[n-1][0].sameLine(s) {
			rows[n-1] = append(rows[n-1], s)
		} else {
			rows = append(rows, []span{s})
		}
	}
	for i, row := range rows {
		slices.SortStableFunc(row, func(a, b span) int { return cmp.Compare(a.left, b.left) })
		rows[i] = joinSpans(row)
	}
	return rows
}

// splitAtEdges splits spans where a word begins at the left edge of others: the
// cells of a full row may be as close to one another as words are.
func splitAtEdges(rows [][]span) {
	edges := make(map[int]int)
	for _, row := range rows {
		for i := 1; i < len(row); i++ {
			if row[i].left-row[i-1].right > 1.3*row[i].size { // more than the space between words
				edges[int(row[i].left+0.5)]++
			}
		}
	}
	for i, row := range rows {
		var parted []span
		for _, s := range row {
			start := 0
			for j := 1; j < len(s.words); j++ {
				left := int(s.words[j].left + 0.5)
				if edges[left]+edges[left-1]+edges[left+1] >= 2 && s.words[j].left-s.words[j-1].right > 0.35*s.size {
					parted = append(parted, together(s.words[start:j]))
					start = j
				}
			}
			if start == 0 {
				parted = append(parted, s)
			} else {
				parted = append(parted, together(s.words[start:]))
			}
		}
		rows[i] = parted
	}
}

// joinSpans joins the words of a line. It keeps spans apart that are farther from each
// other than words are: they belong to different columns or cells.
func joinSpans(row []span) []span {
	var joined []span
	start := 0
	for i := range row {
		if i+1 < len(row) && row[i+1].left-row[i].right <= max(0.8*min(row[i].size, row[i+1].size), 4) {
			continue
		}
		joined = append(joined, together(row[start:i+1]))
		start = i + 1
	}
	return joined
}

// together makes one span of words on a line.
func together(parts []span) span {
	var words []span
	for _, part := range parts {
		if part.words == nil {
			words = append(words, part)
		} else {
			words = append(words, part.words...)
		}
	}
	s := words[0]
	s.words = words
	texts := make([]string, len(words))
	longest, turned := 0, s.fromRight
	for i, next := range words {
		texts[i] = next.text
		turned = turned || next.glyphs != ""
		if n := len(next.text); n > longest {
			longest, s.size = n, next.size
		}
		s.left, s.right = min(s.left, next.left), max(s.right, next.right)
		s.top, s.bottom = max(s.top, next.top), min(s.bottom, next.bottom)
		s.bold = s.bold && next.bold
	}
	s.glyphs = ""
	if turned {
		s.text = spoken(words)
	} else {
		s.text = strings.Join(texts, " ")
	}
	return s
}
