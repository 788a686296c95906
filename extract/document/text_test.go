package document

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"control characters go", "a\x00b\x1b[0m\x7f", "ab[0m"},
		{"line ends become newlines", "a\r\nb\rc\u2028d", "a\nb\nc\nd"},
		{"zero-width characters go", "pass\u200bword\ufeff\u00ad", "password"},
		{"hidden tags go", "hi\U000e0049\U000e0067", "hi"},
		{"marks that turn the direction go", "a\u202eb", "ab"},
		{"joiners stay where they mean something", "می\u200cخواهم 👩\u200d🔧", "می\u200cخواهم 👩\u200d🔧"},
		{"joiners go between Latin letters", "a\u200db", "ab"},
		{"ligatures become letters", "oﬃce ﬁle", "office file"},
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
		{"marks of emphasis are escaped", "*now* _then_", `\*now\* \_then\_`},
		{"a sum stays", "2 * 3 < 7 - 1", "2 * 3 < 7 - 1"},
		{"what looks like a heading is text", "# 1", `\# 1`},
		{"what looks like a list is text", "1. a\n- b", "1\\. a\n\\- b"},
		{"tags are text", "<script> <3", `\<script> <3`},
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
		{"UTF-8 is seen whatever is declared", "text/plain; charset=iso-8859-1", []byte("Größe"), "Größe"},
		{"a false UTF-8 is windows-1252", "text/plain; charset=utf-8", []byte("Gr\xf6\xdfe \x80"), "Größe €"},
		{"what is declared is believed otherwise", "text/plain; charset=koi8-r", []byte("\xd0\xd2\xc9\xd7\xc5\xd4"), "привет"},
		{"UTF-16 is known by its mark", "", []byte("\xfe\xff\x00h\x00i"), "hi"},
		{"UTF-16 is known by its zeros", "", []byte(strings.Join(strings.Split("hello, everybody", ""), "\x00") + "\x00"), "hello, everybody"},
		{"a mark is no text", "", []byte("\xef\xbb\xbfhi"), "hi"},
		{"one broken letter does not make it another encoding", "", []byte("äöüäöüäöüäöü \xe4"), "äöüäöüäöüäöü \ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Decode(c.body, c.contentType, ""); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
