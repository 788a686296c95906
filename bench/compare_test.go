package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// compared is a load under which the program of now has 4, 9 and 8 tenths of the
// requests/s of the earlier program, in three rounds.
func compared(failures int) Compared {
	cell := func(rate, cpu float64) Cell {
		return Cell{System: ParleySQLite, Endpoint: Chat, Clients: 64, Rate: rate, CPU: cpu}
	}
	after := []Cell{cell(400, 2), cell(1800, 1), cell(800, 1.2)}
	after[1].Failures = failures
	return newCompared([]Cell{cell(1000, 1), cell(2000, 1), cell(1000, 1)}, after)
}

func TestComparison(t *testing.T) {
	t.Run("a round has the means of its two cells, and all failures", func(t *testing.T) {
		got := mean([]Cell{{Rate: 10, CPU: 1, Failures: 1}, {Rate: 20, CPU: 2, Failures: 2, Failure: "no"}})
		if want := (Cell{Rate: 15, CPU: 1.5, Failures: 3, Failure: "no"}); got != want {
			t.Fatalf("got %+v", got)
		}
	})
	t.Run("cells are compared with their neighbors, not medians with medians", func(t *testing.T) {
		got := compared(0)
		if got.Rate != 0.8 || got.RateLow != 0.4 || got.RateHigh != 0.8 || got.CPU != 1.2 {
			t.Fatalf("got %+v", got)
		}
		if got.Before.Rate != 1000 || got.After.Rate != 800 || got.System != ParleySQLite || got.Clients != 64 {
			t.Fatalf("got %+v", got)
		}
	})
	t.Run("a loss of more than a tenth is a missed aim, one of a tenth is none", func(t *testing.T) {
		for _, c := range []struct {
			rate, cpu        float64
			isFast, isFrugal bool
		}{
			{rate: 0.89, cpu: 1, isFast: false, isFrugal: true},
			{rate: 0.9, cpu: 1.1, isFast: true, isFrugal: true},
			{rate: 1.1, cpu: 1.11, isFast: true, isFrugal: false},
		} {
			aims := (Comparison{Rows: []Compared{{Rate: c.rate, CPU: c.cpu}}}).Aims()
			if len(aims) != 2 || aims[0].IsMet != c.isFast || aims[1].IsMet != c.isFrugal {
				t.Errorf("%+v: got %+v", c, aims)
			}
		}
	})
	t.Run("a failed request of either program is seen", func(t *testing.T) {
		if (Comparison{Rows: []Compared{compared(0)}}).Failed() || !(Comparison{Rows: []Compared{compared(1)}}).Failed() {
			t.Fatal("it is not")
		}
		if figures := (Comparison{Rows: []Compared{compared(1)}}).Markdown(); !strings.Contains(figures, "**1**") {
			t.Fatalf("no failure in\n%s", figures)
		}
	})
}

func TestHandbook(t *testing.T) {
	t.Run("it is the same each time, and has the words of the question", func(t *testing.T) {
		read := func() string {
			paths, err := writeHandbook(t.TempDir())
			if err != nil || len(paths) != handbookDocuments {
				t.Fatal(paths, err)
			}
			var all strings.Builder
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				all.WriteString(filepath.Base(path) + string(text))
			}
			return all.String()
		}
		first := read()
		if first != read() {
			t.Fatal("it is another one")
		}
		for _, word := range []string{"revoke", "API", "token", "chatbot"} {
			if !strings.Contains(first, " "+word+" ") {
				t.Errorf("%s is not in it", word)
			}
		}
	})
}
