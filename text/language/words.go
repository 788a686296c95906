package language

import (
	"embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words/*.txt asking/*.txt alike/*.txt
var lists embed.FS

// Latin are the languages that are told apart by their function words.
var Latin = []Code{English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian, Finnish, Turkish}

// maxLatin is at least as many.
const maxLatin = 12

// functionWords has for each word, folded, a bit for each language of Latin in which it
// is one.
var functionWords = func() map[string]uint32 {
	masks := map[string]uint32{}
	for i, code := range Latin {
		for _, word := range code.FunctionWords() {
			masks[Fold(word)] |= 1 << i
		}
	}
	return masks
}()

// FunctionWords are the words of a language that say nothing about what a text is about,
// such as articles and pronouns. They are nil for a language without a list.
func (c Code) FunctionWords() []string { return listOf("words", c) }

// AskingWords are words of a language that questions have around what they ask about, in
// most of their forms: what may, must or can be done, is given, taken or found, how much
// and how often. They are nil for a language without a list.
func (c Code) AskingWords() []string { return listOf("asking", c) }

// AlikeWords are groups of words of a language that businesses and their customers use for
// the same, such as "Rabatt" and "Ermäßigung": a file for each language, with a line for each
// group. They are nil for a language without a file.
func (c Code) AlikeWords() [][]string {
	list, err := lists.ReadFile("alike/" + string(c) + ".txt")
	if err != nil {
		return nil
	}
	var groups [][]string
	for line := range strings.Lines(string(list)) {
		if words := strings.Fields(line); len(words) > 1 {
			groups = append(groups, words)
		}
	}
	return groups
}

func listOf(folder string, code Code) []string {
	list, err := lists.ReadFile(folder + "/" + string(code) + ".txt")
	if err != nil {
		return nil
	}
	return strings.Fields(string(list))
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
