package quote

import (
	"slices"
	"strings"

	"parley/text/encode/words"
	sentences "parley/text/sentence"
)

// lab/notebook says how these were chosen.
const (
	// headed is what a term in a section's own heading counts beside one in its text,
	// and aboveSection what one counts that only the title and the headings have.
	headed       = 2.0
	aboveSection = 0.2
	// sectionMeaning is what the nearest unit's meaning counts for its section, and
	// ranked the passage's score by the search, as a share of the best.
	sectionMeaning = 1.0
	ranked         = 0.4
	// askedShare is the share of the question's terms from which a heading asks it, if at
	// least that share of the heading's own words is the question's.
	askedShare = 0.6
	askedFocus = 0.6
	// allAsked is the share from which a heading that is a question asks all of it, if
	// at least halfFocus of the heading's own words is the question's.
	allAsked  = 0.9
	halfFocus = 0.5
	// mostTold is the share of what the question tells from which a title says most of it.
	mostTold = 0.6
)

// measuredAtOnce is how many units are measured before somebody has to wait still.
const measuredAtOnce = 64

// section is what stands under one heading of one passage.
type section struct {
	passage int
	heading string
	// first is the place of its first unit in the passage.
	first int
	units []unit
	// near is how near each unit's meaning is to the question's.
	near []float64
	// own says which of the question's terms each unit has, text which ones all units have
	// together, headed which ones the heading has, and above which ones the title and the
	// headings above it have.
	own                 []uint64
	text, headed, above uint64
	// fits says which units are written like the answer that is asked for, if one is.
	fits []bool
	// focus is the share of the heading's words that are the question's.
	focus float64
	// titled is what the title of its document says of the question.
	titled titled
	// score is the passage's by the search, as a share of the best.
	score float64
	// close is how close the part that each unit stands in is, closeness the highest of
	// them, and closer how much more that is than the mean of all sections.
	close             []float64
	closeness, closer float64
	// cues are the question's, denies says that the heading denies as the question does,
	// and contradicts that only the heading denies.
	cues                cues
	denies, contradicts bool
	// beginsWith says which units begin with what the question asks for, where it asks
	// what something is.
	beginsWith []bool

	// value says how much of the question the section says, in the units of the weights.
	value float64
	// told is the share of what the question tells that it has.
	told float64
	// chance is how likely it is that the section answers the question.
	chance float64
	// asked says that the heading asks what the question asks, or more or less; same says
	// that it asks just that.
	asked, same bool
	// tabled is the header of a table that has all that is asked for.
	tabled string
	// chosen are the units that were picked.
	chosen []int
}

// all has all terms of a section.
func (s *section) all() uint64 { return s.text | s.headed | s.above }

// sectionsOf divides the passages by their headings, until nobody waits for them.
func sectionsOf(question string, terms *terms, passages []Passage, gone func() bool) []section {
	units := readAll(passages, gone)
	cues := cuesOf(terms.asking, terms.wants)
	cues.inflected, cues.kinds = terms.inflected, terms.kinds
	sections := make([]section, 0, 4*len(passages))
	for p, passage := range passages {
		title := terms.titledBy(passage.Title)
		for first := 0; first < len(units[p]); {
			end := first + 1
			for end < len(units[p]) && units[p][end].heading == units[p][first].heading {
				end++
			}
			s, found := newSection(question, terms, cues, passage, units[p][first:end], gone)
			if gone() {
				return nil
			}
			if !found {
				first = end
				continue
			}
			s.passage, s.first, s.cues, s.titled = p, first, cues, title
			if s.headed != 0 && hasAny(s.heading, negations) {
				s.denies, s.contradicts = cues.negated, !cues.negated && s.text&^s.headed == 0
			}
			s.score = shareOfBest(passage.Score, passages[0].Score, p)
			s.measureCloseness(passage)
			if cues.defines {
				s.beginsWith = terms.begin(s.units)
			}
			sections = append(sections, s)
			first = end
		}
	}
	compareCloseness(sections)
	measure(question, sections, gone)
	return sections
}

// measure says how near the units are to the question, where a section has a term of it:
// the others are not worth the time.
func measure(question string, sections []section, gone func() bool) {
	var texts []string
	for i := range sections {
		s := &sections[i]
		s.near = make([]float64, len(s.units))
		if !s.mayAnswer() {
			continue
		}
		for _, u := range s.units {
			text := u.text
			if u.kind == row {
				text = s.heading + " " + text // Alone, a row of numbers means nothing.
			}
			texts = append(texts, text)
		}
	}
	var near []float64
	for some := range slices.Chunk(texts, measuredAtOnce) {
		if gone() {
			return
		}
		near = append(near, words.Near(question, some)...)
	}
	for i := range sections {
		if s := &sections[i]; s.mayAnswer() {
			near = near[copy(s.near, near):]
		}
	}
}

