package pdf

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

const (
	// maxSpans is how many spans of a page are sorted into columns. A newspaper
	// page has about 2,000; a page with more is a drawing.
	maxSpans = 20_000
	// maxColumnDepth bounds how often regions looks for columns within columns.
	maxColumnDepth = 4
)

// regions returns the parts of a page in reading order: what is above the
// columns, the columns from left to right, what is below. Within each, lines run
// from top to bottom.
func regions(spans []span, depth int) [][]span {
	if depth >= maxColumnDepth || len(spans) < 8 || len(spans) > maxSpans {
		return [][]span{spans}
	}
	g, ok := findGutter(spans)
	if !ok {
		return [][]span{spans}
	}
	var above, left, right, below []span
	for _, s := range spans {
		switch middle := (s.top + s.bottom) / 2; {
		case middle > g.top:
			above = append(above, s)
		case middle < g.bottom:
			below = append(below, s)
		case s.right <= g.x:
			left = append(left, s)
		default:
			right = append(right, s)
		}
	}
	var parts [][]span
	for _, part := range [][]span{above, left, right, below} {
		if len(part) > 0 {
			parts = append(parts, regions(part, depth+1)...)
		}
	}
	return parts
}

// gutter is an empty vertical stretch between two columns, from top to bottom.
type gutter struct{ x, top, bottom float64 }

// findGutter returns the gutter between two columns of prose that has the most
// lines beside it. The space between a table's columns does not count: tables are
// read by rows.
func findGutter(spans []span) (gutter, bool) {
	var best gutter
	most := 0
	for _, x := range gutterCandidates(spans) {
		for _, band := range bands(spans, x) {
			band = trim(spans, band)
			left, right := sides(spans, band)
			if lines := len(left) + len(right); lines > most && prose(left) && prose(right) {
				best, most = band, lines
			}
		}
	}
	return best, most > 0
}

// maxCandidates bounds how many positions of a gutter findGutter tries.
const maxCandidates = 40

// gutterCandidates returns positions where several spans start and few cross.
func gutterCandidates(spans []span) []float64 {
	starts := make(map[int]int)
	for _, s := range spans {
		starts[int(s.left/4)]++
	}
	var keys []int
	for key, n := range starts {
		if n+starts[key+1] >= 3 {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b int) int {
		return cmp.Or(cmp.Compare(starts[b], starts[a]), cmp.Compare(a, b))
	})
	keys = keys[:min(len(keys), maxCandidates)]
	var places []float64
	for _, key := range keys {
		places = append(places, float64(key*4)-3)
	}
	return places
}

// bands returns the vertical stretches of a page in which no span crosses x or
// comes closer to it than columns do.
func bands(spans []span, x float64) []gutter {
	var across []span
	for _, s := range spans {
		if s.left < x-1 && s.right > x-3 {
			across = append(across, s)
		}
	}
	slices.SortFunc(across, func(a, b span) int { return cmp.Compare(b.top, a.top) })
	var found []gutter
	top := 1e6
	for _, s := range across {
		if middle := (s.top + s.bottom) / 2; middle < top {
			found = append(found, gutter{x, top, s.top})
			top = s.bottom
		}
	}
	return append(found, gutter{x, top, -1e6})
}

// sides returns the lines to the left and right of a gutter.
func sides(spans []span, g gutter) (left, right []span) {
	var l, r []span
	for _, s := range spans {
		middle := (s.top + s.bottom) / 2
		if middle > g.top || middle < g.bottom {
			continue
		}
		if s.right <= g.x {
			l = append(l, s)
		} else {
			r = append(r, s)
		}
	}
	return whole(l), whole(r)
}

// whole merges the lines of one side, each into one span.
func whole(spans []span) []span {
	var lines []span
	for _, row := range rowsOfSpans(spans) {
		lines = append(lines, together(row))
	}
	return lines
}

// prose reports whether lines are running text: several lines of some length,
// most of which fill their column, without the gaps of a table.
func prose(lines []span) bool {
	if len(lines) < 3 {
		return false
	}
	left, right, letters := lines[0].left, lines[0].right, 0
	for _, s := range lines {
		left, right = min(left, s.left), max(right, s.right)
		letters += utf8.RuneCountInString(s.text)
	}
	full, gaps := 0, 0
	for _, s := range lines {
		if s.right-s.left > 0.6*(right-left) {
			full++
		}
		if s.gap() > 2.5*s.size {
			gaps++
		}
	}
	return letters >= 20*len(lines) && 2*full >= len(lines) && 4*gaps <= len(lines)
}

// gap returns the largest space between the words of a line.
func (s span) gap() float64 {
	gap := 0.0
	for i := 1; i < len(s.words); i++ {
		gap = max(gap, s.words[i].left-s.words[i-1].right)
	}
	return gap
}

// trim raises the lower end of a gutter that ends at a line across both columns.
// What is directly above that line and is not text in both columns, such as a
// heading, belongs to the line.
func trim(spans []span, g gutter) gutter {
	left, right := sides(spans, g)
	lines := append(slices.Clone(left), right...)
	slices.SortFunc(lines, func(a, b span) int { return cmp.Compare(b.top, a.top) })
	for g.bottom > -1e5 && len(lines) > 0 {
		at := lastPart(lines)
		part := gutter{g.x, lines[at].top, g.bottom}
		l, r := sides(spans, part)
		if at == 0 || long(l) && long(r) {
			break
		}
		g.bottom = lines[at].top
		lines = lines[:at]
	}
	return g
}

// lastPart returns the first line of the last group of lines with space above
// it.
func lastPart(lines []span) int {
	at, lowest := 0, lines[0].bottom
	for i, s := range lines {
		if lowest-s.top > 1.2*s.size {
			at = i
		}
		lowest = min(lowest, s.bottom)
	}
	return at
}

// long reports whether lines are, on average, as long as lines of running text.
func long(lines []span) bool {
	letters := 0
	for _, s := range lines {
		letters += utf8.RuneCountInString(s.text)
	}
	return len(lines) > 0 && letters >= 20*len(lines)
}

func flat(rows [][]span) []span { return slices.Concat(rows...) }
