package quote

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
)

// maxWord bounds a word in bytes. The rest of a longer one is ignored.
const maxWord = 48

// eachWord calls visit with each lowercase word of text. A word is valid only
// until visit returns. Scripts that do not separate words with spaces yield pairs
// of adjacent characters and each Chinese character, but for Katakana, whose words end
// where it does.
func eachWord(text string, visit func(word []byte)) {
	var (
		buffer [maxWord + 2*utf8.UTFMax]byte
		word   = buffer[:0]
		last   rune
	)
	end := func() {
		if len(word) > 0 {
			visit(word)
			word = buffer[:0]
		}
	}
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			i++
			last = 0
			switch lower := b | 0x20; {
			case 'a' <= lower && lower <= 'z', '0' <= b && b <= '9':
				if len(word) < maxWord {
					word = append(word, b|0x20) // Digits have this bit set.
				}
			default:
				end()
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case strings.ContainsRune(particles, r):
			end()
		case unicode.Is(unicode.Katakana, r): // which writes a word of another language, or a name
			if before, _ := utf8.DecodeLastRune(word); before < utf8.RuneSelf {
				end()
			}
			if len(word) < maxWord {
				word = utf8.AppendRune(word, r)
			}
		case isUnspaced(r):
			end()
			if last != 0 {
				word = utf8.AppendRune(utf8.AppendRune(word, last), r)
				end()
			}
			if unicode.Is(unicode.Han, r) && !strings.ContainsRune(weak, r) {
				word = utf8.AppendRune(word, r)
				end()
			}
			last = r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if len(word) < maxWord {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
		default:
			end()
		}
		last = 0
	}
	end()
}

// particles are Chinese characters that say nothing about a subject. They stand between
// words that do.
const particles = "的是了吗呢么什怎哪请问我你您们"

// weak are Chinese characters that ask or join in most of their words.
const weak = "几能可以吧啊嘛要想去到把被给和与或在从对就都也还很最更会有没不个多少怎哪收需前后里时候该上下来过得着家买"

// joining are Korean syllables of particles and endings, which are written with the words
// before them.
const joining = "은는이가을를에서로의도요까니다습있나하합인데면되해세"

// isWeak reports whether a pair of characters may say little: one with a weak character in
// Chinese, one with Hiragana in Japanese, of which endings are made, and one with a particle
// in Korean.
func isWeak(pair string, in language.Code) bool {
	switch in {
	case language.Chinese:
		return strings.ContainsAny(pair, weak)
	case language.Japanese:
		return strings.ContainsFunc(pair, isHiragana)
	case language.Korean:
		return strings.ContainsAny(pair, joining)
	}
	return false
}

// isEnding reports whether a pair of characters is nothing but Hiragana, or Korean particles
// and endings.
func isEnding(pair string) bool {
	return !strings.ContainsFunc(pair, func(r rune) bool { return !isHiragana(r) && !strings.ContainsRune(joining, r) })
}

func isHiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer)
}

// suffixes are stripped from English words, so that "installing" finds "install",
// each with the number of letters that must remain. Stripping too much costs only
// precision, because question and passage are treated alike.
var suffixes = []struct {
	text   string
	remain int
}{
	{"ations", 4},
	{"ation", 4},

	{"als", 4},
	{"al", 4},
	{"ings", 4},
	{"ing", 4},
	{"ies", 3},
	{"ys", 3},
	{"ied", 3},
	{"es", 3},
	{"ed", 4},
	{"ly", 5},
	{"s", 3},
	{"e", 3},
	{"y", 3},
}

// arabic is the Arabic article, which is written as part of its word.
const arabic = "ال"

// stem strips one suffix from a word, and the Arabic article.
func stem(word []byte) []byte {
	if rest, found := bytes.CutPrefix(word, []byte(arabic)); found && len(rest) >= 6 {
		return rest
	}
	for _, suffix := range suffixes {
		n := len(word) - len(suffix.text)
		if n < suffix.remain || string(word[n:]) != suffix.text {
			continue
		}
		last := word[n-1]
		switch {
		case suffix.text == "s" && last == 's': // "address"
			return word
		case (suffix.text == "ing" || suffix.text == "ed") && last == word[n-2] && strings.IndexByte("lsz", last) < 0:
			return word[:n-1] // "resetting"
		}
		return word[:n]
	}
	return word
}
