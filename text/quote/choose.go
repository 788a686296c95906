package quote

import (
	"math"
	"slices"

	"parley/text/language"
)

// lab/notebook says how these were chosen.
const (
	maxPassages = 10
	// maxChosen is how many units are chosen by what they say, and maxSections of how
	// many sections. What belongs to the units comes along: see [section.bring].
	maxChosen   = 4
	maxSections = 2
	// enough is the share of the best score below which a unit would distract, and open
	// the share of the question's weight that a second section must add.
	enough = 0.4
	open   = 0.1
	// known is the weight of a term that the answer already contains.
	known = 0.25
	// inHeading is the weight of a term that occurs only in the headings above a unit.
	inHeading = 0.5
	// byMeaning is what the nearness of meaning counts beside the terms.
	byMeaning = 1.2
	// typicalLength is the length in bytes of a unit that gets neither a bonus nor a
	// penalty.
	typicalLength = 120.0
	// numeric is what a number counts where one is asked for.
	numeric = 1.15
	// defining is what a unit counts that begins with what is to be defined.
	defining = 1.3
	// acted is what code and steps count where a question asks how something is done.
	acted = 1.2
	// fitting is what a unit counts that is written like the answer that is asked for, such
	// as a price or a time; fittingEnglish is the same for units in English.
	fitting        = 1.3
	fittingEnglish = 1.5
	// tabled is what a row counts whose table's header has all that is asked for.
	tabled = 1.3
	// byCloseness is how much a section's worth grows with how much closer its passage is
	// than the mean, and apart how much further off than the first a second one's may be.
	byCloseness = 4.0
	// unitCloseness is what each 1.00 of closeness above nearby counts for where the answer
	// begins, as a share of the question's weight.
	unitCloseness = 5.0
	apart         = 0.1
	// inOrder is what a page that is asked about as a whole counts less with each unit from
	// its beginning.
	inOrder = 0.15
	// affirming is what other sections count beside one whose heading denies as the
	// question does.
	affirming = 0.5
	// asHeaded is what the list or table counts that a heading has asked about.
	asHeaded = 1.4
)

// quoted holds what the answer quotes from one section, in its order.
type quoted struct {
	passage Passage
	// number is the passage's number in citations, from 1.
	number int
	// heading is the section's.
	heading string
	units   []unit
}

// candidate is a unit that shares a term with the question, or whose heading
// does.
type candidate struct {
	section    *section
	unit       int
	own, above uint64
	near       float64
	factor     float64
	// inAbove is what a term counts that only the headings have.
	inAbove float64
	// close is what the closeness of its part counts for the first unit, as a share of the
	// question's weight. The others of the part are as close.
	close float64
}

// choose returns what answers the question: the units that say most about it, of the
// sections that do. It returns none when the evidence is weak that they answer it.
func choose(question string, earlier []string, in language.Code, passages []Passage, gone func() bool) []quoted {
	terms := termsOf(question, earlier, in)
	if len(terms.weights) == 0 || len(passages) == 0 {
		return nil
	}
	passages = passages[:min(len(passages), maxPassages)]
	terms.mend(question, passages)
	sections := sectionsOf(question, terms, passages, gone)
	if gone() {
		return nil
	}
	weights := weigh(terms, sections, len(passages))
	weights.compared = passages[0].Compared
	if same := slices.IndexFunc(sections, func(s section) bool { return s.same }); same >= 0 {
		sections = sections[same : same+1] // an FAQ's own answer needs no other
	}
	chosen := pick(sections, weights)
	if !slices.ContainsFunc(chosen, (*section).convinces) {
		return nil
	}
	return quote(chosen, passages)
}

