package split

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/sentence"
)

// A cutter returns the length of the first part of a text that is not empty:
// up to the first place to cut at, or all of it. It reads little further than
// that place, so that cutting a text into all its parts takes linear time.
type cutter func(text string) int

// The cutters for what is too long, the best first. Each cuts what the ones
// before it left too long; what the last leaves too long is cut anywhere.
var (
	proseCuts = []cutter{item, sentenceEnd, line, clause, word}
	rowCuts   = []cutter{line, cell, sentenceEnd, clause, word}
	codeCuts  = []cutter{line, clause, word}
)

const (
	// maxTokenBytes is the most bytes that a token of ordinary text has. Text
	// that would need longer ones is too long without being counted.
	maxTokenBytes = 64
	// grains is the fraction of the aim up to which parts become one unit. It
	// bounds the number of units.
	grains = 8
	// joint is how many tokens more a word may have where the space in front
	// of it is left out, because it starts a passage.
	joint = 1
	// sliceBytes is the length of the slices of a word that is too long.
	sliceBytes = 64
)

// size counts the tokens of a text, or estimates them if it is certainly too
// long to be in one passage.
func (s *splitter) size(text string) int {
	if len(text) > s.limit*maxTokenBytes {
		return len(text) / 4
	}
	return s.count(text)
}

// cut appends src[from:to], which is too long, in units of at most room
// tokens.
func (s *splitter) cut(dst []unit, from, to int, cuts []cutter, room int, f *frame) []unit {
	first := len(dst)
	for at := from; at < to; {
		part := unit{start: at, frame: f}
		if len(cuts) == 0 {
			part.end = at + slice(s.src[at:to], min(room, sliceBytes))
		} else {
			part.end = at + cuts[0](s.src[at:to])
		}
		at = part.end
		whole := part.start == from && part.end == to
		if len(cuts) == 0 || !whole {
			part.tokens = s.size(s.src[part.start:part.end])
		}
		if len(cuts) > 0 && (whole || part.tokens > room) {
			dst = s.cut(dst, part.start, part.end, cuts[1:], room, f)
			first = len(dst)
			continue
		}
		if n := len(dst); n > first && dst[n-1].tokens+part.tokens <= s.aim/grains {
			dst[n-1].end, dst[n-1].tokens = part.end, dst[n-1].tokens+part.tokens
			continue
		}
		dst = append(dst, part)
	}
	return dst
}

// slice returns the length of the first part of a text that has at most some
// bytes, and ends between characters.
func slice(text string, bytes int) int {
	if len(text) <= bytes {
		return len(text)
	}
	for end := bytes; end > bytes-utf8.UTFMax; end-- {
		if utf8.RuneStart(text[end]) {
			return end
		}
	}
	return bytes
}

// item cuts in front of a line that starts with the mark of a list item, as
// texts have them that are not Markdown.
func item(text string) int {
	end := line(text)
	for end < len(text) && !listed(text[end:]) {
		end += line(text[end:])
	}
	return end
}

// listed reports whether a text starts with the mark of a list item.
func listed(text string) bool {
	text = strings.TrimLeft(text[:min(len(text), 80)], " \t")
	rest := strings.TrimLeft(text, "0123456789")
	if number := len(text) - len(rest); number > 0 {
		return number < 4 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
	}
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "– ", "▪ ", "◦ "} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// line cuts behind a line with the blank lines that follow it.
func line(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) })
	if end < 0 {
		return len(text)
	}
	feed := strings.IndexByte(text[end:], '\n')
	if feed < 0 {
		return len(text)
	}
	return gap(text, end+feed)
}

// sentenceEnd cuts behind a sentence.
func sentenceEnd(text string) int {
	end, space := sentence.First(text)
	if space {
		return gap(text, end)
	}
	return end
}

// cell cuts behind the bar that ends a cell of a table.
func cell(text string) int {
	for i := 1; i < len(text)-1; i++ {
		if text[i] == '|' && text[i-1] != '\\' {
			return i + 1
		}
	}
	return len(text)
}

// clause cuts behind a comma, semicolon, colon or dash.
func clause(text string) int {
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch r {
		case ',', ';', ':', '–', '—', '،', '؛':
			if startsWithSpace(text[next:]) {
				return gap(text, next)
			}
		case '，', '、', '；', '：':
			return next
		}
	}
	return len(text)
}

// word cuts in front of the space behind a word.
func word(text string) int {
	inWord := false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if space && inWord {
			return gap(text, i)
		}
		inWord = inWord || !space
	}
	return len(text)
}

// gap returns where to cut the white space that starts at a position: at the
// start of the line behind it, so that the line keeps its indentation, else in
// front of it, because the tokens of most encodings start with their space.
func gap(text string, at int) int {
	cut := at
	for i, r := range text[at:] {
		if !unicode.IsSpace(r) {
			break
		}
		if r == '\n' {
			cut = at + i + 1
		}
	}
	return cut
}

func startsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && unicode.IsSpace(r)
}
