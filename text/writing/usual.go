// Package writing knows in how many ways Unicode writes the same letter, and in which order
// letters that were read from left to right are spoken.
//
// It does not own what a reader does not see (package clean), or the terms of a search
// (package lexical).
package writing

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Usual returns the usual letters for a sign that stands for them in fonts and old character
// sets only: a ligature, a radical, the form that an Arabic letter has within a word, a
// letter for a vertical line. It returns false for all that means more than its letters:
// superscripts, fractions, numbers in circles, units.
func Usual(r rune) (string, bool) {
	switch {
	case r < 0x132:
		return "", false
	case r == 0x132, r == 0x133, r >= 0x1c4 && r <= 0x1cc, r >= 0x1f1 && r <= 0x1f3: // ĳ, ǆ, ǉ, ǌ, ǳ
	case r >= firstRadical && r < firstRadical+rune(len(radicals)):
		usual := radicals[r-firstRadical]
		return string(usual), usual != r
	case r >= 0x2f00 && r <= 0x2fd5: // Kangxi radicals
	case r >= 0xf900 && r <= 0xfaff, r >= 0x2f800 && r <= 0x2fa1f: // ideographs of other character sets
	case r >= 0xfb00 && r <= 0xfdfc, r >= 0xfe70 && r <= 0xfefc: // ligatures, forms of Hebrew and Arabic letters
	case r >= 0xfe10 && r <= 0xfe48, r >= 0xfe50 && r <= 0xfe6b: // vertical and small forms
	default:
		return "", false
	}
	written := string(r)
	usual := strings.TrimLeft(norm.NFKC.String(written), " ") // a vowel sign that stands alone has a space
	if strings.Contains(marks, usual) {
		return "", false
	}
	return usual, usual != written
}

// marks would be read as Markdown's.
const marks = "\\`*_{}[]<>#|&~+-="

// Plain returns a text in usual letters.
func Plain(text string) string {
	for at, r := range text {
		if _, ok := Usual(r); !ok {
			continue
		}
		var b strings.Builder
		b.Grow(len(text))
		b.WriteString(text[:at])
		for _, r := range text[at:] {
			if usual, ok := Usual(r); ok {
				b.WriteString(usual)
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	return text
}

// firstRadical is the first of the block CJK Radicals Supplement.
const firstRadical = 0x2e80

// radicals are the ideographs that look like the radicals of that block: the property
// Equivalent_Unified_Ideograph of Unicode 14. NFKC knows two of them.
var radicals = []rune("⺀厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵⺚旡日" +
	"月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂" +
	"肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝" +
	"雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟")

// Typed returns the one form of a password that is compared, because keyboards and systems
// write the same letters differently: composed or decomposed, in half or full width, with
// one space or another (RFC 8265, section 4.2, with NFKC for NFC).
func Typed(password string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, norm.NFKC.String(password))
}
