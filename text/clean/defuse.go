package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Defuse takes from a text that others wrote what could delimit a passage: the
// bracket before the word "passage", whatever stands between them, in whatever
// letters that read like these. It also takes the brackets of the marks that
// models' own formats set between messages, which some servers read in texts,
// too. The brackets become "&lt;"; all else stays.
func Defuse(text string) string {
	at := nextOpening(text)
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for at < len(text) {
		b.WriteString(text[:at])
		_, size := utf8.DecodeRuneInString(text[at:])
		bracket, rest := text[at:at+size], text[at+size:]
		if namesPassage(rest) || isMessageMark(rest) {
			bracket = "&lt;"
		}
		b.WriteString(bracket)
		text = rest
		at = nextOpening(text)
	}
	b.WriteString(text)
	return b.String()
}

// nextOpening returns where the next bracket is that opens a tag, or reads as
// if it did: the length of the text if there is none.
func nextOpening(text string) int {
	if less := strings.IndexByte(text, '<'); less >= 0 {
		text = text[:less]
	}
	for at := 0; at < len(text); at++ {
		if at = pastASCII(text, at); at == len(text) {
			break
		}
		if c := text[at]; c < utf8.RuneSelf || !utf8.RuneStart(c) {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(text[at:]); opensTag(r) {
			return at
		}
	}
	return len(text)
}

// pastASCII returns where the eights of ASCII characters end that begin at an
// offset.
func pastASCII(text string, at int) int {
	for ; at+8 <= len(text); at += 8 {
		if eight(text[at:at+8])&(each<<7) != 0 {
			break
		}
	}
	return at
}

func opensTag(r rune) bool {
	switch r {
	case '＜', '﹤', '‹', '❮', '❬', '❰', '⟨', '〈', '\u2329', '˂', 'ᐸ', '𐒊', '≺', '⧼', '⋖', '⩹':
		return true
	}
	return false
}

// maxGap is how many characters other than letters may stand before and between the letters
// of a word that still reads as one.
const maxGap = 16

// namesPassage reports whether the first letters of a text read as "passage".
func namesPassage(text string) bool {
	want, gap := "passage", 0
	for _, r := range text {
		switch letter := letterOf(r); {
		case letter == rune(want[0]):
			if want, gap = want[1:], 0; want == "" {
				return true
			}
		case letter != 0:
			return false
		default:
			if gap++; gap > maxGap {
				return false
			}
		}
	}
	return false
}

// letterOf is the letter or digit that r reads as, or zero if it is neither.
func letterOf(r rune) rune {
	if r >= utf8.RuneSelf {
		r = decomposed(r)
	}
	r = unicode.ToLower(r)
	if letter, ok := lookalikes[r]; ok {
		return letter
	}
	if unicode.IsLetter(r) || unicode.IsNumber(r) {
		return r
	}
	return 0
}

// decomposed returns the base character of r (Unicode TR 15): the plain letter of an
// accented, wide or circled one, or of one in another type.
func decomposed(r rune) rune {
	var buffer [utf8.UTFMax]byte
	decomposition := norm.NFKD.Properties(utf8.AppendRune(buffer[:0], r)).Decomposition()
	if decomposition == nil {
		return r
	}
	base, _ := utf8.DecodeRune(decomposition)
	return base
}

// lookalikes maps letters of other alphabets to the letters of "passage" that they look like.
var lookalikes = map[rune]rune{
	'а': 'a', 'ɑ': 'a', 'α': 'a', 'ᴀ': 'a', 'р': 'p', 'ρ': 'p', 'ᴘ': 'p', 'ѕ': 's', 'ꜱ': 's', 'ƽ': 's', 'ʂ': 's',
	'ɡ': 'g', 'ց': 'g', 'ɢ': 'g', 'ԍ': 'g', 'е': 'e', 'ε': 'e', 'ҽ': 'e', 'ᴇ': 'e', 'ɛ': 'e', 'ꬲ': 'e',
}

// isMessageMark reports whether a text, after its bracket, goes on like the mark of a
// message in the format of a family of models: "<|im_end|>" and the like,
// "<start_of_turn>", "</s>".
func isMessageMark(text string) bool {
	for _, mark := range []string{"s>", "/s>", "start_of_turn>", "end_of_turn>"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	bar, size := utf8.DecodeRuneInString(text)
	if bar != '|' && bar != '｜' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[size:])
	return unicode.IsLetter(next) || next == '_'
}
