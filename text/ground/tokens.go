package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	"parley/text/lexical"
)

// token is a word, a number, a sign, or a run of letters that no spaces part into words.
type token struct {
	kind tokenKind
	text string
	// word is the text of a word, folded.
	word string
	// glued says that no space stands before it.
	glued bool
}

type tokenKind uint8

const (
	wordToken tokenKind = iota
	runToken
	numberToken
	signToken
)

// tokensOf returns the tokens of a text, whose digits are ASCII.
func tokensOf(text string, in language.Code) []token {
	tokens := make([]token, 0, len(text)/5+4)
	cues := language.CuesIn(in)
	elides := in == language.French || in == language.Italian
	glued := false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		kind, end := signToken, at+size
		switch {
		case unicode.IsSpace(r):
			glued = false
			at = end
			continue
		case isDigit(text[at]):
			kind, end = numberToken, at+numberLength(text[at:], cues.Spaces)
		case lexical.Unspaced(r):
			kind, end = runToken, at+runLength(text[at:])
		case unicode.IsLetter(r) || unicode.IsMark(r):
			kind, end = wordToken, at+wordLength(text[at:], elides)
		}
		t := token{kind: kind, text: text[at:end], glued: glued}
		if kind == wordToken {
			t.word = language.Fold(strings.ReplaceAll(t.text, "’", "'"))
		}
		tokens = append(tokens, t)
		at, glued = end, true
	}
	return tokens
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// maxNumber bounds a number, in bytes: nobody compares longer ones.
const maxNumber = 40

// numberLength is the length of digits with what parts them: "1,200.50", "8:30", "1 200".
func numberLength(text string, spaces bool) int {
	at := digitsLength(text)
	for at < maxNumber {
		r, size := utf8.DecodeRuneInString(text[at:])
		next := digitsLength(text[at+size:])
		switch {
		case next == 0:
			return at
		case r == '.' || r == ',' || r == ':':
		case next == 3 && (r == '\u00a0' || r == '\u202f' || r == '\'' || r == '’' || r == ' ' && spaces):
		default:
			return at
		}
		at += size + next
	}
	return at
}

func digitsLength(text string) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

func runLength(text string) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !lexical.Unspaced(r) && !unicode.IsMark(r) {
			break
		}
		end += size
	}
	return end
}

func wordLength(text string, elides bool) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		isLetter := unicode.IsLetter(r) && !lexical.Unspaced(r) || unicode.IsMark(r)
		if !isLetter {
			next, _ := utf8.DecodeRuneInString(text[end+size:])
			if r != '\'' && r != '’' || elides || !unicode.IsLetter(next) || lexical.Unspaced(next) {
				break
			}
		}
		end += size
	}
	return end
}

// asciiDigits writes the digits of all scripts in one.
func asciiDigits(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsDigit(r) }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.IsDigit(r) {
			return r
		}
		for _, of := range unicode.Nd.R16 { // each script's begin with its zero
			if rune(of.Lo) <= r && r <= rune(of.Hi) {
				return '0' + (r-rune(of.Lo))%10
			}
		}
		return r
	}, text)
}

// wordsFrom returns the words that stand one behind the other from a token on, at most
// three.
func wordsFrom(tokens []token, at int) []string {
	var few [3]string
	n := 0
	for ; n < len(few) && at+n < len(tokens) && tokens[at+n].kind == wordToken; n++ {
		few[n] = tokens[at+n].word
	}
	return few[:n]
}
