package citation

import (
	"reflect"
	"testing"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   []Mark
	}{
		"nothing cited":                 {"At seven.", nil},
		"two in a row, by characters":   {"Grüß Gott [1][2].", []Mark{{1, 10, 13}, {2, 13, 16}}},
		"a number that was not given":   {"At seven [3].", nil},
		"code and links are no markers": {"Use `a[1]` or [1](https://example.com), as in [2].", []Mark{{2, 46, 49}}},
		"a block of code is none":       {"```\na[1]\n```\nAt seven [1]", []Mark{{1, 22, 25}}},
		"an escaped bracket is none":    {`Not \[1] but [1]`, []Mark{{1, 13, 16}}},
		"a quotation needs no passage":  {"It says “at seven” [2].", []Mark{{2, 19, 22}}},
		"at the beginning of a line":    {"[1] says so.", []Mark{{1, 0, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Marks(c.answer, 2); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
