package office

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
)

// merged is a range of cells shown as one. Indexes start at 0; the ends are
// included.
type merged struct {
	left, top, right, bottom int
	value                    string
}

// merges are the ranges of a sheet, ordered by their first row.
type merges struct {
	waiting []*merged
	open    []*merged
	// headed says that the printed sheet has a header or footer.
	headed bool
}

const (
	// maxMerges is how many ranges of a sheet count, and maxMerged in how many
	// rows or columns of one range its value is repeated.
	maxMerges = 10_000
	maxMerged = 1_000
)

// mergeCell finds ranges by a regular expression: parsing the whole sheet a second
// time for a few elements near its end would take as long as reading its cells.
var mergeCell = regexp.MustCompile(`<(?:[a-z0-9]+:)?mergeCell\s[^>]{0,200}?ref="([A-Z]{1,3}[0-9]{1,7}):([A-Z]{1,3}[0-9]{1,7})"`)

// printedAround are the elements that hold what stands around a printed sheet.
var printedAround = []string{"oddHeader>", "oddFooter>", "evenHeader>", "evenFooter>", "firstHeader>", "firstFooter>"}

func mergesOf(a *archive, part string) (*merges, error) {
	body, err := a.read(part)
	if err != nil {
		return nil, err
	}
	m := &merges{headed: slices.ContainsFunc(printedAround, func(name string) bool { return bytes.Contains(body, []byte(name)) })}
	for _, match := range mergeCell.FindAllSubmatch(body, maxMerges) {
		left, top, err := excelize.CellNameToCoordinates(string(match[1]))
		right, bottom, wrong := excelize.CellNameToCoordinates(string(match[2]))
		if err != nil || wrong != nil || right < left || bottom < top {
			continue
		}
		m.waiting = append(m.waiting, &merged{
			left: left - 1, top: top - 1, right: min(right, left+maxMerged) - 1, bottom: min(bottom, top+maxMerged) - 1,
		})
	}
	slices.SortStableFunc(m.waiting, func(a, b *merged) int { return a.top - b.top })
	return m, nil
}

// apply returns what the cells of a row hold. It repeats the value of a merged
// range in each of its cells, so that every row is complete on its own.
func (m *merges) apply(row int, cells []string) sparse {
	found := make(sparse)
	for i, text := range cells {
		if strings.TrimSpace(text) != "" {
			found[i] = text
		}
	}
	m.open = slices.DeleteFunc(m.open, func(r *merged) bool { return r.bottom < row })
	for len(m.waiting) > 0 && m.waiting[0].top <= row {
		if r := m.waiting[0]; r.top == row {
			r.value = found[r.left]
			m.open = append(m.open, r)
		}
		m.waiting = m.waiting[1:]
	}
	for _, r := range m.open {
		for column := r.left; column <= r.right && r.value != ""; column++ {
			found[column] = r.value
		}
	}
	return found
}

func sortedColumns(columns map[int]bool) []int { return slices.Sorted(maps.Keys(columns)) }
