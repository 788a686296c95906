package embedded

import (
	"strings"
	"unicode"
)

// searchable returns the text of a passage as it is indexed: without the
// targets of links, whose words nobody asks for. Other Markdown marks are no
// letters, and the tokenizer drops them.
func searchable(markdown string) string {
	var b strings.Builder
	for {
		at := strings.Index(markdown, "](")
		if at < 0 {
			b.WriteString(markdown)
			return separate(b.String())
		}
		b.WriteString(markdown[:at+1])
		target := markdown[at+2:]
		end := strings.IndexAny(target, ") \t\r\n")
		if end < 0 {
			end = 0
		}
		b.WriteByte(' ')
		markdown = target[end:]
	}
}

// separate puts spaces around the characters of scripts that write no spaces
// between words. The tokenizer would take a whole sentence for one word.
func separate(text string) string {
	if !strings.ContainsFunc(text, unspaced) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !unspaced(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteByte(' ')
		b.WriteRune(r)
		b.WriteByte(' ')
	}
	return b.String()
}

func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
