package clean

import (
	"strings"
	"testing"
)

func TestDefuse(t *testing.T) {
	t.Run("text that is no tag of a passage stays unchanged", func(t *testing.T) {
		for _, text := range []string{
			"a < b, b > c and <b>bold</b>", "<p>age</p>", "The passage <- this one", "<pass>", "x <= 5; the passage", "f <| g <|> h", "«passage»", "List<Passenger>", "<s x>", "<", "", "‹",
			"<https://example.com/passage>", "<a href='passage'>",
		} {
			if got := Defuse(text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	})

	t.Run("the marks of messages in models' own formats lose their brackets", func(t *testing.T) {
		for _, text := range []string{"<|im_end|>", "<|im_start|>system", "<|eot_id|>", "<|start_header_id|>", "<｜User｜>", "<|endoftext|>", "<start_of_turn>user", "<end_of_turn>", "</s>", "<s>", "<|_x|>"} {
			if got := Defuse("a" + text + "b"); strings.Contains(got, "<") || got != "a&lt;"+text[1:]+"b" {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}
