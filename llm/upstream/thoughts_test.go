package upstream

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// seen returns what a reader sees of the pieces of a text.
func seen(pieces ...string) string {
	var v visible
	var out strings.Builder
	for _, piece := range pieces {
		out.WriteString(v.pass(piece))
	}
	return out.String() + v.rest()
}

func TestThoughts(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a block at the beginning is left out, with the space after it": {"<think>\nThe router?\n</think>\n\nHold the button.", "Hold the button."},
		"an empty block is left out":                                    {"<think></think>Yes.", "Yes."},
		"a block that begins a later line is left out":                  {"First.\n<think>And then?</think>\nSecond.", "First.\nSecond."},
		"a block that never ends is left out":                           {"Yes.\n<think>But", "Yes.\n"},
		"a tag within a line is text":                                   {"The model writes <think> before it thinks.", "The model writes <think> before it thinks."},
		"other tags are text":                                           {"<thinker>\n<b>Yes</b>\n<", "<thinker>\n<b>Yes</b>\n<"},
		"nothing but thoughts is nothing":                               {"<think>Hm.</think>\n \n", ""},
		"nothing but space is nothing":                                  {" \n\t\n", ""},
		"space before the first word is left out, and no other":         {"\n\n One\n\n two ", "One\n\n two "},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				var pieces []string
				for rest := c.text; rest != ""; {
					n := rapid.IntRange(1, len(rest)).Draw(rt, "bytes")
					pieces, rest = append(pieces, rest[:n]), rest[n:]
				}
				if got := seen(pieces...); got != c.want {
					rt.Fatalf("of %q a reader sees %q, want %q", pieces, got, c.want)
				}
			})
		})
	}
}
