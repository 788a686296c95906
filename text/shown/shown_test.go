package shown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnswer(t *testing.T) {
	for text, want := range map[string]string{
		"It is *not* **so** `x`.":             "It is *not* **so** `x`.",
		"n**o**t n`o`t n[1]ot":                "not not not",
		"see n[o](https://a.test)t":           "see not",
		"see [the page](https://a.test) here": "see [the page](https://a.test) here",
		"n&#111;t &amp; n\u200bot":            "not & not",
		"a<br>b <b>c</b>d<!-- e -->":          "a b cd",
		"ⓝⓞⓣ 🄽🅾🅣":                             "not not",
		"2 * 3 [1, 2] a]b":                    "2 * 3 [1, 2] a]b",
	} {
		t.Run(text+" is shown as "+want, func(t *testing.T) {
			if got := Answer(text); got != want {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("of a passage, tags stay, and comments go outside of code", func(t *testing.T) {
		got := Passage("Vec<T> is <!-- not --> n&#111;t\n```\n<!-- kept -->\n```\n<!-- gone -->")
		if strings.Join(strings.Fields(got), " ") != "Vec<T> is not <!-- kept -->" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("plain text stays", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringMatching(`[a-zäéß0-9 .,!?'-]*`).Draw(t, "text")
			if got := Answer(text); got != text {
				t.Fatalf("%q is shown as %q", text, got)
			}
		})
	})
}

func TestDisguise(t *testing.T) {
	for sentence, want := range map[string]bool{
		"plain words": false, "nоt": true, "ոօ": true, "Αθήνα": false, "ɴᴏᴛ": true, "café Gäste": false,
		"цена iPhone'ом": false, "цена cop": true, "cop": false, "5 μg": false,
	} {
		t.Run(sentence, func(t *testing.T) {
			a := Alphabets{}
			a.Add("Αθήνα, цена")
			if got := a.Disguise(strings.Fields(sentence), func(string) bool { return false }); got != want {
				t.Errorf("it is %v", got)
			}
		})
	}
	t.Run("a word that is known is none", func(t *testing.T) {
		if (Alphabets{}).Disguise([]string{"nоt"}, func(word string) bool { return word == "nоt" }) {
			t.Error("it is one")
		}
	})
}
