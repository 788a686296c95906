package quote

import (
	"strconv"
	"strings"
	"unicode"

	"parley/text/language"
	sentences "parley/text/sentence"
)

const (
	// wholeList and wholeText bound a list or table that is quoted whole, in items or
	// rows and in bytes, and manySteps and stepsText a list of steps.
	wholeList = 10
	wholeText = 1200
	manySteps = 30
	stepsText = 4000
	// maxFollowing is how many items, rows or blocks of code a sentence that ends
	// with a colon brings along.
	maxFollowing = 12
	// paragraphUnits and paragraphText bound a paragraph that is quoted whole in other
	// languages than English, where fewer of the question's words are found again, and
	// where its part of the passage is close.
	paragraphUnits = 5
	paragraphText  = 400
	// maxAway is how many units away from a chosen one something may stand that is written
	// like the answer that is asked for.
	maxAway = 4
	// betweenSteps is how many units may stand between two steps.
	betweenSteps = 4
	// shortUnits and shortText bound a section that is quoted whole because its
	// heading is what was asked about.
	shortUnits = 3
	shortText  = 500
)

// collect returns the chosen units with what a person would copy together with them,
// in order. What stands under a heading that asks the question, or under one that has
// a term of it and is short, is quoted whole.
func (s *section) collect() []unit {
	if s.asked && (sentences.Asks(s.heading) && fit(s.units, wholeList, wholeText) || fit(s.units, shortUnits, shortText)) {
		return quotable(s.units)
	}
	wanted := make([]bool, len(s.units))
	for _, u := range s.chosen {
		s.bring(u, wanted)
	}
	if s.cues.inflected && s.cues.wants != anything {
		s.bringFitting(wanted)
	}
	var found []unit
	for u, unit := range s.units {
		if wanted[u] {
			found = append(found, unit)
		}
	}
	return quotable(found)
}

// bringFitting marks the nearest unit that is written like the answer that is asked for, if
// none is marked that is.
func (s *section) bringFitting(wanted []bool) {
	best, least := -1, maxAway+1
	for u, unit := range s.units {
		if !s.fits[u] || len(unit.text) > paragraphText {
			continue
		}
		if wanted[u] {
			return
		}
		for _, chosen := range s.chosen {
			if away := max(u-chosen, chosen-u); away < least {
				best, least = u, away
			}
		}
	}
	if best >= 0 {
		wanted[best] = true
	}
}

// quotable returns the units that are more than links, or all if there are no such.
func quotable(units []unit) []unit {
	var found []unit
	for _, u := range units {
		if !u.linksOnly {
			found = append(found, u)
		}
	}
	if len(found) == 0 {
		return units
	}
	return found
}

func fit(units []unit, count, size int) bool {
	for _, u := range units {
		size -= len(u.text)
	}
	return len(units) <= count && size >= 0
}

// bring marks the unit at u with what belongs to it: a sentence with what it leans on or
// announces, all steps of a list of them, the rows or items that the question is as much
// about, and what introduces a list, a table or code.
func (s *section) bring(u int, wanted []bool) {
	first, last := u, u
	switch {
	case s.units[u].kind == sentence:
		last += s.following(u)
		if leans(s.units[u].text) && u > 0 && sameBlock(s.units[u-1], s.units[u]) {
			first--
		}
		if from, to := s.block(u); (s.cues.inflected || s.isClose(u)) && fit(s.units[from:to+1], paragraphUnits, paragraphText) {
			first, last = from, max(to, last)
		}
	case s.units[u].number() > 0:
		first, last = s.steps(u)
	case s.units[u].kind != code:
		first, last = s.block(u)
		if alike := s.alike(first, last, u); len(alike) > 0 {
			for _, other := range alike {
				wanted[other] = true
			}
			first, last = u, u
		}
	}
	if at := s.introduction(first); at >= 0 {
		wanted[at] = true
	}
	for ; first <= last; first++ {
		wanted[first] = true
	}
}

// alike returns the items or rows of the block that have all the terms that tell the one
// at u from the others. There are none when nothing tells it from them, or closeness
// speaks for them, and the whole block is short enough to be quoted.
func (s *section) alike(first, last, u int) []int {
	shared := ^uint64(0)
	for other := first; other <= last; other++ {
		shared &= s.own[other]
	}
	own := s.own[u] &^ (s.headed | shared)
	tellsLittle := s.close != nil && s.told < tellsMuch
	if (own == 0 || tellsLittle) && fit(s.units[first:last+1], wholeList, wholeText) {
		return nil
	}
	var found []int
	for other := first; other <= last; other++ {
		if own != 0 && s.own[other]&own == own {
			found = append(found, other)
		}
	}
	if len(found) == 0 || len(found) > wholeList {
		return []int{u}
	}
	return found
}

// block returns the first and the last unit of the list, table or paragraph that the one
// at u is part of.
func (s *section) block(u int) (first, last int) {
	first, last = u, u
	for first > 0 && sameBlock(s.units[first-1], s.units[u]) {
		first--
	}
	for last+1 < len(s.units) && sameBlock(s.units[last+1], s.units[u]) {
		last++
	}
	return first, last
}

// number returns the number of a step, or 0.
func (u unit) number() int {
	if u.kind != item {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSuffix(u.marker, "."))
	return n
}

// steps returns the first and the last unit of the steps that the one at u is one of:
// those that count on, with what stands between them and the code under the last. Of too
// many steps it returns the one.
func (s *section) steps(u int) (first, last int) {
	first, last = u, u
	for at, between := u-1, 0; at >= 0 && between <= betweenSteps; at-- {
		if between++; s.units[at].number() == s.units[first].number()-1 && s.units[at].number() > 0 {
			first, between = at, 0
		}
	}
	for at, between := u+1, 0; at < len(s.units) && between <= betweenSteps; at++ {
		if between++; s.units[at].number() == s.units[last].number()+1 {
			last, between = at, 0
		}
	}
	for last+1 < len(s.units) && s.units[last+1].kind == code {
		last++
	}
	if !fit(s.units[first:last+1], manySteps, stepsText) {
		return u, u
	}
	return first, last
}

// introduction returns the place of the sentence that announces what begins at first, or
// -1.
func (s *section) introduction(first int) int {
	if first == 0 || s.units[first].kind == sentence {
		return -1
	}
	before := s.units[first-1]
	if before.kind != sentence || !announces(before.text) {
		return -1
	}
	return first - 1
}

func announces(text string) bool { return strings.HasSuffix(strings.TrimRight(text, "*_ "), ":") }

// leans reports whether a sentence cannot be understood without the one before.
func leans(text string) bool {
	word, _, _ := strings.Cut(strings.TrimLeftFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }), " ")
	return leaning[strings.ToLower(strings.TrimRight(word, ",;:"))]
}

var leaning = language.English.List("leaning")

// following returns how many units the sentence at u announces with a colon: the whole
// next block, unless that is another sentence.
func (s *section) following(u int) int {
	if !announces(s.units[u].text) || u+1 == len(s.units) {
		return 0
	}
	next := s.units[u+1]
	if next.number() > 0 {
		_, last := s.steps(u + 1)
		return last - u
	}
	count := 0
	for _, unit := range s.units[u+1:] {
		if unit.kind == sentence || unit.block != next.block || count == maxFollowing {
			break
		}
		count++
	}
	return count
}
