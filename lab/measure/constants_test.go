package measure

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"parley/app"
	"parley/core/fault"
)

// folder writes the bakery's set to a folder of a name.
func folder(t *testing.T, name string) Set {
	t.Helper()
	folder := filepath.Join(t.TempDir(), name)
	must(t, os.Mkdir(folder, 0o700))
	for file, content := range map[string]string{"corpus.jsonl.gz": corpus, "queries.jsonl.gz": queries} {
		zipped, err := os.Create(filepath.Join(folder, file))
		must(t, err)
		w := gzip.NewWriter(zipped)
		_, err = w.Write([]byte(content))
		must(t, err)
		must(t, w.Close())
		must(t, zipped.Close())
	}
	must(t, os.WriteFile(filepath.Join(folder, "qrels.tsv"), []byte(judgments), 0o600))
	return Set(folder)
}

func TestConstants(t *testing.T) {
	t.Run("each value is measured on each set, and each set is left out once", func(t *testing.T) {
		report, err := Constants(t.Context(), &app.Config{}, []Set{folder(t, "one"), folder(t, "two")})
		must(t, err)
		inUse := map[string]int{}
		for _, tried := range report.Tried {
			if tried.InUse {
				inUse[tried.Constant]++
				if tried.Figures["one"] != 1 || tried.Figures["two"] != 1 || tried.Mean != 1 {
					t.Errorf("in use is %+v", tried)
				}
			}
		}
		for _, c := range constants {
			if inUse[c.name] != 1 {
				t.Errorf("%d of the values tried for %s are in use", inUse[c.name], c.name)
			}
		}
		if want := 2 * len(constants); len(report.LeftOut) != want {
			t.Errorf("%d times a set was left out, want %d", len(report.LeftOut), want)
		}
	})
	t.Run("what is chosen is the best on the other sets, whatever the one left out says", func(t *testing.T) {
		tried := []Tried{
			{Constant: "c", Value: 0, Figures: map[string]float64{"a": 0.5, "b": 0.1, "c": 0.1}},
			{Constant: "c", Value: 1, Figures: map[string]float64{"a": 0.2, "b": 0.2, "c": 0.2}},
			{Constant: "c", Value: 2, Figures: map[string]float64{"a": 0.9, "b": 0.1, "c": 0.2}},
		}
		if got, want := leaveOut(tried, "a"), (LeftOut{"c", "a", 1, 0.2, 0.5}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("of equal values the idea is left out", func(t *testing.T) {
		tried := []Tried{
			{Constant: "c", Value: 0, Figures: map[string]float64{"a": 0.5, "b": 0.1}},
			{Constant: "c", Value: 1, Figures: map[string]float64{"a": 0.6, "b": 0.1}},
		}
		if got := leaveOut(tried, "a"); got.Value != 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("one set alone is refused", func(t *testing.T) {
		if _, err := Constants(t.Context(), &app.Config{}, []Set{"one"}); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v", err)
		}
	})
}
