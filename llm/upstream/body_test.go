package upstream

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIsObject(t *testing.T) {
	for data, want := range map[string]bool{
		`{}`: true, `{"a":[1,{"b":null}]}`: true, "{\n}": true,
		``: false, ` {}`: false, `[]`: false, `null`: false, `"{}"`: false, `{`: false, `{}{}`: false, `{"a":}`: false,
		`{"a":"` + strings.Repeat("x", 2*shortJSON) + `"}`: true,
		`{"a":"` + strings.Repeat("x", 2*shortJSON) + `"`:  false,
	} {
		if IsObject([]byte(data)) != want {
			t.Errorf("IsObject(%.20q) is not %v", data, want)
		}
	}
	t.Run("any number of brackets leaves the stack intact", func(t *testing.T) {
		for _, bytes := range []int{shortJSON - 20, shortJSON + 20, 300 << 10, maxWholeBytes} {
			if IsObject([]byte(`{"a":` + strings.Repeat("[", bytes))) {
				t.Errorf("%d brackets are an object", bytes)
			}
		}
		closed := `{"a":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`
		if IsObject([]byte(closed)) {
			t.Error("a depth of a million is accepted")
		}
	})
	t.Run("it agrees with encoding/json, however long the data is", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			inner := rapid.StringMatching(`[\[\]{}",:a0 \\ue.-]{0,30}`).Draw(t, "inner")
			data := []byte(`{"a":` + inner + `}` + strings.Repeat(" ", rapid.SampledFrom([]int{0, shortJSON}).Draw(t, "space")))
			if IsObject(data) != json.Valid(data) {
				t.Fatalf("IsObject(%q) is %v", data, IsObject(data))
			}
		})
	})
}

func TestReadWhole(t *testing.T) {
	t.Run("surrounding white space is trimmed", func(t *testing.T) {
		if got, err := ReadWhole(strings.NewReader("\n {} \r\n")); err != nil || string(got) != "{}" {
			t.Errorf("got %q and %v", got, err)
		}
	})
	t.Run("an answer of 8 MiB is a failure, and reading stops there", func(t *testing.T) {
		source := &counted{Reader: endless('x')}
		if _, err := ReadWhole(source); err != errTooLong || source.bytes > maxWholeBytes {
			t.Errorf("got %v after %d bytes", err, source.bytes)
		}
	})
}
