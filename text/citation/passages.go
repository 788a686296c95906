package citation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/clean"
	"parley/text/passage"
)

const (
	// maxLookups is how many quotations of an answer are looked for. One
	// beyond counts as not found.
	maxLookups = 500
	// A part of a quotation with omissions has so many words or characters:
	// any sentence can be made of single words.
	minPartWords, minPartRunes = 2, 8
)

// sources are the passages that an answer can cite, numbered from 1.
type sources struct {
	found   []passage.Passage
	texts   []string // comparable, as far as they were needed
	lookups int
}

// add copies: the passages belong to the caller.
func (s *sources) add(found []passage.Passage) { s.found = append(slices.Clip(s.found), found...) }

// with returns the number of a passage that has a quotation, one of the
// preferred if possible, or zero.
func (s *sources) with(quote string, preferred []int) int {
	if s.lookups++; s.lookups > maxLookups {
		return 0
	}
	parts, ok := partsOf(quote)
	if !ok {
		return 0
	}
	for _, n := range preferred {
		if inOrder(s.text(n), parts) {
			return n
		}
	}
	for n := range s.found {
		if inOrder(s.text(n+1), parts) {
			return n + 1
		}
	}
	return 0
}

// text is all that a model can quote of a passage.
func (s *sources) text(number int) string {
	for len(s.texts) < len(s.found) {
		s.texts = append(s.texts, Quotable(clean.Text(s.found[len(s.texts)].All())))
	}
	return s.texts[number-1]
}

func inOrder(text string, parts []string) bool {
	for _, part := range parts {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

var omissions = strings.NewReplacer("[…]", "…", "[...]", "…", "(…)", "…", "(...)", "…", "...", "…", "[. . .]", "…", ". . .", "…")

// partsOf returns the parts of a quotation between omissions, or false if one
// of them is too short to prove anything.
func partsOf(quote string) ([]string, bool) {
	var parts []string
	split := strings.Split(omissions.Replace(quote), "…")
	for _, part := range split {
		part = strings.Trim(Quotable(part), " .,;:!?")
		if part == "" {
			continue
		}
		if len(split) > 1 && len(strings.Fields(part)) < minPartWords && utf8.RuneCountInString(part) < minPartRunes {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, len(parts) > 0
}

// Quotable is a text as quotations are compared: spaces, dashes and
// quotation marks alike, and without the signs of Markdown's emphasis, links
// and escapes.
func Quotable(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := true
	for i := 0; i < len(text); {
		if n := targetLength(text[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case strings.ContainsRune("*_`\\[]\u00ad\u200b\u200c\u200d\u2060\ufeff", r):
			continue
		case unicode.IsSpace(r):
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		case unicode.Is(unicode.Pd, r) || r == '−':
			r = '-'
		case strings.ContainsRune("\"“”„‟«»‘’‚‛´", r):
			r = '\''
		case r == '…':
			b.WriteString("..")
			r = '.'
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// maxTarget bounds how far the end of a link's target is looked for.
const maxTarget = 500

// targetLength is the length of "](target)", or zero.
func targetLength(text string) int {
	if !strings.HasPrefix(text, "](") {
		return 0
	}
	end := strings.IndexAny(text[:min(len(text), maxTarget)], ") \t\n")
	if end < 0 || text[end] != ')' {
		return 0
	}
	return end + 1
}
