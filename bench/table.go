package bench

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func heading(b *strings.Builder, text string) { fmt.Fprintf(b, "### %s\n\n", text) }

// writeTable writes a Markdown table with columns that line up. The first
// column is text; the others are numbers when they look like it.
func writeTable(b *strings.Builder, head []string, rows [][]string) {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	writeRow(b, head, widths)
	for _, width := range widths {
		b.WriteString("|" + strings.Repeat("-", width+2))
	}
	b.WriteString("|\n")
	for _, row := range rows {
		writeRow(b, row, widths)
	}
	b.WriteString("\n")
}

func writeRow(b *strings.Builder, row []string, widths []int) {
	for i, cell := range row {
		b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
	}
	b.WriteString("|\n")
}

// cellText makes text fit into a cell: what a server answered may hold
// anything.
func cellText(text string) string {
	const most = 160
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.NewReplacer("|", "/", "<", "‹", ">", "›", "`", "'").Replace(text)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "**missed**"
}
