package bench

import (
	"fmt"
	"strings"
)

func (r Report) writeSteady(b *strings.Builder) {
	bare, ok := r.steady(BareRelay)
	if !ok {
		return
	}
	var rows [][]string
	for _, s := range r.Steady {
		rows = append(rows, s.row(bare))
	}
	heading(b, fmt.Sprintf("%d streams/s", steadyRate))
	head := []string{
		fmt.Sprintf("%d streams, each 1 s long", r.Settings.Steady), "first text, p50, ms", "p99, ms", "beyond the bare relay, p50, ms", "p99, ms",
		"CPU s for 1,000", "of it PostgreSQL", "failed",
	}
	writeTable(b, head, rows)
}

func (s Steady) row(bare Steady) []string {
	beyond, beyondSlow, database := "–", "–", "–"
	if s.System != BareRelay {
		beyond = fmt.Sprintf("%.2f", milliseconds(s.First-bare.First))
		beyondSlow = fmt.Sprintf("%.2f", milliseconds(s.Slow-bare.Slow))
	}
	if s.Database > 0 {
		database = fmt.Sprintf("%.2f", s.Database)
	}
	return []string{
		s.System, fmt.Sprintf("%.2f", milliseconds(s.First)), fmt.Sprintf("%.2f", milliseconds(s.Slow)), beyond, beyondSlow,
		fmt.Sprintf("%.2f", s.CPU), database, failed(s.Failures, s.Failure),
	}
}
