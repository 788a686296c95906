// Package wordpiece cuts texts into the pieces of words that small language models
// know, by the WordPiece algorithm of BERT's uncased models (Devlin et al., 2019;
// tokenization.py of google-research/bert).
//
// It owns the cutting. It owns no vocabulary: the packages under llm bring theirs.
package wordpiece

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Unknown stands for a word that is not in a vocabulary.
const Unknown int32 = -1

// Vocabulary is the pieces that are known. It never changes.
type Vocabulary struct {
	numbers map[string]int32
	longest int // of the pieces, in bytes
}

// New returns the vocabulary of pieces, which are numbered from zero. A piece that
// continues a word begins with "##".
func New(pieces []string) *Vocabulary {
	v := &Vocabulary{numbers: make(map[string]int32, len(pieces))}
	for i, piece := range pieces {
		v.numbers[piece] = int32(i)
		v.longest = max(v.longest, len(piece))
	}
	return v
}

// Names returns the pieces in the order of their numbers.
func (v *Vocabulary) Names() []string {
	names := make([]string, len(v.numbers))
	for name, number := range v.numbers {
		names[number] = name
	}
	return names
}

// maxWord is the longest word, in characters, that is cut into pieces.
const maxWord = 100

// Pieces returns the numbers of a text's pieces in order. A word that cannot be cut
// into known pieces is [Unknown]. Any text is legal.
func (v *Vocabulary) Pieces(text string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		text := normalize(text)
		for start := 0; start < len(text); {
			end := wordEnd(text, start)
			if end > start && !v.cut(text[start:end], yield) {
				return
			}
			if end == start { // a space
				_, size := utf8.DecodeRuneInString(text[start:])
				end += size
			}
			start = end
		}
	}
}

// wordEnd returns where the word that begins at start ends. A punctuation mark or
// an ideograph is a word. At a space it returns start.
func wordEnd(text string, start int) int {
	for i, r := range text[start:] {
		switch {
		case unicode.IsSpace(r):
			return start + i
		case isAlone(r):
			if i > 0 {
				return start + i
			}
			return start + utf8.RuneLen(r)
		}
	}
	return len(text)
}

// cut yields the pieces of a word, the longest first. A word that cannot be cut
// completely is unknown.
func (v *Vocabulary) cut(word string, yield func(int32) bool) bool {
	if number, ok := v.numbers[word]; ok {
		return yield(number)
	}
	if utf8.RuneCountInString(word) > maxWord {
		return yield(Unknown)
	}
	var found [maxWord]int32
	count := 0
	buffer := make([]byte, 0, 64)
	for start := 0; start < len(word); {
		buffer = buffer[:0]
		if start > 0 {
			buffer = append(buffer, "##"...)
		}
		mark := len(buffer)
		buffer = append(buffer, word[start:]...)
		number, length := v.longestPiece(buffer, mark)
		if length == 0 {
			return yield(Unknown)
		}
		found[count] = number
		count++
		start += length
	}
	for _, number := range found[:count] {
		if !yield(number) {
			return false
		}
	}
	return true
}

// longestPiece returns the longest piece at the start of the buffer, and its
// length without the mark in front.
func (v *Vocabulary) longestPiece(buffer []byte, mark int) (number int32, length int) {
	for end := min(len(buffer), v.longest); end > mark; end-- {
		if end < len(buffer) && !utf8.RuneStart(buffer[end]) {
			continue
		}
		if number, ok := v.numbers[string(buffer[:end])]; ok {
			return number, end - mark
		}
	}
	return Unknown, 0
}

// normalize drops control characters and accents, and lowercases letters.
func normalize(text string) string {
	if isPlain(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFD.String(strings.ToValidUTF8(text, "")) {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r == utf8.RuneError || unicode.In(r, unicode.Mn, unicode.C) || !isAssigned(r):
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// isPlain reports whether a text is ASCII without control characters.
func isPlain(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf || c == 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func isAssigned(r rune) bool {
	return unicode.IsGraphic(r) || unicode.IsSpace(r)
}

// isAlone reports whether a character forms a word by itself.
func isAlone(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return unicode.IsPunct(r) || isIdeograph(r)
}

// isIdeograph reports whether a character is in one of Unicode's blocks of
// Chinese characters.
func isIdeograph(r rune) bool {
	for _, block := range [...][2]rune{
		{0x4E00, 0x9FFF},
		{0x3400, 0x4DBF},
		{0x20000, 0x2A6DF},
		{0x2A700, 0x2B73F},
		{0x2B740, 0x2B81F},
		{0x2B820, 0x2CEAF},
		{0xF900, 0xFAFF},
		{0x2F800, 0x2FA1F},
	} {
		if block[0] <= r && r <= block[1] {
			return true
		}
	}
	return false
}
