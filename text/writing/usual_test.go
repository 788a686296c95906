package writing

import "testing"

func TestPlain(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"radicals of Kangxi become ideographs", "\u2f54\u2f47 \u2f0a\u2f1d \u2f00\u2fd5", "水日 入口 一龠"},
		{"so do those of the supplement", "\u2ed1\u2ec4\u2ed8\u2ee9\u2ea0\u2ef3\u2e9f", "長西青黄民龟母"},
		{"a radical that is no ideograph stays", "\u2e80\u2e9a", "\u2e80\u2e9a"},
		{"ideographs of other character sets become the usual ones", "\uf9f4\ufa19 \U0002f800", "林神 丽"},
		{"letters for vertical lines become the usual ones", "\ufe35\ufe41\ufe42\ufe36\ufe50\ufe6a\ufe64b\ufe65\ufe61\ufb29", "(「」),%\ufe64b\ufe65\ufe61\ufb29"},
		{"ligatures become letters", "o\ufb03ce \ufb01lm \ufb02at sta\ufb00 \ufb06 \u0133s", "office film flat staff st ijs"},
		{"the forms of Arabic letters become letters", "\ufee3\ufeae\ufea3\ufe92\ufe8e \ufefb \ufdf2", "مرحبا لا الله"},
		{"a vowel sign gets no space", "\ufe8d\ufe76", "ا\u064e"},
		{"the forms of Hebrew letters become letters", "\ufb2a\ufb1d\ufb4f", "ש\u05c1י\u05b4אל"},
		{"what means more than its letters stays", "x² ½ ① ㎏ ㍿ Ⅷ ™ ㊗ ℃ №", "x² ½ ① ㎏ ㍿ Ⅷ ™ ㊗ ℃ №"},
		{"so do full-width letters", "ＡＢ１２ ｱ", "ＡＢ１２ ｱ"},
		{"and what is usual already", "Zürich מרחבا 東京 한글 ؟", "Zürich מרחבا 東京 한글 ؟"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Plain(test.text); got != test.want {
				t.Errorf("%+q becomes %+q (%s), want %+q", test.text, got, got, test.want)
			}
		})
	}
}

func TestTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"Zu\u0308rich": "Z\u00fcrich", "ｐａｓｓ１": "pass1", "a\u00a0b\u3000c\u1680d e": "a b c d e", "ｶﾞ": "ガ", "o\ufb03ce": "office",
		"correct horse": "correct horse", "A b": "A b", "": "",
	} {
		if got := Typed(typed); got != want || Typed(got) != want {
			t.Errorf("%+q becomes %+q, want %+q", typed, got, want)
		}
	}
}
