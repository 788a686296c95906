package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerms bounds how many content words of a question count.
const maxTerms = 64

// maxWord bounds a word in bytes. The rest of a longer one is ignored.
const maxWord = 48

// terms are the content words of a question.
type terms struct {
	// places maps each word to its index.
	places map[string]int
	// begins marks the bytes with which a word begins. Most words of a passage
	// need no further check.
	begins [256]bool
}

// termsOf returns the first content words of text.
func termsOf(text string) *terms {
	found := &terms{places: map[string]int{}}
	eachWord(text, func(word []byte) {
		if len(found.places) == maxTerms || stopwords[string(word)] {
			return
		}
		root := string(stem(word))
		if _, known := found.places[root]; !known {
			found.places[root] = len(found.places)
			found.begins[root[0]] = true
		}
	})
	return found
}

// in returns the terms that occur in text, one bit each.
func (t *terms) in(text string) uint64 {
	var bits uint64
	eachWord(text, func(word []byte) {
		if !t.begins[word[0]] {
			return
		}
		if place, found := t.places[string(stem(word))]; found {
			bits |= 1 << place
		}
	})
	return bits
}

// eachWord calls visit with each lowercase word of text. A word is valid only
// until visit returns. Scripts that do not separate words with spaces yield pairs
// of adjacent characters.
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
		case isUnspaced(r):
			end()
			if last != 0 {
				word = utf8.AppendRune(utf8.AppendRune(word, last), r)
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

func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
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
	{"ings", 4},
	{"ing", 4},
	{"ies", 3},
	{"ied", 3},
	{"es", 3},
	{"ed", 4},
	{"ly", 5},
	{"s", 3},
	{"e", 3},
	{"y", 3},
}

// stem strips one suffix from a word.
func stem(word []byte) []byte {
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

// stopwords say nothing about a subject.
var stopwords = wordSet(`a about above after again all also am an and any are as at be because been before being
both but by can cannot could did do does doing done down during each else ever few for from further get gets give
got had has have having he her here hers him his how i if in into is it its itself just know let
made make many may me might more most much must my need no nor not of off on once one only or other our out over own
please re same say shall she should so some such tell than thank thanks that the their them then there these they
thing this those through to too under until up upon us use used using very via want was way we were what when where
which while who whom whose why will with within without would yes you your yours s t ll ve d m don doesn isn
aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer es für geht gibt
hat habe haben ich ihr im in ist kann kein man mein mit muss nach nicht noch oder sich sie sind so und uns
von vor war warum was wenn wer werden wie wir wird wo zu zum zur über
au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur ma mon nous ou où par pas
pour pourquoi quand que quel quelle qui sa se ses son sont sur un une vous
como con cual cuando cómo del donde el en es esta este hay la las lo los mi para pero por puedo que qué se si sin son
su sus un una y
che chi come cosa da dal del della di dove e gli ha il io le mi nel non per posso quando sono
aan dat de een en het hoe ik je kan met naar niet of op te van voor waar wat wie zijn
ao com da das do dos ele em não na no nos o os ou quem uma um`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
