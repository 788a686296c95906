package language

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Latin are the languages that are told apart by their function words.
var Latin = []Code{English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian, Finnish, Turkish}

// maxLatin is at least as many.
const maxLatin = 12

// functionWords has for each word, folded, a bit for each language of Latin in which it
// is one.
var functionWords = sync.OnceValue(func() map[string]uint32 { return masks("words", "telling") })

// masks has for each word of sections, folded, a bit for each language of Latin that has it.
func masks(sections ...string) map[string]uint32 {
	all := map[string]uint32{}
	for i, code := range Latin {
		for _, section := range sections {
			for _, word := range code.Words(section) {
				all[Fold(word)] |= 1 << i
			}
		}
	}
	return all
}

// The scripts that tell languages apart.
const (
	latin = iota
	cyrillic
	arabic
	hebrew
	han
	kana
	hangul
	thai
	other
	scripts
)

var tables = [...]*unicode.RangeTable{
	cyrillic: unicode.Cyrillic, arabic: unicode.Arabic, hebrew: unicode.Hebrew, han: unicode.Han, hangul: unicode.Hangul, thai: unicode.Thai,
}

var languageOfScript = [scripts]Code{cyrillic: Russian, arabic: Arabic, hebrew: Hebrew, han: Chinese, kana: Japanese, hangul: Korean, thai: Thai}

// scriptOf is the script of a word's first letter; kana if it has one, since Japanese
// words may begin with the letters of Chinese.
func scriptOf(word string) int {
	r, _ := utf8.DecodeRuneInString(word)
	if r < 0x250 {
		return latin
	}
	if strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }) {
		return kana
	}
	for script, table := range tables {
		if table != nil && unicode.Is(table, r) {
			return script
		}
	}
	return other
}
