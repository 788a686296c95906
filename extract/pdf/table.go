package pdf

import (
	"cmp"
	"slices"
	"strings"

	"parley/extract/document"
)

// gridColumn is the position of a column of a table.
type gridColumn struct{ left, right float64 }

// tableAt returns the table that starts with the first row, and how many rows it
// takes, or nothing. Rows form a table when several successive rows have several
// cells that all fit the same columns.
func tableAt(rows [][]span) (cells [][]string, taken int) {
	if len(rows) < 2 || len(rows[0]) < 2 {
		return nil, 0
	}
	var columns []gridColumn
	end, full := 0, 0
	for i, row := range rows {
		if i > 0 && far(rows[i-1], row) {
			break
		}
		widened, ok := fit(columns, row)
		if len(row) < 2 {
			if !ok || !continues(columns, rows, i) {
				break
			}
		} else if !ok || len(widened) < 2 {
			break
		} else {
			full++
		}
		columns, end = widened, i+1
	}
	if full < 2 || len(columns) == 2 && full < 3 && !short(rows[:end]) {
		return nil, 0
	}
	return gridOf(rows[:end], columns), end
}

// fit widens the columns by the cells of a row, and reports whether the row leaves
// at least as many columns as before.
func fit(columns []gridColumn, row []span) ([]gridColumn, bool) {
	all := slices.Clone(columns)
	for _, s := range row {
		all = append(all, gridColumn{s.left, s.right})
	}
	slices.SortFunc(all, func(a, b gridColumn) int { return cmp.Compare(a.left, b.left) })
	var merged []gridColumn
	for _, c := range all {
		if n := len(merged); n > 0 && c.left < merged[n-1].right+1 {
			merged[n-1].right = max(merged[n-1].right, c.right)
		} else {
			merged = append(merged, c)
		}
	}
	return merged, len(merged) >= len(columns) && len(merged) >= len(row)
}

// far reports whether there is too much space between two rows for one table.
func far(above, below []span) bool {
	lowest, highest, size := above[0].bottom, below[0].top, below[0].size
	for _, s := range above {
		lowest = min(lowest, s.bottom)
	}
	for _, s := range below {
		highest = max(highest, s.top)
	}
	return lowest-highest > 3.5*size
}

// continues reports whether a row of a single cell belongs to the table: it
// continues a cell of the row above, or lies between other rows.
func continues(columns []gridColumn, rows [][]span, at int) bool {
	row := rows[at]
	if near(rows[at-1], row) && (columnOf(columns, row[0]) > 0 || 1.25*distance(rows[at-1], row) < rowDistance(rows[:at])) {
		return true
	}
	if at+1 >= len(rows) || far(row, rows[at+1]) || len(rows[at+1]) < 2 {
		return false
	}
	_, ok := fit(columns, rows[at+1])
	return ok
}

// short reports whether all cells are as short as the values in a list.
func short(rows [][]span) bool {
	for _, row := range rows {
		for _, s := range row {
			if len(s.text) > 60 {
				return false
			}
		}
	}
	return true
}

func columnOf(columns []gridColumn, s span) int {
	middle := (s.left + s.right) / 2
	for i, c := range columns {
		if middle <= c.right {
			return i
		}
	}
	return len(columns) - 1
}

// gridOf assigns the spans of a table to its cells. A row that follows as closely
// as the lines of one text continues the row above, if its first cell is empty or
// other rows keep more distance.
func gridOf(rows [][]span, columns []gridColumn) [][]string {
	usual := rowDistance(rows)
	var grid [][]string
	for i, row := range rows {
		cells := make([]string, len(columns))
		for _, s := range row {
			at := columnOf(columns, s)
			cells[at] = strings.TrimSpace(cells[at] + " " + document.Escape(s.text))
		}
		more := i > 0 && near(rows[i-1], row) &&
			(cells[0] == "" || len(row) < len(columns) && 1.25*distance(rows[i-1], row) < usual)
		if !more {
			grid = append(grid, cells)
			continue
		}
		last := grid[len(grid)-1]
		for at, text := range cells {
			last[at] = joinLines(last[at], text)
		}
	}
	return grid
}

// rowDistance returns the median distance between a row of several cells and the
// row above.
func rowDistance(rows [][]span) float64 {
	var found []float64
	for i := 1; i < len(rows); i++ {
		if len(rows[i]) > 1 {
			found = append(found, distance(rows[i-1], rows[i]))
		}
	}
	if len(found) == 0 {
		return 0
	}
	slices.Sort(found)
	return found[len(found)/2]
}

func distance(above, below []span) float64 { return above[0].bottom - below[0].bottom }

// near reports whether a row is as close to the one above as lines of one text
// are.
func near(above, below []span) bool {
	return above[0].bottom-below[0].top < 0.7*below[0].size
}
