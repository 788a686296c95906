package sentence

import (
	"maps"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
)

// Each visits the sentences of a text for quoting. It differs from [First] on purpose:
// quotations should be short, so a sentence ends even before a word in lower case, and
// abbreviations are recognized in any case instead; and a code span is never cut,
// because half of one is useless.
func Each(text string, visit func(string)) {
	begin, inCode := 0, false
	cut := func(end int) {
		if found := strings.TrimSpace(text[begin:end]); found != "" {
			visit(found)
		}
		begin = end
	}
	for i, r := range text {
		switch {
		case i < begin:
		case r == '`':
			inCode = !inCode
		case inCode:
		case r == '.' || r == '!' || r == '?':
			end := i + 1
			if emphasized(text[begin:]) {
				end += emphasis(text[end:])
			}
			if endsQuoted(text, begin, i, end) {
				cut(end)
			}
		case r == '。' || r == '！' || r == '？':
			cut(i + utf8.RuneLen(r))
		}
	}
	cut(len(text))
}

// emphasized reports whether a sentence begins with emphasis, which may end with it.
func emphasized(text string) bool { return emphasis(strings.TrimLeft(text, " ")) > 0 }

// emphasis returns the length of the marks of emphasis that a text begins with.
func emphasis(text string) int { return len(text) - len(strings.TrimLeft(text, "*_")) }

// endsQuoted reports whether the mark at i ends the sentence that begins at begin and, with
// its marks of emphasis, would end at end.
func endsQuoted(text string, begin, i, end int) bool {
	if end < len(text) && text[end] != ' ' {
		return false
	}
	if text[i] != '.' {
		return true
	}
	word := text[begin:i]
	word = strings.ToLower(strings.TrimLeft(word[strings.LastIndexByte(word, ' ')+1:], "(*_\"'"))
	if strings.Trim(word, "0123456789") == "" {
		before := text[begin : i-len(word)]
		return before != "" && !(len(word) <= 2 && isOrdinal(before, text[end:])) // not "1." at the start
	}
	return utf8.RuneCountInString(word) > 1 && !inAnyCase[word]
}

// isOrdinal reports whether a number with a dot counts what follows, as in "30. September",
// "2. stock" and "dem 1. Advent".
func isOrdinal(before, after string) bool {
	before = strings.ToLower(strings.TrimSpace(before))
	if counting[before[strings.LastIndexByte(before, ' ')+1:]] {
		return true
	}
	after = strings.TrimLeft(after, " ")
	word := after[:len(after)-len(strings.TrimLeftFunc(after, unicode.IsLetter))]
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsLower(first) || months()[strings.ToLower(word)]
}

// counting are German words before an ordinal number.
var counting = map[string]bool{"am": true, "ab": true, "bis": true, "das": true, "dem": true, "den": true, "der": true, "des": true, "die": true, "im": true, "vom": true, "zum": true, "zur": true}

// months are the names of months in all languages.
var months = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, code := range language.Codes() {
		of := maps.Collect(code.Named("cues"))["months"]
		for name := range strings.FieldsFuncSeq(of, func(r rune) bool { return r == ' ' || r == '|' }) {
			names[name] = true
		}
	}
	return names
})

// inAnyCase lists the abbreviations that [Each] recognizes, in lower case.
var inAnyCase = map[string]bool{
	"e.g": true, "i.e": true, "vs": true, "mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "no": true,
	"nr": true, "fig": true, "approx": true, "resp": true, "incl": true, "z.b": true, "d.h": true, "bzw": true, "ca": true,
	"usw": true, "u.a": true, "p.ex": true, "cf": true, "max": true, "min": true, "tel": true, "inkl": true,
	"exkl": true, "evtl": true, "ggf": true, "zzgl": true, "tägl": true, "vgl": true, "mind": true, "excl": true,
	"avda": true, "sra": true, "núm": true, "máx": true, "mín": true, "aprox": true, "p.ej": true, "bzgl": true, "jan": true,
	"feb": true, "apr": true, "aug": true, "sept": true, "oct": true, "okt": true, "nov": true, "dec": true, "dez": true,
}
