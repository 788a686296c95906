package bench

import (
	"strings"
	"testing"
	"time"

	"parley/bench/pages"
)

// exampleScale is a report in which one thing of the filled system is slow.
func exampleScale(p50, p99, page time.Duration) ScaleReport {
	return ScaleReport{
		Systems: []ScaleSystem{
			{Name: "empty", Database: SQLite, P50: 10 * time.Millisecond, P99: 40 * time.Millisecond},
			{Name: "filled", Database: SQLite, Filled: true, P50: p50, P99: p99},
		},
		Pages: []pages.Cell{
			{System: "empty", Page: "Members", Median: 9 * time.Millisecond},
			{System: "filled", Page: "Members", Median: 9 * time.Millisecond},
			{System: "empty", Page: "Knowledge", Median: 2 * time.Millisecond},
			{System: "filled", Page: "Knowledge", Median: page},
		},
	}
}

func TestScaleAims(t *testing.T) {
	const flat, slow = 11 * time.Millisecond, 44 * time.Millisecond
	for name, c := range map[string]struct {
		report ScaleReport
		read   string
		met    bool
	}{
		"cost that is flat meets all":            {exampleScale(flat, slow, 3*time.Millisecond), "", true},
		"a slower median is missed":              {exampleScale(2*flat, slow, 3*time.Millisecond), "2.20", false},
		"a slower p99 is missed":                 {exampleScale(flat, 2*slow, 3*time.Millisecond), "2.20", false},
		"a page that takes longer is named":      {exampleScale(flat, slow, 30*time.Millisecond), "+28.0 ms, Knowledge", false},
		"an installation by itself has no aims":  {ScaleReport{Systems: []ScaleSystem{{Name: "filled", Database: SQLite, Filled: true}}}, "", true},
		"databases are not compared with others": {ScaleReport{Systems: []ScaleSystem{{Database: Postgres, P50: 1, P99: 1}, {Database: SQLite, Filled: true, P50: 9, P99: 9}}}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			met, reads := true, []string{""}
			for _, aim := range c.report.Aims() {
				met, reads = met && aim.IsMet, append(reads, aim.Read)
			}
			if met != c.met || !strings.Contains(strings.Join(reads, "; "), c.read) {
				t.Errorf("met: %v, read are %q", met, reads)
			}
		})
	}
}
