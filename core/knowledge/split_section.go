package knowledge

import "unicode/utf8"

// section is a heading with the blocks up to the next heading.
type section struct {
	level int
	title string
	// start is where the heading starts, body where the text under it does.
	start, body, end int
	blocks           []block
	// next is the index of the first section that is not below this one, and
	// chars the length of all of it, the sections below included.
	next, chars int
}

// outline gathers blocks into sections. The first, of level zero, is what
// stands before any heading.
func outline(src string, blocks []block) []section {
	sections := []section{{}}
	for _, b := range blocks {
		if b.shape == heading {
			sections = append(sections, section{level: b.level, title: b.title, start: b.start, body: b.end, end: b.end})
			continue
		}
		last := &sections[len(sections)-1]
		last.blocks = append(last.blocks, b)
		last.end = b.end
	}
	if len(sections[0].blocks) == 0 {
		sections = sections[1:]
	}
	measure(src, sections)
	return sections
}

// measure fills in next and chars, from the back.
func measure(src string, sections []section) {
	var open []int
	for i := len(sections) - 1; i >= 0; i-- {
		s := &sections[i]
		s.chars = utf8.RuneCountInString(src[s.start:s.end])
		for len(open) > 0 && s.level > 0 && sections[open[len(open)-1]].level > s.level {
			s.chars += sections[open[len(open)-1]].chars
			open = open[:len(open)-1]
		}
		s.next = len(sections)
		if len(open) > 0 {
			s.next = open[len(open)-1]
		}
		open = append(open, i)
	}
}

// group makes passages of the sections from..to, which stand under path. Small
// neighbours share a passage. The depth is at most six, as headings are.
func (s *splitter) group(path []string, sections []section, from, to int) {
	for i := from; i < to; {
		end, count := i, 0
		for chars := 0; end < to && sections[end].chars <= smallChars && chars+sections[end].chars <= aimChars; count++ {
			chars += sections[end].chars
			end = sections[end].next
		}
		if count > 1 {
			s.add(path, s.src[sections[i].start:sections[end-1].end])
			i = end
			continue
		}
		s.single(path, sections, i)
		i = sections[i].next
	}
}

// single makes passages of one section and of those below it.
func (s *splitter) single(path []string, sections []section, i int) {
	it := sections[i]
	under := path
	if it.level > 0 && it.title != "" {
		under = append(path[:len(path):len(path)], it.title)
	}
	if it.next == i+1 && !hasWords(s.src[it.body:it.end]) {
		// A heading over nothing is all there is to say.
		s.add(path, s.src[it.start:it.end])
		return
	}
	if it.chars <= aimChars {
		s.add(under, s.src[it.body:sections[it.next-1].end])
		return
	}
	s.pack(under, it.blocks)
	s.group(under, sections, i+1, it.next)
}

func hasWords(text string) bool { return trimBlankLines(text) != "" }
