package clean

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestCleanPassage(t *testing.T) {
	for _, c := range []struct{ is, text, want string }{
		{"plain text stays as it is", "Open 9–17.\n\tClosed on Sundays – naïve 東京 🙂", "Open 9–17.\n\tClosed on Sundays – naïve 東京 🙂"},
		{"every kind of line break is a newline", "a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"},
		{"other control characters are dropped", "a\x00b\x1b[31mc\x7fd\u009be", "ab[31mcde"},
		{"zero-width characters are dropped", "pass\u200bword\u2060s\ufeff", "passwords"},
		{"soft hyphens are dropped", "In\u00adstruc\u00adtions", "Instructions"},
		{"characters that turn the direction are dropped", "a\u202egnp.exe\u202c b\u2066c\u2069\u200f", "agnp.exe bc"},
		{"tags, which spell text that nobody sees, are dropped", "Hi\U000E0001\U000E0049\U000E0067\U000E006E\U000E007F!", "Hi!"},
		{"the flag of Scotland, spelled by tags, stays a flag", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "🏴"},
		{"many variation selectors, which spell bytes, are dropped", "😀\ufe0f\ufe01\U000E0100\U000E01EF\ufe0f!", "😀\ufe0f!"},
		{"a variation selector on a letter or an ideograph is dropped", "a\ufe0f葛\U000E0100城", "a葛城"},
		{"one that makes a picture of a symbol stays", "❤\ufe0f ™\ufe0f ‼\ufe0f ▶\ufe0e", "❤\ufe0f ™\ufe0f ‼\ufe0f ▶\ufe0e"},
		{"one in a keycap stays, one behind a mere digit does not", "1\ufe0f\u20e3 #\ufe0f\u20e3 2\ufe0f", "1\ufe0f\u20e3 #\ufe0f\u20e3 2"},
		{"the non-joiner within a Persian word stays", "می\u200cخواهم", "می\u200cخواهم"},
		{"the joiner within a Sinhala word stays", "ශ්\u200dරී ලංකා", "ශ්\u200dරී ලංකා"},
		{"more than one in a place do not", "می\u200c\u200c\u200d\u200cخواهم", "می\u200cخواهم"},
		{"one at the edge of a word does not", "می\u200c خواهم\u200d.", "می خواهم."},
		{"joiners between Latin letters do not", "Auf\u200clage a\u200db", "Auflage ab"},
		{"the joiner within an emoji stays", "👩\u200d🔬 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👍🏽", "👩\u200d🔬 👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👍🏽"},
		{"one behind an emoji does not", "👩\u200d and 👩\u200d\u200d", "👩 and 👩"},
		{"a Mongolian selector stays in a word", "ᠮᠣ\u180bᠩ \u180b", "ᠮᠣ\u180bᠩ "},
		{"visible format characters stay", "\u0600١٢٣ \u06dd", "\u0600١٢٣ \u06dd"},
		{"fillers, noncharacters and private use of the last planes are dropped", "a\u3164b\uffffc\ufdd0d\U000F0041e\U0010FFFD", "abcde"},
		{"bytes that are no UTF-8 are replaced", "a\xff\xc3(", "a\ufffd\ufffd("},
	} {
		t.Run(c.is, func(t *testing.T) {
			if got := Text(c.text); got != c.want {
				t.Errorf("%+q became %+q, want %+q", c.text, got, c.want)
			}
		})
	}
}

func TestHidden(t *testing.T) {
	t.Run("hidden is what Unicode's properties say is", func(t *testing.T) {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			want := unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
				unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) ||
				unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
				r >= 0xF0000
			if r == '\n' || r == '\t' {
				want = false
			}
			if got := isHidden(r); got != want {
				t.Errorf("%U: got %v, want %v", r, got, want)
			}
		}
	})
}

func TestCleanLine(t *testing.T) {
	for _, c := range []struct{ is, text, want string }{
		{"white space is one space", " a\n\tb \u2028 c\u00a0d ", "a b c d"},
		{"what is too long ends with an ellipsis", "abcdefghij k", "abcdefghi…"},
		{"no space stands before it", "abcdefgh klmn", "abcdefgh…"},
		{"what is just short enough stays", "ääääääääää", "ääääääääää"},
		{"what is far too long is not read to its end", strings.Repeat("ä", 1<<20), "äääääääää…"},
	} {
		t.Run(c.is, func(t *testing.T) {
			if got := Line(c.text, 10); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzCleanPassage(f *testing.F) {
	f.Add("a\u200bb\u200c\u200dc")
	f.Add("می\u200cخواهم\u200b\u200c")
	f.Add("❤\u200b\ufe0f\u200d\ufeff🔥\r\r\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		once := Text(text)
		if again := Text(once); again != once {
			t.Errorf("%+q became %+q, and that %+q", text, once, again)
		}
		if !utf8.ValidString(once) {
			t.Errorf("%+q is not UTF-8", once)
		}
		kept := rune(0)
		for _, r := range once {
			if isHidden(r) && isHidden(kept) {
				t.Errorf("%+q has hidden characters beside each other", once)
			}
			kept = r
		}
	})
}

func BenchmarkCleanPassage(b *testing.B) {
	for name, text := range map[string]string{
		"english": strings.Repeat("The shop is open from nine to five, except on holidays. ", 27),
		"russian": strings.Repeat("Магазин открыт с девяти до пяти, кроме праздников. ", 16),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}
