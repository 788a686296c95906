package separated_test

import (
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/separated"
)

func all(text string, comma rune, most int) (rows [][]string) {
	r := separated.New(text, comma, most)
	for {
		cells, _, ok := r.Next()
		if !ok {
			return rows
		}
		rows = append(rows, slices.Clone(cells))
	}
}

func TestRows(t *testing.T) {
	t.Run("rows are read as encoding/csv reads them, if it is told to be lenient", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringOf(rapid.SampledFrom([]rune("a,;\"\n é"))).Draw(t, "text")
			if rapid.Bool().Draw(t, "windows") {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			comma := rapid.SampledFrom([]rune(",;")).Draw(t, "comma")
			yardstick := csv.NewReader(strings.NewReader(text))
			yardstick.Comma, yardstick.FieldsPerRecord, yardstick.LazyQuotes = comma, -1, true
			var want [][]string
			for {
				cells, err := yardstick.Read()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, cells)
			}
			if got := all(text, comma, 1000); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q is %q, want %q", text, got, want)
			}
		})
	})
	t.Run("a row says on which line it begins", func(t *testing.T) {
		r := separated.New("a,b\n\n\"c\nd\",e\nf", ',', 10)
		var lines []int
		for {
			_, line, ok := r.Next()
			if !ok {
				break
			}
			lines = append(lines, line)
		}
		if !slices.Equal(lines, []int{1, 3, 5}) {
			t.Errorf("the lines are %v", lines)
		}
	})
	t.Run("millions of cells cost nothing, whatever they look like", func(t *testing.T) {
		for what, text := range map[string]string{
			"commas": strings.Repeat(",", 4<<20), "quoted line ends": strings.Repeat("\"\n\",", 1<<20), "quotes": strings.Repeat("a\"b,", 1<<20),
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := separated.New(text, ',', 1000)
			for {
				if _, _, ok := r.Next(); !ok {
					break
				}
			}
			runtime.ReadMemStats(&after)
			if held := after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc); held > 16<<20 {
				t.Errorf("%s take %d MiB", what, held>>20)
			}
		}
	})
}
