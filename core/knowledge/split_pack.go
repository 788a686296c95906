package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pack makes passages of the blocks of one section: neighbours together up to
// the aim, a block that is too long in pieces.
func (s *splitter) pack(path []string, blocks []block) {
	start, end, chars := 0, 0, 0
	flush := func() {
		s.add(path, s.src[start:end])
		chars = 0
	}
	for _, b := range blocks {
		size := utf8.RuneCountInString(s.src[b.start:b.end])
		if chars > 0 && !joins(chars, size) {
			flush()
		}
		if size > maxChars {
			for _, piece := range s.cut(b) {
				s.add(path, piece)
			}
			continue
		}
		if chars == 0 {
			start = b.start
		}
		end = b.end
		chars += size
	}
	if chars > 0 {
		flush()
	}
}

// joins reports whether a block of size goes with what is gathered: within the
// aim, or within the limit for a short introduction to a long table.
func joins(gathered, size int) bool {
	sum := gathered + size
	return sum <= aimChars || gathered <= smallChars && sum <= maxChars
}

// cut returns the pieces of a block that is too long.
func (s *splitter) cut(b block) []string {
	text := s.src[b.start:b.end]
	head, foot := "", ""
	switch b.shape {
	case table:
		head, text = cutHeader(text)
	case code:
		head, text, foot = cutFences(text)
	}
	if utf8.RuneCountInString(head) > smallChars {
		// Too long to repeat: it stays where it was.
		text, head, foot = s.src[b.start:b.end], "", ""
	}
	var pieces []string
	for _, piece := range fill(lines(text)) {
		if hasWords(piece) {
			pieces = append(pieces, head+strings.TrimRight(piece, "\r\n")+"\n"+foot)
		}
	}
	if len(pieces) == 0 {
		return []string{text, head}
	}
	return pieces
}

// cutHeader parts a table into its first two lines and its rows.
func cutHeader(text string) (header, rows string) {
	first := strings.IndexByte(text, '\n') + 1
	second := first + strings.IndexByte(text[first:], '\n') + 1
	return text[:second], text[second:]
}

// cutFences parts a code block into its opening fence, its lines and a closing
// fence, which is made when the source leaves it out.
func cutFences(text string) (opening, body, closing string) {
	first := strings.IndexByte(text, '\n') + 1
	opening, body = text[:first], strings.TrimRight(text[first:], " \t\r\n")
	mark := strings.TrimLeft(opening, " ")
	if mark == "" {
		return "", text, ""
	}
	closing = mark[:len(mark)-len(strings.TrimLeft(mark, mark[:1]))]
	last := strings.LastIndexByte(body, '\n') + 1
	end := strings.TrimSpace(body[last:])
	if len(end) >= len(closing) && strings.Trim(end, mark[:1]) == "" {
		body = body[:last]
	}
	return opening, body, closing
}

// lines cuts at line ends, longer lines at the ends of sentences, longer
// sentences at spaces, and longer words anywhere.
func lines(text string) []string {
	var parts []string
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) <= maxChars {
			parts = append(parts, line)
			continue
		}
		parts = append(parts, sentences(line)...)
	}
	return parts
}

// sentences cuts one long line into parts of at most the limit, each of which
// ends where a sentence does, else where a word does, if it can.
func sentences(line string) []string {
	var parts []string
	start, sentence, word, chars := 0, 0, 0, 0
	previous := ' '
	for i, r := range line {
		if unicode.IsSpace(previous) && !unicode.IsSpace(r) {
			word = i
		}
		if chars >= maxChars {
			at := i
			switch {
			case sentence > start:
				at = sentence
			case word > start:
				at = word
			}
			parts = append(parts, line[start:at])
			start, chars = at, utf8.RuneCountInString(line[at:i])
		}
		if unicode.IsSpace(r) && strings.ContainsRune(".!?;…", previous) || strings.ContainsRune("。！？", previous) {
			sentence = i
		}
		previous = r
		chars++
	}
	return append(parts, line[start:])
}

// fill joins parts up to the aim.
func fill(parts []string) []string {
	var pieces []string
	var b strings.Builder
	chars := 0
	for _, part := range parts {
		size := utf8.RuneCountInString(part)
		if chars > 0 && chars+size > aimChars {
			pieces = append(pieces, b.String())
			b.Reset()
			chars = 0
		}
		b.WriteString(part)
		chars += size
	}
	if chars > 0 {
		pieces = append(pieces, b.String())
	}
	return pieces
}
