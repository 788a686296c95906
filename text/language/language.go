// Package language owns the languages of texts: which there are, and which one a text is
// in. Both the words of retrieval and the sentences that Parley itself says depend on it.
//
// It does not own what follows from a language, such as stems (package lexical).
package language

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Code is the ISO 639-1 code of a language. The empty one stands for a language that is
// not known.
type Code string

// The languages of texts that are told apart. Others count as unknown.
const (
	Arabic     Code = "ar"
	Chinese    Code = "zh"
	Danish     Code = "da"
	Dutch      Code = "nl"
	English    Code = "en"
	Finnish    Code = "fi"
	French     Code = "fr"
	German     Code = "de"
	Hebrew     Code = "he"
	Italian    Code = "it"
	Japanese   Code = "ja"
	Korean     Code = "ko"
	Norwegian  Code = "no"
	Portuguese Code = "pt"
	Russian    Code = "ru"
	Spanish    Code = "es"
	Swedish    Code = "sv"
	Thai       Code = "th"
	Turkish    Code = "tr"
)

var names = map[Code]string{
	Arabic: "Arabic", Chinese: "Chinese", Danish: "Danish", Dutch: "Dutch", English: "English", Finnish: "Finnish", French: "French", German: "German", Hebrew: "Hebrew",
	Italian: "Italian", Japanese: "Japanese", Korean: "Korean", Norwegian: "Norwegian", Portuguese: "Portuguese", Russian: "Russian", Spanish: "Spanish", Swedish: "Swedish",
	Thai: "Thai", Turkish: "Turkish",
}

// Name is the English name of a language, or empty if it is not known.
func (c Code) Name() string { return names[c] }

// Unspaced reports whether a language has no spaces between words, or joins particles to
// them.
func (c Code) Unspaced() bool { return c == Chinese || c == Japanese || c == Korean || c == Thai }

// Compounds reports whether a language writes words together.
func (c Code) Compounds() bool {
	return c == Danish || c == Dutch || c == Finnish || c == German || c == Norwegian || c == Swedish
}

const (
	// maxWords is how many words of a text are looked at, and maxLength how many bytes.
	maxWords, maxLength = 150, 2000
	// A language is known if leastWords of its own function words stand in the text, and
	// leastLead times as many as of any other language's. A word of several languages
	// counts as a share for each. Of a longer text they must be leastShare.
	leastWords, leastLead, leastShare = 0.9, 1.25, 0.06
	// clearWords and clearLead are so much that the rest of a text is not looked at.
	clearWords, clearLead = 5.0, 4.0
)

// Of detects the language that most of a text is in. It is the empty code if that is not
// clear: of a table, a name or a few words that are no function words.
func Of(text string) Code {
	var seen evidence
	for word := range fieldsOf(text[:cut(text)]) {
		if seen.words >= maxWords || seen.words%16 == 15 && seen.isClear() {
			break
		}
		seen.add(word)
	}
	if code := seen.byScript(); code != "" {
		return code
	}
	return seen.leading()
}

// evidence is what the words of a text say.
type evidence struct {
	words   int
	letters [scripts]int
	scores  [maxLatin]float64
}

func (e *evidence) add(word string) {
	e.words++
	script := scriptOf(word)
	e.letters[script] += len(word)
	if script != latin || len(word) == 1 { // "d", "n" and "t" stand in many languages
		return
	}
	e.count(functionWords()[Fold(word)])
}

// count adds the share of a word for each language of a mask.
func (e *evidence) count(mask uint32) {
	share := 1 / float64(max(1, bits.OnesCount32(mask)))
	for ; mask != 0; mask &= mask - 1 {
		e.scores[bits.TrailingZeros32(mask)] += share
	}
}

// best returns the language with most function words, and the scores of the two best.
func (e *evidence) best() (at int, first, second float64) {
	for i, score := range e.scores {
		switch {
		case score > first:
			at, first, second = i, score, first
		case score > second:
			second = score
		}
	}
	return at, first, second
}

func (e *evidence) isClear() bool {
	_, first, second := e.best()
	return first >= clearWords && first >= clearLead*second
}

// leading is the language that is ahead by enough.
func (e *evidence) leading() Code {
	at, first, second := e.best()
	if first < max(leastWords, leastShare*float64(e.words)) || first < leastLead*second {
		return ""
	}
	return Latin[at]
}

// byScript is the language of a text whose script tells it.
func (e *evidence) byScript() Code {
	most := latin
	for script, n := range e.letters {
		if n > e.letters[most] {
			most = script
		}
	}
	if e.letters[kana] > 0 && e.letters[kana]+e.letters[han] > e.letters[latin] {
		return Japanese
	}
	return languageOfScript[most]
}

// cut is where a text may be cut so that no letter is divided.
func cut(text string) int {
	if len(text) <= maxLength {
		return len(text)
	}
	at := maxLength
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func fieldsOf(text string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(text, func(r rune) bool {
		if r < utf8.RuneSelf {
			return (r|0x20) < 'a' || (r|0x20) > 'z'
		}
		return !unicode.IsLetter(r) && !unicode.IsMark(r)
	})
}

// Fold makes one of the forms in which Unicode can write a word, in lower case, and drops
// the accents of Latin letters: they are often not typed.
func Fold(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return strings.ToLower(unaccented(word))
		}
	}
	return strings.ToLower(word)
}

func unaccented(word string) string {
	var b strings.Builder
	isLatin := false
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(word, "")) {
		if unicode.Is(unicode.Mn, r) && isLatin || unicode.IsSpace(r) {
			continue
		}
		isLatin = unicode.Is(unicode.Latin, r)
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}
