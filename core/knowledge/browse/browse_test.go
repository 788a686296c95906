package browse

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/core/fault"
)

func TestTextOf(t *testing.T) {
	for name, content := range map[string]string{
		"nothing":                  "",
		"a short text":             "The rye loaf is baked at midnight.",
		"lines":                    strings.Repeat("The rye loaf is baked at midnight.\n", 5000),
		"one line":                 strings.Repeat("x", 3*TextPart+1),
		"characters of four bytes": strings.Repeat("🥐", TextPart),
		"exactly two parts":        strings.Repeat("x", 2*TextPart),
	} {
		t.Run(name+" is shown in parts that are the whole", func(t *testing.T) {
			var whole strings.Builder
			parts := TextOf(content, 1).Parts
			for part := 1; part <= parts; part++ {
				text := TextOf(content, part)
				if text.Part != part || text.Parts != parts || len(text.Text) > TextPart || !utf8.ValidString(text.Text) {
					t.Errorf("part %d is %d of %d, with %d bytes", part, text.Part, text.Parts, len(text.Text))
				}
				whole.WriteString(text.Text)
			}
			if whole.String() != content {
				t.Errorf("%d parts are %d bytes, not %d", parts, whole.Len(), len(content))
			}
			if first, last := TextOf(content, -3), TextOf(content, 1_000_000); first.Part != 1 || last.Part != parts {
				t.Errorf("the nearest parts are %d and %d of %d", first.Part, last.Part, parts)
			}
		})
	}
}

func TestCursor(t *testing.T) {
	want := Cursor{time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC), "doc_0123abc"}
	if got, err := ParseCursor("after", want.String()); err != nil || got != want {
		t.Errorf("%v becomes %v, %v", want, got, err)
	}
	if got, err := ParseCursor("after", ""); err != nil || !got.IsZero() {
		t.Errorf("none becomes %v, %v", got, err)
	}
	for name, text := range map[string]string{
		"a number": "1", "no time": "ZG9jXzE", "what is no base64": "doc 1", "a long text": strings.Repeat("A", 300),
		"an ID that is none": Cursor{want.At, "doc'; --"}.String(),
	} {
		t.Run(name+" is no cursor", func(t *testing.T) {
			got, err := ParseCursor("after", text)
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != "after" {
				t.Errorf("it is %v, %v", got, err)
			}
		})
	}
}

func TestCleanSearch(t *testing.T) {
	for given, want := range map[string]string{
		"  rye ": "rye", "a\x00b": "ab", "a\xffb": "ab", strings.Repeat("é", 200): strings.Repeat("é", 100),
	} {
		if got := cleanSearch(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
