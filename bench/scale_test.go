package bench

import (
	"os"
	"path/filepath"
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
	t.Run("the table of results has a row for each aim, after those of other parts", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(path, []byte("<!-- results -->\n<!-- /results -->\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, part := range []Place{ScalePlace, ChatPlace} {
			if err := WriteResults(path, part, time.Now(), exampleScale(flat, slow, 0).Aims()); err != nil {
				t.Fatal(err)
			}
		}
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if rows := results(string(page)); len(rows) != 6 || rows[2][0] != "conversations" || rows[3][0] != "large installations" {
			t.Errorf("got %s", page)
		}
	})
}
