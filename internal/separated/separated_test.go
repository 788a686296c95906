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
	t.Run("rows are read as encoding/csv reads them, where it finds no fault", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringOf(rapid.SampledFrom([]rune("a,;\"\n é"))).Draw(t, "text")
			if rapid.Bool().Draw(t, "windows") {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			comma := rapid.SampledFrom([]rune(",;")).Draw(t, "comma")
			yardstick := csv.NewReader(strings.NewReader(text))
			yardstick.Comma, yardstick.FieldsPerRecord = comma, -1
			var want [][]string
			for {
				cells, err := yardstick.Read()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Skip(err) // rapid draws another text: the yardstick has nothing to say of this one
				}
				want = append(want, cells)
			}
			if got := all(text, comma, 1000); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q is %q, want %q", text, got, want)
			}
		})
	})
	t.Run("a quote that encloses no cell is a character, and swallows nothing", func(t *testing.T) {
		for text, want := range map[string][][]string{
			"\"Moby\" for kids,3\nEmma,5\n":            {{`"Moby" for kids`, "3"}, {"Emma", "5"}},
			"\"Moby for kids,3\n\"Emma\",5\n":          {{`"Moby for kids`, "3"}, {"Emma", "5"}},
			"Emma,5\n\"Moby,3\nDune,9":                 {{"Emma", "5"}, {`"Moby`, "3"}, {"Dune", "9"}},
			"\"say \"hi\", twice\",3\nEmma,5":          {{`say "hi`, ` twice"`, "3"}, {"Emma", "5"}},
			"Lamp, \"12, net\", \"a\"\nEmma, \"open,5": {{"Lamp", "12, net", "a"}, {"Emma", ` "open`, "5"}},
			"\"say \\\"hi\\\", twice\",3\n\"C:\\\",5":  {{`say "hi", twice`, "3"}, {`C:\`, "5"}},
			"12\" disk,3\n3.5\" disk,4":                {{`12" disk`, "3"}, {`3.5" disk`, "4"}},
			"\"a \"\"b\"\", c\",\"d\ne\"\nf":           {{`a "b", c`, "d\ne"}, {"f"}},
			"\"he said \"no\" to me\",1\n\"x\",2":      {{`he said "no" to me`, "1"}, {"x", "2"}},
		} {
			if got := all(text, ',', 10); !reflect.DeepEqual(got, want) {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	})
	t.Run("between tabs a quote is a character, unless the cell needs it", func(t *testing.T) {
		for text, want := range map[string][][]string{
			"\"Moby\" for kids\t3\nEmma\t5":                   {{`"Moby" for kids`, "3"}, {"Emma", "5"}},
			"\"Moby\"\t3\n\"Emma\tDune\"\t5":                  {{`"Moby"`, "3"}, {"Emma\tDune", "5"}},
			"Room\t\"two\nlines\"\r\nBar\tone":                {{"Room", "two\nlines"}, {"Bar", "one"}},
			"\"so \"\"called\"\"\"\t1\n\"open\t2":             {{`so "called"`, "1"}, {`"open`, "2"}},
			"\"Title\"\t\"Copies\"\n\"Emma\"\t\"5\"":          {{"Title", "Copies"}, {"Emma", "5"}},
			"5\" pipe\t3\n\"x\" and \"y\"\t4":                 {{`5" pipe`, "3"}, {`"x" and "y"`, "4"}},
			"\"" + strings.Repeat("long ", 8_000) + "\n\"\tb": {{"\"" + strings.Repeat("long ", 8_000)}, {"\"", "b"}},
		} {
			if got := all(text, '\t', 10); !reflect.DeepEqual(got, want) {
				t.Errorf("%.60q is %.80q, want %.80q", text, got, want)
			}
		}
	})
	t.Run("lines end with CR, LF or both", func(t *testing.T) {
		for _, text := range []string{"a,b\rc,d\r", "a,b\r\nc,d\r\n", "a,b\nc,d", "a,b\r\r\rc,d", "a,b\rc,d\n"} {
			if got := all(text, ',', 10); !reflect.DeepEqual(got, [][]string{{"a", "b"}, {"c", "d"}}) {
				t.Errorf("%q is %q", text, got)
			}
		}
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
			"quotes that close nothing": strings.Repeat("\"a\"b,", 1<<20), "quotes that are doubled": "\"x," + strings.Repeat("\"\"\"\"y,", 1<<20),
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
