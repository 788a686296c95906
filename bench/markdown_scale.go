package bench

import (
	"fmt"
	"strings"
	"time"
)

// Markdown returns the figures as a section in Markdown.
func (r ScaleReport) Markdown() string {
	var b strings.Builder
	rows := r.Machine.rows(r.Date, r.Settings.Command)
	if r.Machine.Postgres != "" {
		rows = append(rows, []string{"PostgreSQL", r.Machine.Postgres})
	}
	rows = append(rows, []string{"filled", fmt.Sprintf("%s with one chatbot each, %s", plural(r.Settings.Workspaces, "workspace"), plural(r.Settings.Messages, "message"))})
	heading(&b, "The machine")
	writeTable(&b, []string{"", ""}, rows)
	writeAims(&b, "Aims", r.Aims())
	heading(&b, "Start, memory and questions")
	rows = nil
	for _, s := range r.Systems {
		rows = append(rows, []string{
			s.Name, inSeconds(s.Reindex), inSeconds(s.Start), mib(s.Resident), mib(s.Peak),
			fmt.Sprintf("%.1f", milliseconds(s.P50)), fmt.Sprintf("%.1f", milliseconds(s.P99)), r.ratio(s), fmt.Sprint(s.Failures),
		})
	}
	writeTable(&b, []string{
		"", "reindex, s", "start, s", "memory, MiB", "after chores, MiB",
		fmt.Sprintf("/chat, %d clients: p50, ms", ScaleClients), "p99, ms", "p50 and p99 of almost empty", "failed",
	}, rows)
	heading(&b, "Chores, seconds")
	writeTable(&b, append([]string{""}, r.names()...), r.choreRows())
	heading(&b, "Pages, median and p95 in ms")
	writeTable(&b, append([]string{""}, r.names()...), r.pageRows())
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

// ratio compares a filled system with the almost empty one on its database.
func (r ScaleReport) ratio(s ScaleSystem) string {
	if empty, ok := r.emptyOf(s); ok {
		return fmt.Sprintf("× %.2f, × %.2f", float64(s.P50)/float64(empty.P50), float64(s.P99)/float64(empty.P99))
	}
	return "–"
}

func (r ScaleReport) names() (names []string) {
	for _, s := range r.Systems {
		names = append(names, s.Name)
	}
	return names
}

// choreRows has a row for each chore, with a dash where it did not run.
func (r ScaleReport) choreRows() (rows [][]string) {
	at := map[string]int{}
	for i, s := range r.Systems {
		for _, c := range s.Chores {
			row, known := at[c.Name]
			if !known {
				row = len(rows)
				at[c.Name] = row
				rows = append(rows, append([]string{c.Name}, strings.Split(strings.Repeat("–", len(r.Systems)), "")...))
			}
			rows[row][i+1] = inSeconds(c.Took)
		}
	}
	return rows
}

// pageRows has a row for each page.
func (r ScaleReport) pageRows() (rows [][]string) {
	for i := 0; i < len(r.Pages); i += max(len(r.Systems), 1) {
		row := []string{r.Pages[i].Page}
		for _, c := range r.Pages[i:min(len(r.Pages), i+len(r.Systems))] {
			row = append(row, fmt.Sprintf("%.1f, %.1f", milliseconds(c.Median), milliseconds(c.Slow)))
		}
		rows = append(rows, row)
	}
	return rows
}
