package tokens

import (
	"unicode"
	"unicode/utf8"
)

// wordEnd returns the length of the first word of text, which is not empty.
//
// Words end only where both encodings always end a piece, so that the tokens of
// the words are the tokens of the text. These positions follow from the splitting
// patterns of cl100k_base and o200k_base (tiktoken,
// tiktoken_ext/openai_public.py):
//
//   - before a space or tab that follows anything but white space, because
//     no alternative goes from there to a space;
//   - before a line break that follows a letter or digit, because only
//     punctuation takes line breaks along;
//   - before a sign that follows a letter or digit, because none of them goes
//     on with one, but for the apostrophe;
//   - after a line break that a letter or digit follows.
func wordEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch before, after := text[i-1], text[i]; {
		case after == ' ' || after == '\t':
			if !spaceBefore(text, i) {
				return i
			}
		case after == '\n' || after == '\r' || isSign(after):
			if isAlphanumeric(before) {
				return i
			}
		case before == '\n':
			if isAlphanumeric(after) || letterAt(text, i) {
				return i
			}
		}
	}
	return len(text)
}

func isAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// isSign reports whether b is a visible ASCII character other than a letter, a
// digit or an apostrophe.
func isSign(b byte) bool {
	return '!' <= b && b <= '~' && b != '\'' && !isAlphanumeric(b)
}

func spaceBefore(text string, i int) bool {
	if b := text[i-1]; b < utf8.RuneSelf {
		return b == ' ' || '\t' <= b && b <= '\r'
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsSpace(r)
}

func letterAt(text string, i int) bool {
	if text[i] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r != utf8.RuneError && unicode.IsLetter(r)
}
