package arch

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the table and the bans as docs/imports.md shows them.
func Markdown() string {
	var out strings.Builder
	out.WriteString("| package | of ours | from outside |\n|---|---|---|\n")
	for _, row := range table {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", list(row.Packages), list(row.Ours), list(row.Outside))
	}
	out.WriteString("\nWhatever a row says:\n\n| import | is refused in | in tests too | because |\n|---|---|---|---|\n")
	for _, ban := range bans {
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", list(ban.Imports), place(ban), yes(ban.Tests), ban.Because)
	}
	fmt.Fprintf(&out, "\nTests put things together, so they may also import %s, and from outside %s.\n", list(testOurs), list(testOutside))
	return out.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func place(ban Ban) string {
	if slices.Equal(ban.In, []string{"..."}) {
		return "all but " + list(ban.Except)
	}
	return list(ban.In)
}

func list(items []string) string {
	if len(items) == 0 {
		return "–"
	}
	shown := make([]string, 0, len(items))
	for _, item := range items {
		shown = append(shown, word(item))
	}
	return strings.Join(shown, ", ")
}

func word(item string) string {
	switch item {
	case "*", "...":
		return "all"
	case ".":
		return "the root"
	}
	return "`" + strings.TrimPrefix(item, root+"/") + "`"
}
