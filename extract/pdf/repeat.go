package pdf

import (
	"regexp"
	"slices"
	"strings"
)

var digits = regexp.MustCompile(`[0-9]+|\b[ivxlc]+\b`)

// edgeRows is how many lines at the top and bottom of a page can be its header
// and footer.
const edgeRows = 3

// dropRepeated drops lines at the tops and bottoms of pages that occur on more
// than half of them, ignoring page numbers.
func dropRepeated(pages []*page) {
	if len(pages) < 3 {
		return
	}
	seen := make(map[string]int)
	for _, p := range pages {
		keys := make(map[string]bool)
		for _, row := range edges(p) {
			keys[rowKey(row)] = true
		}
		for key := range keys {
			seen[key]++
		}
	}
	for _, p := range pages {
		drop := make(map[gridColumn]bool) // by position
		for _, row := range edges(p) {
			if n := seen[rowKey(row)]; n >= 3 && 2*n > len(pages) {
				for _, s := range row {
					drop[gridColumn{s.left, s.bottom}] = true
				}
			}
		}
		p.spans = slices.DeleteFunc(p.spans, func(s span) bool { return drop[gridColumn{s.left, s.bottom}] })
	}
}

// edges returns the first and last lines of a page within the outer sixths of
// its height, as spans of the page.
func edges(p *page) [][]span {
	if p.height <= 0 {
		return nil
	}
	var rows [][]span
	for _, s := range p.spans {
		if s.bottom > p.height*5/6 || s.top < p.height/6 {
			rows = appendRow(rows, s)
		}
	}
	slices.SortStableFunc(rows, func(a, b []span) int {
		return int(b[0].top - a[0].top)
	})
	if len(rows) <= 2*edgeRows {
		return rows
	}
	return append(slices.Clone(rows[:edgeRows]), rows[len(rows)-edgeRows:]...)
}

func appendRow(rows [][]span, s span) [][]span {
	for i := range rows {
		if rows[i][0].sameLine(s) {
			rows[i] = append(rows[i], s)
			return rows
		}
	}
	return append(rows, []span{s})
}

// rowKey is the same for lines that differ only in numbers. It includes the
// position, so that text does not pass for a header.
func rowKey(row []span) string {
	var parts []string
	for _, s := range row {
		parts = append(parts, s.text)
	}
	half := "top "
	if row[0].bottom < 300 {
		half = "bottom "
	}
	return half + digits.ReplaceAllString(strings.ToLower(strings.Join(parts, " ")), "#")
}
