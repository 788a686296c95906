// Package raised writes superscripts, subscripts and fractions in plain text, so that no
// digit changes its meaning: 10^6, m², H₂O, 1 3/4.
//
// It does not own how a document or an answer marks them.
package raised

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	above = characters("0123456789+-−=()nioa", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵒᵃ")
	below = characters("0123456789+-−=()aeox", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓ")
)

func characters(plain, raised string) map[rune]rune {
	of := map[rune]rune{}
	to := []rune(raised)
	for i, r := range []rune(plain) {
		of[r] = to[i]
	}
	return of
}

// Super is a superscript after a text: the characters that Unicode has for it, or the text
// behind "^". After a digit it is always that, since search and people read 10⁶ as 106;
// letters after a digit, as in 5th, stay as they are.
func Super(before, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	if endsInDigit(before) {
		if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 && utf8.RuneCountInString(text) > 1 {
			return text
		}
		return marked("^", text)
	}
	return written(above, "^", text)
}

// Sub is a subscript: the characters that Unicode has for it, or the text behind "_".
func Sub(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return written(below, "_", text)
}

// Fraction is a numerator over a denominator after a text, with a space after a whole
// number.
func Fraction(before, numerator, denominator string) string {
	fraction := strings.TrimSpace(numerator) + "/" + strings.TrimSpace(denominator)
	if endsInDigit(before) {
		return " " + fraction
	}
	return fraction
}

func endsInDigit(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsDigit(last)
}

func written(of map[rune]rune, mark, text string) string {
	var out strings.Builder
	for _, r := range text {
		to, known := of[r]
		if !known {
			return marked(mark, text)
		}
		out.WriteRune(to)
	}
	return out.String()
}

// marked is a text behind a mark, in parentheses unless it is one word.
func marked(mark, text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0 {
		return mark + text
	}
	if sign, rest := text[:1], text[1:]; (sign == "-" || sign == "+") && rest != "" && strings.Trim(rest, "0123456789") == "" {
		return mark + text
	}
	return mark + "(" + text + ")"
}
