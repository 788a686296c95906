package bench

import (
	"fmt"
	"strings"
)

// Markdown returns the figures as a section in Markdown.
func (r HeldReport) Markdown() string {
	var b strings.Builder
	rows := r.Machine.rows(r.Date, r.Settings.Command)
	if r.Machine.Postgres != "" {
		rows = append(rows, []string{"PostgreSQL", r.Machine.Postgres})
	}
	rows = append(rows, []string{"open files", fmt.Sprintf("%d for each process", r.Settings.Files)})
	heading(&b, "The machine")
	writeTable(&b, []string{"", ""}, rows)
	heading(&b, "All streams open")
	rows = nil
	for _, s := range r.Systems {
		rows = append(rows, s.row())
	}
	writeTable(&b, []string{
		"", "streams", "processes", "memory before, MiB", "with them, MiB", "KiB for each", "opened in, s", "first text: p50, ms", "p99, ms",
		"cores while they wait", "first text beside them, ms", "ended in, s",
	}, rows)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (s HeldSystem) row() []string {
	row := []string{s.Name, fmt.Sprint(s.Streams), fmt.Sprint(s.Processes)}
	if s.Failure != "" {
		return append(row, "**failed**: "+cellText(s.Failure), "–", "–", "–", "–", "–", "–", "–", "–")
	}
	return append(row,
		mib(s.Before), mib(s.Open), fmt.Sprintf("%.1f", kib(s.PerStream())),
		fmt.Sprintf("%.1f", s.Opening.Seconds()), fmt.Sprintf("%.1f", milliseconds(s.First)), fmt.Sprintf("%.1f", milliseconds(s.Slow)),
		fmt.Sprintf("%.2f", s.Idle), fmt.Sprintf("%.2f", milliseconds(s.FirstBeside)), fmt.Sprintf("%.1f", s.Ending.Seconds()),
	)
}
