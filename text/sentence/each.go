package sentence

import (
	"strings"
	"unicode/utf8"
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
		case r == '`':
			inCode = !inCode
		case inCode:
		case r == '.' || r == '!' || r == '?':
			if endsQuoted(text, begin, i) {
				cut(i + 1)
			}
		case r == '。' || r == '！' || r == '？':
			cut(i + utf8.RuneLen(r))
		}
	}
	cut(len(text))
}

func endsQuoted(text string, begin, i int) bool {
	if i+1 < len(text) && text[i+1] != ' ' {
		return false
	}
	if text[i] != '.' {
		return true
	}
	word := text[begin:i]
	word = strings.ToLower(strings.TrimLeft(word[strings.LastIndexByte(word, ' ')+1:], "(*_\"'"))
	if strings.Trim(word, "0123456789") == "" {
		return i-begin > len(word) // not "1." at the start
	}
	return utf8.RuneCountInString(word) > 1 && !inAnyCase[word]
}

// inAnyCase lists the abbreviations that [Each] recognizes, in lower case.
var inAnyCase = map[string]bool{
	"e.g": true, "i.e": true, "vs": true, "mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "no": true,
	"nr": true, "fig": true, "approx": true, "resp": true, "incl": true, "z.b": true, "d.h": true, "bzw": true, "ca": true,
	"usw": true, "u.a": true, "p.ex": true, "cf": true,
}
