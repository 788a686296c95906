// Package kinds tells by words of a language which kind of answer a question asks for, and
// which texts are written like one. In words, an underscore is a space.
//
// It does not own what an answer is made of (package text/quote), nor units, months and
// currencies (package text/language).
package kinds

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
)

// Kind is a kind of answer that can be told by how it is written.
type Kind int

// The kinds.
const (
	Anything Kind = iota
	Price
	Duration
	Moment
	Distance
	Phone
	Email
	Place
	// Share is a part of a hundred.
	Share
	// Person is somebody's name.
	Person
)

// Kinds has the words of a language. It is safe for concurrent use.
type Kinds struct {
	in language.Code
	// asks has words and two words that stand together, or any phrase where no spaces
	// divide words.
	asks map[string]Kind
	// tells are words that answers of a kind have.
	tells map[Kind]map[string]bool
	// cues know units and months.
	cues *language.Cues
}

// In returns the Kinds of a language, or the English ones if the language is not known.
func In(in language.Code) *Kinds { return kindsIn(in.OrEnglish()) }

var (
	askNames  = map[string]Kind{"price": Price, "duration": Duration, "moment": Moment, "distance": Distance, "phone": Phone, "email": Email, "place": Place, "share": Share, "who": Person}
	tellNames = map[string]Kind{"days": Moment, "places": Place, "distances": Distance, "persons": Person, "free": Price}
)

var kindsIn = language.Once(func(in language.Code) *Kinds {
	words := wordsOf(in)
	k := &Kinds{in: in, asks: map[string]Kind{}, tells: map[Kind]map[string]bool{}, cues: language.CuesIn(in)}
	for name, kind := range askNames {
		for _, word := range words[name] {
			k.asks[word] = kind
		}
	}
	for name, kind := range tellNames {
		k.tells[kind] = map[string]bool{}
		for _, word := range words[name] {
			k.tells[kind][word] = true
		}
	}
	return k
})

// wordsOf has the words, folded, by the name of their line.
func wordsOf(in language.Code) map[string][]string {
	words := map[string][]string{}
	for name, text := range in.Named("kinds") {
		for word := range strings.FieldsSeq(text) {
			parts := strings.Split(word, "_")
			for i := range parts {
				parts[i] = language.Fold(parts[i])
			}
			words[name] = append(words[name], strings.Join(parts, " "))
		}
	}
	return words
}

// unaccented is the first letter of the scripts behind Latin, whose words folding leaves as
// they are.
const unaccented = 0x370

// eachWord calls visit with each word of a text, folded.
func eachWord(text string, visit func(word string)) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		if r, _ := utf8.DecodeRuneInString(word); r >= unaccented {
			visit(strings.ToLower(word))
		} else {
			visit(language.Fold(word))
		}
	}
}

// AskedBy is the kind of answer that a question asks for: by two words before one, and by
// the longest phrase, which is returned, where no spaces divide words.
func (k *Kinds) AskedBy(question string) (found Kind, phrase string) {
	if k.in.Unspaced() {
		for ask, kind := range k.asks {
			if (len(ask) > len(phrase) || len(ask) == len(phrase) && ask < phrase) && strings.Contains(question, ask) {
				found, phrase = kind, ask
			}
		}
		return found, phrase
	}
	before, pair := "", false
	eachWord(question, func(folded string) {
		if kind := k.asks[before+" "+folded]; kind != Anything && !pair {
			found, pair = kind, true
		} else if kind := k.asks[folded]; kind != Anything && found == Anything {
			found = kind
		}
		before = folded
	})
	return found, ""
}

// Names reports whether a word names a kind of answer.
func (k *Kinds) Names(word string, kind Kind) bool {
	return k.asks[language.Fold(word)] == kind
}

// Fits reports whether a text may be an answer of a kind.
func (k *Kinds) Fits(kind Kind, text string) bool {
	switch {
	case kind == Price && strings.ContainsAny(text, currencies), kind == Share && strings.ContainsAny(text, "%％"), kind == Moment && hours.MatchString(text):
		return true
	case kind == Person && k.in != language.German && fullName.MatchString(text): // German nouns are capital, too
		return true
	case kind == Phone:
		return hasDigits(text, leastPhone)
	case kind == Email:
		return strings.Contains(text, "@")
	case kind == Place && k.in.Unspaced(), kind == Distance && !strings.ContainsAny(text, "0123456789"): // "号" and "階" are in much else
		return false
	}
	if k.in.Unspaced() {
		return k.tellsWithin(kind, text)
	}
	found := false
	eachWord(text, func(folded string) {
		if found {
			return
		}
		found = k.tells[kind][folded] || kind == Moment && k.cues.Month(folded) > 0
		if found || !measured[kind] {
			return
		}
		unit, _ := k.cues.Measure([]string{folded})
		found = isUnitOf(kind, unit)
	})
	return found
}

// tellsWithin is for a text without spaces between its words: a unit stands behind a number.
func (k *Kinds) tellsWithin(kind Kind, text string) bool {
	for word := range k.tells[kind] {
		if strings.Contains(text, word) {
			return true
		}
	}
	if !measured[kind] {
		return false
	}
	before := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		isNumber := '0' <= r && r <= '9' || strings.ContainsRune(numerals, r)
		if before && !isNumber {
			if unit, _ := k.cues.MeasureWithin(strings.TrimLeft(text[i:], " ")); isUnitOf(kind, unit) {
				return true
			}
		}
		before = isNumber
		i += size
	}
	return false
}

// measured are the kinds that units tell.
var measured = map[Kind]bool{Price: true, Duration: true, Moment: true, Distance: true, Share: true}

// isUnitOf reports whether a unit is one that answers of a kind have.
func isUnitOf(kind Kind, unit string) bool {
	switch kind {
	case Price: // currencies have three capital letters
		return len(unit) == 3 && unit == strings.ToUpper(unit)
	case Duration:
		return unit == "second" || unit == "minute" || unit == "hour" || unit == "half_hour" || unit == "day" || unit == "week" || unit == "month" || unit == "year"
	case Moment:
		return unit == "clock"
	case Distance:
		return unit == "meter" || unit == "kilometer"
	case Share:
		return unit == "percent"
	}
	return false
}

const (
	currencies = "$€£¥₽₩฿₪₺元円"
	numerals   = "一二三四五六七八九十两半数"
)

// hours are times such as "9:30", "17 h 30" and "8h".
var hours = regexp.MustCompile(`[0-9][:：][0-9]|[0-9] ?h(?:[0-9 ,.;)]|$)`)

// fullName is a first and a last name.
var fullName = regexp.MustCompile(`\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+`)

// leastPhone is how many digits a telephone number has at least.
const leastPhone = 7

// hasDigits reports whether so many digits stand together, but for signs between them.
func hasDigits(text string, most int) bool {
	n := 0
	for i := range len(text) {
		switch {
		case '0' <= text[i] && text[i] <= '9':
			if n++; n == most {
				return true
			}
		case strings.IndexByte(" -+()/.", text[i]) < 0:
			n = 0
		}
	}
	return false
}
