// Package shown reads a text as people see it, whatever it is made of.
//
// A model that a document has talked into it can write a word so that a reader sees it and a
// comparison of words does not: with hidden characters, entities, tags or emphasis within,
// or with letters of other scripts that look the same. The package undoes the former, and
// tells the latter. It does not own what is compared (package ground), nor how an answer
// is shown (package markdown).
package shown

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/clean"
	"parley/text/fence"
	"parley/text/language"
)

var (
	tags = regexp.MustCompile(`<!--(?s:.*?)-->|</?[a-zA-Z][^<>]*>`)
	// breaks are the tags that part words.
	breaks   = regexp.MustCompile(`^</?(?:br|p|li|ul|ol|div|h[1-6]|hr|t[dhr]|table|pre|blockquote)\b`)
	comments = regexp.MustCompile(`<!--(?s:.*?)-->`)
)

// Answer is what a reader sees of a sentence: without hidden characters, with entities
// decoded, without tags, and without signs of Markdown and markers within words.
func Answer(text string) string {
	text = clean.Text(html.UnescapeString(text))
	if strings.Contains(text, "<") {
		text = tags.ReplaceAllStringFunc(text, func(tag string) string {
			if breaks.MatchString(strings.ToLower(tag)) {
				return " "
			}
			return ""
		})
	}
	return joinedLetters(text)
}

// joinedLetters leaves out what stands between two letters and parts no word where it is
// shown, and writes letters within circles and squares as letters.
func joinedLetters(text string) string {
	if !strings.ContainsAny(text, "*`~[]") && !strings.ContainsFunc(text, isEnclosed) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	letter := false
	for at := 0; at < len(text); {
		if n := signsLength(text[at:]); n > 0 {
			next, _ := utf8.DecodeRuneInString(text[at+n:])
			if letter && isLetter(next) {
				at += n
				continue
			}
			b.WriteString(text[at : at+n])
			at, letter = at+n, false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		r = outOfEnclosure(r)
		b.WriteRune(r)
		letter = isLetter(r)
		at += size
	}
	return b.String()
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || isEnclosed(r) }

// targetLength returns how long the target of a link is, "](…)", that a text begins with.
func targetLength(text string) int {
	if !strings.HasPrefix(text, "](") {
		return 0
	}
	end := strings.IndexFunc(text[2:], func(r rune) bool { return r == '(' || r == ')' || unicode.IsSpace(r) })
	if end < 0 || text[2+end] != ')' {
		return 0
	}
	return 2 + end + 1
}

// markersLength is the length of the markers, such as [1][23], that a text begins with.
func markersLength(text string) (length int) {
	for {
		digits := length + 1
		for digits < len(text) && digits < length+4 && '0' <= text[digits] && text[digits] <= '9' {
			digits++
		}
		if length >= len(text) || text[length] != '[' || digits == length+1 || digits >= len(text) || text[digits] != ']' {
			return length
		}
		length = digits + 1
	}
}

// signsLength is the length of emphasis, of a marker, or of what begins or ends a link or
// code.
func signsLength(text string) int {
	switch text[0] {
	case '*', '`', '~':
		return len(text) - len(strings.TrimLeft(text, "*`~"))
	case '[':
		return max(1, markersLength(text))
	case ']':
		return targetLength(text)
	}
	return 0
}

// isEnclosed reports whether a sign is a letter within a circle or a square.
func isEnclosed(r rune) bool { return outOfEnclosure(r) != r }

func outOfEnclosure(r rune) rune {
	switch {
	case '\u24B6' <= r && r <= '\u24E9':
		return 'a' + (r-'\u24B6')%26
	case '\U0001F130' <= r && r <= '\U0001F149', '\U0001F150' <= r && r <= '\U0001F169', '\U0001F170' <= r && r <= '\U0001F189':
		return 'a' + (r-'\U0001F130')%32
	}
	return r
}

// Overrides reports whether a text is shown in another order than it is written in.
func Overrides(text string) bool { return strings.ContainsAny(text, "\u202D\u202E") }

// Passage is what a reader sees of a passage's text, which is clean. What looks like a tag
// stays, since it may be text: "Vec<T>".
func Passage(text string) string {
	return joinedLetters(clean.Text(html.UnescapeString(WithoutComments(text))))
}

// WithoutComments is a passage's text without comments of HTML, which no reader sees, but in
// blocks of code.
func WithoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var b, prose strings.Builder
	endProse := func() {
		b.WriteString(comments.ReplaceAllString(prose.String(), ""))
		b.WriteString("\n")
		prose.Reset()
	}
	var code fence.Lines
	for line := range strings.Lines(text) {
		within := code.Open()
		switch {
		case !code.Code(line):
			prose.WriteString(line)
		case within != code.Open(): // a fence
			endProse()
		default:
			b.WriteString(line)
		}
	}
	endProse()
	return b.String()
}

