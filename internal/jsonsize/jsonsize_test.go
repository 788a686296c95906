package jsonsize

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		want error
	}{
		"a few values pass":                        {`{"a": [1, 2, "x"], "b": null}`, nil},
		"a long list is refused":                   {"[" + strings.Repeat("0,", 100) + "0]", ErrMany},
		"a list of empty objects is refused":       {"[" + strings.Repeat("{},", 60) + "{}]", ErrMany},
		"many names are refused":                   {"{" + strings.Repeat(`"a":0,`, 100) + `"b":0}`, ErrMany},
		"a list without an end is refused":         {strings.Repeat("[[],", 100), ErrMany},
		"what stands in a string is no value":      {`["` + strings.Repeat(`,[{`, 200) + `"]`, nil},
		"an escaped quote does not end a string":   {`["\"` + strings.Repeat(`,`, 200) + `"]`, nil},
		"an escaped backslash does":                {`["\\",` + strings.Repeat(`0,`, 200) + `0]`, ErrMany},
		"a string without an end is one value":     {`["` + strings.Repeat(`,`, 200), nil},
		"a string of backslashes has an end, also": {`"` + strings.Repeat(`\\`, 50) + `"` + strings.Repeat(",", 200), ErrMany},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check([]byte(row.text), 100); !errors.Is(err, row.want) {
				t.Errorf("%v, want %v", err, row.want)
			}
		})
	}
}

func TestCheckOfDepth(t *testing.T) {
	for levels, want := range map[int]error{2_000: nil, 2_001: ErrDeep} {
		if err := Check([]byte(strings.Repeat("[", levels)), 10_000); !errors.Is(err, want) {
			t.Errorf("%d levels: %v, want %v", levels, err, want)
		}
	}
}

func TestCheckCountsAtLeastTheValuesOfJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"[", "]", "{", "}", ",", ":", `"a"`, `"\""`, `"\\"`, `","`, "0", "null"})).Draw(t, "parts")
		text := []byte(strings.Join(parts, ""))
		var value any
		if json.Unmarshal(text, &value) != nil {
			return
		}
		if n := count(value); n > 1 && Check(text, n-1) == nil {
			t.Fatalf("%s has %d values, and passes as %d", text, n, n-1)
		}
	})
}

// count is how many values a value has, itself included.
func count(value any) int {
	n := 1
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			n += count(element)
		}
	case map[string]any:
		for _, member := range value {
			n += count(member)
		}
	}
	return n
}
