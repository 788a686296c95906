package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Markdown returns the figures as a section in Markdown. It reads
// well in a terminal, too.
func (r Report) Markdown() string {
	var b strings.Builder
	r.writeMachine(&b)
	r.writeAims(&b)
	for _, clients := range r.Settings.Clients {
		r.writeCells(&b, clients)
	}
	r.writeRatios(&b)
	r.writeSteady(&b)
	r.writeMemory(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (r Report) writeMachine(b *strings.Builder) {
	rows := r.Machine.rows(r.Date, r.Settings.Command)
	if r.Machine.Postgres != "" {
		rows = append(rows, []string{"PostgreSQL", r.Machine.Postgres})
	}
	rows = append(rows, []string{"measured", fmt.Sprintf("%s of %v a cell, after %v of warm-up; medians of the rounds",
		plural(r.Settings.Rounds, "round"), r.Settings.Duration, r.Settings.WarmUp)})
	heading(b, "The machine")
	writeTable(b, []string{"", ""}, rows)
}

// rows describe the machine, and when and how it was measured.
func (m Machine) rows(date time.Time, command string) [][]string {
	return [][]string{
		{"date", date.Format("2006-01-02 15:04 UTC")},
		{"command", "`" + command + "`"},
		{"processor", fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)},
		{"memory", m.Memory},
		{"kernel", m.Kernel},
		{"disk of the databases", fmt.Sprintf("%s; a write of 4 KiB and its sync take %.2f ms at the median", m.Disk, milliseconds(m.Sync))},
		{"Go", m.Go},
	}
}

func (r Report) writeAims(b *strings.Builder) { writeAims(b, "Aims", r.Aims()) }

func writeAims(b *strings.Builder, title string, aims []Aim) {
	var rows [][]string
	for _, aim := range aims {
		rows = append(rows, []string{aim.Text, aim.Read, verdict(aim.IsMet)})
	}
	if rows == nil {
		return
	}
	heading(b, title)
	writeTable(b, []string{"aim", "read", ""}, rows)
}

func (r Report) writeCells(b *strings.Builder, clients int) {
	heading(b, plural(clients, "client"))
	for _, endpoint := range []string{Chat, Stream} {
		var rows [][]string
		for _, c := range r.Cells {
			if c.Clients == clients && c.Endpoint == endpoint {
				rows = append(rows, c.row())
			}
		}
		head := []string{"`" + endpoint + "`", "requests/s", "CPU s for 1,000", "first text, ms", "added, ms", "p99 whole, ms", "failed"}
		writeTable(b, head, rows)
	}
}

func (c Cell) row() []string {
	added := fmt.Sprintf("%.2f", milliseconds(c.Added))
	if c.System == Upstream {
		added = "–"
	}
	return []string{
		c.System, fmt.Sprintf("%.0f", c.Rate), fmt.Sprintf("%.2f", c.CPU), fmt.Sprintf("%.2f", milliseconds(c.First)),
		added, fmt.Sprintf("%.1f", milliseconds(c.Slow)), failed(c.Failures, c.Failure),
	}
}

// failed says how many requests failed, and how the first did.
func failed(failures int, how string) string {
	if failures == 0 {
		return "0"
	}
	return fmt.Sprintf("**%d**: %s", failures, cellText(how))
}

func (r Report) writeRatios(b *strings.Builder) {
	ratios := r.Ratios()
	if len(ratios) == 0 {
		return
	}
	head := []string{"Parley's requests/s ÷ the relay's"}
	for _, endpoint := range []string{Chat, Stream} {
		for _, clients := range r.Settings.Clients {
			head = append(head, fmt.Sprintf("`%s`, %d", endpoint, clients))
		}
	}
	var rows [][]string
	for _, pair := range pairs {
		if row := ratioRow(ratios, pair, r.Settings.Clients); row != nil {
			rows = append(rows, row)
		}
	}
	heading(b, "Ratios")
	writeTable(b, head, rows)
}

func ratioRow(ratios []Ratio, pair [2]string, clients []int) []string {
	row := []string{pair[0] + " ÷ " + pair[1]}
	found := false
	for _, endpoint := range []string{Chat, Stream} {
		for _, n := range clients {
			at := slices.IndexFunc(ratios, func(r Ratio) bool {
				return r.Parley == pair[0] && r.Relay == pair[1] && r.Endpoint == endpoint && r.Clients == n
			})
			if at < 0 {
				row = append(row, "–")
				continue
			}
			found = true
			row = append(row, fmt.Sprintf("%.2f", ratios[at].Value))
		}
	}
	if !found {
		return nil
	}
	return row
}

func (r Report) writeMemory(b *strings.Builder) {
	if len(r.Memory) == 0 {
		return
	}
	var rows [][]string
	for _, m := range r.Memory {
		rows = append(rows, m.row())
	}
	heading(b, "Open streams")
	head := []string{
		fmt.Sprintf("%d open streams", r.Settings.Streams), "memory before, MiB", "with them, MiB", "KiB for each", "first text beside them, ms",
	}
	writeTable(b, head, rows)
}

func (m Memory) row() []string {
	if m.Failure != "" {
		return []string{m.System, "**failed**: " + cellText(m.Failure), "–", "–", "–"}
	}
	return []string{
		m.System, fmt.Sprintf("%.1f", kib(m.Before)/1024), fmt.Sprintf("%.1f", kib(m.Open)/1024),
		fmt.Sprintf("%.1f", kib(m.PerStream())), fmt.Sprintf("%.2f", milliseconds(m.FirstBeside)),
	}
}