// mayAnswer reports whether a section has a term of the question, stands below a title
// that says most of it, or is close to it.
func (s *section) mayAnswer() bool {
	return s.text|s.headed != 0 || s.titled.told >= mostTold || s.closeness >= nearby
}

// general reports whether all that is asked is the title: what the page begins with says it.
func (s *section) general() bool {
	return !s.cues.inflected && s.headed == 0 && s.titled.told >= allAsked && s.titled.focus >= allAsked
}

// titled is what a title says of the question: its terms, the share of its words that they
// are, and the share of what the question tells.
type titled struct {
	terms       uint64
	focus, told float64
}

func (t *terms) titledBy(title string) titled {
	by := titled{terms: t.in(title)}
	if by.terms != 0 {
		by.focus, by.told = t.share(title), t.told(by.terms)
	}
	return by
}

// readAll reads the units of all passages, until nobody waits for them. A sentence that
// stands in several places is read once.
func readAll(passages []Passage, gone func() bool) [][]unit {
	all := make([][]unit, len(passages))
	seen := map[string]bool{}
	for p, passage := range passages {
		if gone() {
			break
		}
		all[p] = slices.DeleteFunc(unitsOf(passage.Text), func(u unit) bool {
			again := u.kind == sentence && seen[u.text]
			seen[u.text] = true
			return again
		})
	}
	return all
}

// newSection reads what stands under one heading. It finds nothing where that is only the
// "Yes" to another question.
func newSection(question string, terms *terms, cues cues, passage Passage, units []unit, gone func() bool) (s section, found bool) {
	s.heading = units[0].heading
	above := append([]string{passage.Title}, passage.HeadingPath...)
	if s.heading == "" {
		s.heading, above = above[len(above)-1], above[:len(above)-1]
	}
	if s.same = terms.asksTheSame(s.heading, question); !s.same {
		units = withoutReplies(units)
	}
	if len(units) == 0 {
		return s, false
	}
	s.units, s.own = units, make([]uint64, len(units))
	if cues.wants != anything {
		s.fits = make([]bool, len(units))
	}
	header, inHeader := "", uint64(0)
	for u, unit := range units {
		if gone() {
			return s, false
		}
		if unit.header != header {
			header, inHeader = unit.header, terms.in(unit.header)
			if !terms.inflected && terms.asked != 0 && inHeader&terms.asked == terms.asked {
				s.tabled = header
			}
		}
		s.own[u] = terms.in(unit.text) | inHeader
		if s.fits != nil {
			s.fits[u] = cues.fits(unit.text)
		}
		if terms.named != 0 && s.fits[u] {
			s.own[u] |= terms.named // "$45" says what it costs.
		}
		s.text |= s.own[u]
	}
	s.headed, s.focus = terms.in(s.heading), terms.share(s.heading)
	s.above = terms.in(strings.Join(above, "\n"))
	return s, true
}

// judge says what the section is worth.
func (s *section) judge(w *weights) {
	near := slices.Max(s.near)
	above := w.sum((s.above | s.headed) &^ s.text)
	s.value = w.sum(s.text) + aboveSection*above + headed*s.focus*w.sum(s.headed) + w.total*(sectionMeaning*near+ranked*s.score)
	switch {
	case s.denies:
		s.value += w.sum(s.headed)
	case s.contradicts: // "What does it cover?" is not what "What it does not cover" says.
		s.value -= headed * s.focus * w.sum(s.headed)
	}
	heading := max(s.focus*w.share(s.headed), titleCounts*s.titled.focus*w.share(s.titled.terms))
	s.chance = w.chance(s.all(), heading, near, s.closeness)
	s.told = w.told(s.all())
	inHeading := w.told(s.headed)
	s.asked = !s.contradicts && (inHeading >= askedShare && s.focus >= askedFocus || inHeading >= allAsked && s.focus >= halfFocus && sentences.Asks(s.heading))
}

// shareOfBest is a passage's score as a share of the best, or by its rank if there are no
// scores.
func shareOfBest(score, best float64, rank int) float64 {
	if best <= 0 {
		return 1 / (1 + float64(rank)/10)
	}
	return score / best
}