// alphabet tells the letters of scripts apart that may be taken for one another. It is zero
// for what is part of any word.
type alphabet int32

const (
	latinLetters alphabet = iota + 1
	// rareLatin are letters of Latin that look like parts of others: small capitals,
	// letters that are turned.
	rareLatin
	cyrillicLetters
	greekLetters
	arabicLetters
	// otherLetters, and what is above it, are letters of other scripts, by their place in
	// Unicode.
	otherLetters
)

// alphabetOf returns the alphabet of a letter of a folded word.
func alphabetOf(r rune) alphabet {
	switch {
	case r < utf8.RuneSelf && unicode.IsLetter(r):
		return latinLetters
	case !unicode.IsLetter(r), r == 'μ', r == 'Ω', r == 'π': // signs of units, too
		return 0
	case r < 0x180:
		return latinLetters
	case unicode.Is(unicode.Latin, r):
		return rareLatin
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillicLetters
	case unicode.Is(unicode.Greek, r):
		return greekLetters
	case unicode.Is(unicode.Arabic, r):
		return arabicLetters
	}
	return otherLetters + alphabet(r>>8)
}

// Alphabets are the alphabets that texts use.
type Alphabets map[alphabet]bool

// Add adds the alphabets of a text. A text in plain Latin letters adds none.
func (a Alphabets) Add(text string) {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x180 && unicode.IsLetter(r) }) {
		return
	}
	for _, r := range language.Fold(text) {
		if of := alphabetOf(r); of != 0 {
			a[of] = true
		}
	}
}

// looksCyrillic are the letters of Latin that look like Cyrillic or Greek ones.
const looksCyrillic = "aceiopuvxyABCEHIKMNOPTVXYZ"

// Disguise reports whether one of the words of a sentence is written so that it may look like
// another: in more than one alphabet, in one that the texts lack, or, beside Cyrillic or
// Greek words, in letters of Latin that look like theirs. A word that is known is none.
func (a Alphabets) Disguise(words []string, known func(word string) bool) bool {
	besides := false
	for _, word := range words {
		of, mixed := alphabetOfWord(word)
		besides = besides || of == cyrillicLetters || of == greekLetters
		if (mixed || of != 0 && of != latinLetters && !a[of]) && !known(word) {
			return true
		}
	}
	return besides && slices.ContainsFunc(words, func(word string) bool {
		return strings.Trim(word, looksCyrillic) == "" && !known(word)
	})
}

// alphabetOfWord returns the alphabet of a word, and reports whether the word mixes
// several. The ending after an apostrophe may be in another alphabet.
func alphabetOfWord(word string) (of alphabet, mixed bool) {
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return latinLetters, false
	}
	for _, r := range language.Fold(strings.ReplaceAll(word, "’", "'")) {
		switch next := alphabetOf(r); {
		case r == '\'':
			return of, mixed
		case next == 0:
		case of != 0 && next != of:
			return of, true
		default:
			of = next
		}
	}
	return of, mixed
}
