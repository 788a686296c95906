package document

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"control characters are removed", "a\x00b\x1b[0m\x7f", "ab[0m"},
		{"line ends become newlines", "a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"zero-width characters are removed", "pass\u200bword\ufeff\u00ad", "password"},
		{"hidden tags are removed", "hi\U000e0049\U000e0067", "hi"},
		{"marks that change the direction of text are removed", "a\u202eb", "ab"},
		{"joiners stay where they have a meaning", "می\u200cخواهم 👩\u200d🔧", "می\u200cخواهم 👩\u200d🔧"},
		{"joiners between Latin letters are removed", "a\u200db", "ab"},
		{"ligatures become letters", "oﬃce ﬁle", "office file"},
		{"radicals and forms of letters become the usual letters", "\u2f54曜\u2f47 \u2ed1い \ufee3\ufeae", "水曜日 長い مر"},
		{"what means more than its letters stays", "m² ½ ① ㎏", "m² ½ ① ㎏"},
		{"broken bytes become replacement characters", "a\xffb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"names with underscores stay", "max_tokens and file_name.go", "max_tokens and file_name.go"},
		{"emphasis marks are escaped", "*now* _then_", `\*now\* \_then\_`},
		{"a formula stays", "2 * 3 < 7 - 1", "2 * 3 < 7 - 1"},
		{"text that looks like a heading is escaped", "# 1", `\# 1`},
		{"text that looks like a list is escaped", "1. a\n- b", "1\\. a\n\\- b"},
		{"tags are escaped", "<script> <3", `\<script> <3`},
		{"brackets stay", "see [1]", "see [1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Escape(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCharset(t *testing.T) {
	for _, c := range []struct {
		name, contentType string
		body              []byte
		want              string
	}{
		{"UTF-8 is recognized whatever is declared", "text/plain; charset=iso-8859-1", []byte("Größe"), "Größe"},
		{"text that only claims to be UTF-8 is read as windows-1252", "text/plain; charset=utf-8", []byte("Gr\xf6\xdfe \x80"), "Größe €"},
		{"any other declaration is believed", "text/plain; charset=koi8-r", []byte("\xd0\xd2\xc9\xd7\xc5\xd4"), "привет"},
		{"UTF-16 is recognized by its mark", "", []byte("\xfe\xff\x00h\x00i"), "hi"},
		{"UTF-16 is recognized by its zeros", "", []byte(strings.Join(strings.Split("hello, everybody", ""), "\x00") + "\x00"), "hello, everybody"},
		{"a byte order mark is not text", "", []byte("\xef\xbb\xbfhi"), "hi"},
		{"UTF-8 that is cut off stays UTF-8", "", []byte("Café – naïve: 5 €\xe2\x82"), "Café – naïve: 5 €\ufffd"},
		{"one broken character does not change the encoding", "", []byte("äöüäöüäöüäöü \xe4"), "äöüäöüäöüäöü \ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := Decode(c.body, c.contentType, ""); err != nil || got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
