package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the figures as a section in Markdown.
func (r PagesReport) Markdown() string {
	var b strings.Builder
	rows := r.Machine.rows(r.Date, r.Settings.Command)
	if r.Machine.Postgres != "" {
		rows = append(rows, []string{"PostgreSQL", r.Machine.Postgres})
	}
	rows = append(rows, []string{"measured", fmt.Sprintf("%s of each page on each database, alternately", plural(r.Settings.Requests, "request"))})
	heading(&b, "Dashboard: the machine")
	writeTable(&b, []string{"", ""}, rows)
	writeAims(&b, "Dashboard: aims", r.Aims())
	heading(&b, "Pages")
	head := []string{""}
	for _, database := range r.systems() {
		head = append(head, database+": median, ms", "p95, ms")
	}
	writeTable(&b, append(head, "HTML, KiB", "first visit: requests", "first visit: KiB"), r.rows())
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// systems are the names of what was measured, in order.
func (r PagesReport) systems() (names []string) {
	for _, c := range r.Cells {
		if !slices.Contains(names, c.System) {
			names = append(names, c.System)
		}
	}
	return names
}

// rows returns a row for each page. Weights hardly differ between databases, so it shows
// the first database's.
func (r PagesReport) rows() (rows [][]string) {
	systems := len(r.systems())
	for cells := range slices.Chunk(r.Cells, max(systems, 1)) {
		row := []string{cells[0].Page}
		for _, c := range cells {
			row = append(row, fmt.Sprintf("%.1f", milliseconds(c.Median)), fmt.Sprintf("%.1f", milliseconds(c.Slow)))
		}
		if c := cells[0]; c.Requests > 0 {
			row = append(row, fmt.Sprintf("%.1f", kib(int64(c.Bytes))), fmt.Sprint(c.Requests), fmt.Sprintf("%.1f", kib(int64(c.FirstBytes))))
		} else {
			row = append(row, "–", "–", "–")
		}
		rows = append(rows, row)
	}
	return rows
}
