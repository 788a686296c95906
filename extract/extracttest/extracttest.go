// Package extracttest has what tests of readers share: generated documents, and the
// property that no reader loses a letter or digit of the visible text.
//
// It does not own how a format writes a document: the tests of each format do.
package extracttest

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"parley/extract/document"
)

var (
	// targets are the addresses of links, and marks of notes: text of no document.
	targets = regexp.MustCompile(`\]\(<?` + Address + `[^()\s]*\)|\[\^[^\]]*\]:?`)
	// markup stands within words, too.
	markup = strings.NewReplacer("*", "", "~", "", `\`, "", "`", "", "[", "", "]", "")
)

// Address is where all links of generated documents lead.
const Address = "https://to.example/"

// sign reports whether a character must not be lost.
func sign(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Sc, r) || unicode.IsMark(r)
}

// Signs are the letters, digits and currency signs of a text, with superscripts and
// ligatures as plain characters.
func Signs(text string) string {
	return strings.Map(func(r rune) rune {
		if sign(r) {
			return r
		}
		return -1
	}, norm.NFKC.String(document.Clean(html.UnescapeString(text))))
}

// Plain is Markdown without the addresses of its links and the marks of its notes.
func Plain(markdown string) string { return targets.ReplaceAllString(markdown, "]") }

// LostPieces returns those of the pieces whose signs do not stand in the Markdown side by
// side.
func LostPieces(markdown string, pieces []string) []string {
	shown := Signs(Plain(markdown))
	var lost []string
	for _, piece := range pieces {
		if !strings.Contains(shown, Signs(piece)) {
			lost = append(lost, piece)
		}
	}
	return lost
}

// LostWords returns the words of the pieces that the Markdown has less often, because they
// are gone, torn apart or glued to others.
func LostWords(markdown string, pieces []string) []string {
	have := map[string]int{}
	for _, word := range words(markup.Replace(Plain(markdown))) {
		have[word]++
	}
	var lost []string
	for _, piece := range pieces {
		for _, word := range words(markup.Replace(piece)) {
			if have[word]--; have[word] < 0 {
				lost = append(lost, word)
			}
		}
	}
	return lost
}

// words are those of a text, without superscripts and subscripts.
func words(text string) []string {
	return strings.FieldsFunc(norm.NFC.String(document.Clean(html.UnescapeString(text))), func(r rune) bool {
		raised := r == '¹' || r == '²' || r == '³' || r >= '\u2070' && r < '\u20a0'
		return raised || !sign(r) && r != '\u200c' && r != '\u200d'
	})
}

// LostSigns returns the signs of a text that the Markdown has less often, in any order.
func LostSigns(markdown, text string) string {
	have := map[rune]int{}
	for _, r := range Signs(markdown) {
		have[r]++
	}
	var lost strings.Builder
	for _, r := range Signs(text) {
		if have[r]--; have[r] < 0 {
			lost.WriteRune(r)
		}
	}
	return lost.String()
}
