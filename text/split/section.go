package split

import "parley/text/sentence"

// section is a heading with the blocks up to the next heading.
type section struct {
	level int
	title string
	// start is where the heading starts, body where the text under it does.
	start, body, end int
	blocks           []block
	// next is the index of the first section that is not below this one, and
	// tokens the size of all of it, the sections below included.
	next, tokens int
	// alone says that it shares no passage, and aloneBelow that a section below it
	// does not.
	alone, aloneBelow bool
}

// outline gathers blocks into sections. The first, of level zero, is what
// stands before any heading. Of pairs each heading is a question.
func outline(blocks []block, pairs bool) []section {
	sections := []section{{}}
	for i, b := range blocks {
		if b.shape == heading {
			sections = append(sections, section{
				level: b.level, title: b.title, start: b.start, body: b.end, end: b.end, tokens: b.tokens, blocks: blocks[i+1 : i+1],
			})
			continue
		}
		last := &sections[len(sections)-1]
		if last.blocks == nil {
			last.blocks = blocks[:0]
		}
		last.blocks = last.blocks[:len(last.blocks)+1]
		last.end = b.end
		last.tokens += b.tokens
	}
	if len(sections[0].blocks) == 0 {
		sections = sections[1:]
	}
	for i := range sections {
		sections[i].alone = sections[i].standsAlone(pairs)
	}
	nest(sections)
	return sections
}

// leastAlone is how many bytes a question has with what stands below it to have a passage
// of its own, so that a text has no more passages than it can be stored with.
const leastAlone = 64

// standsAlone reports whether a section is a question with its answer: what stands beside
// it answers another.
func (it *section) standsAlone(pairs bool) bool {
	if pairs {
		return it.level > 0
	}
	return sentence.Asks(it.title) && it.end-it.start >= leastAlone
}

// nest fills in next, and adds the tokens of the sections below, from the back.
func nest(sections []section) {
	var open []int
	for i := len(sections) - 1; i >= 0; i-- {
		s := &sections[i]
		for len(open) > 0 && s.level > 0 && sections[open[len(open)-1]].level > s.level {
			below := &sections[open[len(open)-1]]
			s.tokens += below.tokens
			s.aloneBelow = s.aloneBelow || below.alone || below.aloneBelow
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
// neighbors share a passage, but for questions. The depth is at most six, as headings
// are.
func (s *splitter) group(path []string, sections []section, from, to int) {
	for i := from; i < to; {
		end, count := i, 0
		for tokens := 0; end < to && sections[end].joins(s.small) && tokens+sections[end].tokens <= s.aim; count++ {
			tokens += sections[end].tokens
			end = sections[end].next
		}
		if count > 1 {
			s.add(path, sections[i].start, sections[end-1].end, "", "")
			i = end
			continue
		}
		s.single(path, sections, i)
		i = sections[i].next
	}
}

// joins reports whether a section of a size up to small shares a passage with others.
func (it *section) joins(small int) bool {
	return it.tokens <= small && !it.alone && !it.aloneBelow
}

// single makes passages of one section and of those below it.
func (s *splitter) single(path []string, sections []section, i int) {
	it := sections[i]
	under := path
	if it.level > 0 && it.title != "" {
		under = append(path[:len(path):len(path)], it.title)
	}
	if it.next == i+1 && !s.hasWords(it.body, it.end) {
		// A heading over nothing is all there is to say.
		s.add(path, it.start, it.end, "", "")
		return
	}
	if it.tokens <= s.limit && !it.aloneBelow {
		s.add(under, it.body, sections[it.next-1].end, "", "")
		return
	}
	s.pack(under, it.blocks)
	s.group(under, sections, i+1, it.next)
}