// pick chooses units one by one, each for what it adds to those before it (maximal
// marginal relevance; Carbonell and Goldstein, 1998), and returns their sections.
func pick(sections []section, w *weights) []*section {
	candidates := candidatesOf(sections, w)
	var chosen []*section
	var covered uint64
	best := 0.0
	for range maxChosen {
		at, score := -1, 0.0
		for i, c := range candidates {
			value := c.value(covered, w)
			if len(chosen) == 0 {
				best = max(best, value)
			}
			if len(c.section.chosen) == 0 && !c.section.opens(chosen, covered, w) {
				continue
			}
			if len(chosen) == 0 {
				value += c.close * w.total
			}
			if value > score {
				at, score = i, value
			}
		}
		if at < 0 || len(chosen) > 0 && score < enough*best {
			break
		}
		c := candidates[at]
		if len(c.section.chosen) == 0 {
			chosen = append(chosen, c.section)
		}
		c.section.chosen = append(c.section.chosen, c.unit)
		covered |= c.own
		candidates = slices.Delete(candidates, at, at+1)
	}
	return chosen
}

// opens reports whether a further section may be quoted.
func (s *section) opens(chosen []*section, covered uint64, w *weights) bool {
	if len(chosen) == 0 {
		return true
	}
	far := s.closeness != 0 && s.closeness < chosen[0].closeness-apart
	return !far && len(chosen) < maxSections && w.sum(s.text&^covered) >= open*w.total
}

func candidatesOf(sections []section, w *weights) []candidate {
	highest, denied, units := 0.0, false, 0
	for i := range sections {
		sections[i].judge(w)
		highest, denied = max(highest, sections[i].value), denied || sections[i].denies
		units += len(sections[i].units)
	}
	found := make([]candidate, 0, units)
	for i := range sections {
		factor := sections[i].value / highest * math.Exp(byCloseness*sections[i].closer)
		if denied && !sections[i].denies {
			factor *= affirming
		}
		if sections[i].general() {
			factor /= 1 + inOrder*float64(sections[i].first)
		}
		found = sections[i].candidates(found, factor)
	}
	return found
}

// candidates appends the units that share a term with the question, or whose headings
// do.
func (s *section) candidates(found []candidate, factor float64) []candidate {
	above := s.headed | s.above
	for u, unit := range s.units {
		c := candidate{section: s, unit: u, own: s.own[u], near: s.near[u], inAbove: inHeading}
		length := math.Max(1, float64(len(unit.text))/typicalLength)
		c.factor = factor / (math.Sqrt(length) * (1 + 0.01*float64(min(u, 50))))
		if u == 0 && s.asked {
			c.own |= s.headed // What a section begins with is what its heading says.
			if unit.kind != sentence {
				c.factor *= asHeaded
			}
		}
		if s.cues.acts && (unit.kind == code || unit.number() > 0) {
			c.factor *= acted
		}
		if s.cues.defines && s.beginsWith[u] {
			c.factor *= defining
		}
		switch {
		case s.cues.wants == place && address.MatchString(unit.text):
			c.factor *= fitting * fitting
		case s.cues.inflected && s.fits != nil && s.fits[u]:
			c.factor *= fitting
		case s.fits != nil && s.fits[u]: // "From $549" says what is above it, too
			c.factor *= fittingEnglish
			c.inAbove = 1
		case s.cues.number && hasDigit(unit.text):
			c.factor *= numeric
		}
		if unit.kind == row && unit.header == s.tabled {
			c.factor *= tabled
		}
		if s.close != nil && s.told < allAsked { // Words that all are there say it better.
			c.close = factor * unitCloseness * max(0, s.close[u]-nearby)
			c.factor *= math.Exp(byCloseness * (s.close[u] - s.closeness))
		}
		if (c.own|above != 0 || s.isClose(u)) && !unit.linksOnly {
			c.above = above &^ c.own
			found = append(found, c)
		}
	}
	return found
}

func (c candidate) value(covered uint64, w *weights) float64 {
	own := w.sum(c.own&^covered) + known*w.sum(c.own&covered)
	above := w.sum(c.above&^covered) + known*w.sum(c.above&covered)
	return (own + c.inAbove*above + byMeaning*c.near) * c.factor
}

// quote collects what is quoted of each section, the best first. Each has its own heading:
// items that stand under "What cannot be returned" say the contrary without it.
func quote(chosen []*section, passages []Passage) []quoted {
	found := make([]quoted, len(chosen))
	for i, s := range chosen {
		found[i] = quoted{passage: passages[s.passage], number: s.passage + 1, heading: s.heading, units: s.collect()}
	}
	return found
}
