package bench

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"
)

// parts are the parts of the benchmark in the order of the table of results.
var parts = []struct {
	place Place
	name  string
}{{ChatPlace, "conversations"}, {RetrievalPlace, "retrieval"}, {PagesPlace, "dashboard"}, {ScalePlace, "large installations"}}

// WriteResults replaces one part's rows of the table of results, which has every
// aim of every part, in a Markdown file.
func WriteResults(path string, part Place, date time.Time, aims []Aim) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rows := slices.DeleteFunc(results(string(page)), func(row []string) bool { return row[0] == partName(part) })
	for _, aim := range aims {
		rows = append(rows, []string{partName(part), aim.Text, aim.Read, verdict(aim.IsMet), date.Format(time.DateOnly)})
	}
	slices.SortStableFunc(rows, func(a, b []string) int { return cmp.Compare(partOrder(a[0]), partOrder(b[0])) })
	var b strings.Builder
	writeTable(&b, []string{"part", "aim", "read", "", "date"}, rows)
	written, err := replaceFigures(string(page), ResultsPlace, strings.TrimRight(b.String(), "\n")+"\n")
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(written), 0o644)
}

// results returns the rows that a page has, without the head.
func results(page string) (rows [][]string) {
	_, rest, _ := strings.Cut(page, ResultsPlace.start())
	table, _, _ := strings.Cut(rest, ResultsPlace.end())
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 5 && partOrder(cells[0]) < len(parts) {
			rows = append(rows, cells)
		}
	}
	return rows
}

func partName(place Place) string {
	for _, part := range parts {
		if part.place == place {
			return part.name
		}
	}
	return string(place)
}

// partOrder is a part's place in the table; what is no part comes after them.
func partOrder(name string) int {
	for i, part := range parts {
		if part.name == name {
			return i
		}
	}
	return len(parts)
}
