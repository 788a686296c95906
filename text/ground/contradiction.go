package ground

import (
	"math/bits"
	"slices"

	"parley/text/language"
)

const (
	// nearlyBest is the share of the best match that other places of the passages need
	// to count as well.
	nearlyBest = 0.8
	// leastMatch is the share of a clause's terms from which on a place says something
	// about it.
	leastMatch = 0.5
	// maxCompared bounds the terms of a sentence that places are looked for by.
	maxCompared = 64
)

// contradicted reports whether what the passages say where they speak of a sentence's
// matter is denied by it, or is a denial that it lacks: for one of its clauses, none of the
// places that match it best agrees.
func (e *evidence) contradicted(c *claims, in language.Code) bool {
	m := newMatch(c)
	for i := range e.passages {
		if p := &e.passages[i]; p.in == in {
			m.add(p)
		}
	}
	for _, at := range m.bit {
		m.weights[at] = 1 / max(1, m.weights[at])
	}
	m.most, m.mostWhole = make([]float64, len(m.clauses)), max(1e-9, m.weight(m.whole))
	for i, mask := range m.clauses {
		m.most[i] = max(1e-9, m.weight(mask))
	}
	m.scores = make([]float64, len(m.places))
	for i := range c.clauses {
		if !m.agrees(i) {
			return true
		}
	}
	return false
}

// match compares a sentence with the places of passages.
type match struct {
	claims *claims
	// bit is each term's bit in a mask. whole is the mask of the whole sentence, and
	// clauses has a mask for each of its clauses. weights are higher for rarer terms.
	bit     map[string]int
	weights [maxCompared]float64
	// most has the weight of each clause, and mostWhole is the weight of the whole sentence.
	most      []float64
	mostWhole float64
	scores    []float64
	whole     uint64
	clauses   []uint64
	places    []place
	cues      []cue
}

// place is a part of a passage with the terms of the sentence that it holds.
type place struct {
	passage *passageFacts
	masks   []uint64 // of the passage's clauses
	// ranges are ranges of the passage's clauses. If over is true, the second range is
	// above the first: whatever it denies, it denies of the first range's clauses.
	ranges [2][2]int
	over   bool
	mask   uint64
}

func newMatch(c *claims) *match {
	m := &match{claims: c, bit: map[string]int{}, clauses: make([]uint64, len(c.clauses))}
	for i, part := range c.clauses {
		for _, term := range part.terms {
			at, ok := m.bit[term]
			if !ok {
				if len(m.bit) == maxCompared {
					continue
				}
				at = len(m.bit)
				m.bit[term] = at
			}
			m.clauses[i] |= 1 << at
		}
		m.whole |= m.clauses[i]
		m.cues = append(m.cues, part.cues...)
	}
	return m
}

// add compares with each sentence of a passage, alone and with what stands over it or before
// it, and with each of its clauses.
func (m *match) add(p *passageFacts) {
	masks := make([]uint64, len(p.clauses))
	found := false
	for term, at := range m.bit {
		for _, i := range p.postings[term] {
			masks[i] |= 1 << at
			found = true
		}
		m.weights[at] += float64(len(p.postings[term]))
	}
	if !found {
		return
	}
	of := func(s sentenceFacts) (mask uint64) {
		for _, part := range masks[s.from:s.end] {
			mask |= part
		}
		return mask
	}
	for _, s := range p.sentences {
		mask := of(s)
		if mask == 0 {
			continue
		}
		own := [2]int{s.from, s.end}
		m.places = append(m.places, place{p, masks, [2][2]int{own}, false, mask})
		for i, other := range [...]int{s.heading, s.lead, s.before} {
			if other >= 0 {
				o := p.sentences[other]
				m.places = append(m.places, place{p, masks, [2][2]int{own, {o.from, o.end}}, i < 2, mask | of(o)})
			}
		}
		if s.end-s.from > 1 {
			for i := s.from; i < s.end; i++ {
				m.places = append(m.places, place{p, masks, [2][2]int{{i, i + 1}}, false, masks[i]})
			}
		}
	}
}

// score is how much of a clause and of the whole sentence a place holds, from 0 to 2.
func (m *match) score(clause int, mask uint64) float64 {
	return m.weight(mask&m.clauses[clause])/m.most[clause] + m.weight(mask&m.whole)/m.mostWhole
}

func (m *match) weight(mask uint64) (sum float64) {
	for ; mask != 0; mask &= mask - 1 {
		sum += m.weights[bits.TrailingZeros64(mask)]
	}
	return sum
}

func shareOf(mask, of uint64) float64 {
	return float64(bits.OnesCount64(mask&of)) / float64(max(1, bits.OnesCount64(of)))
}

// agrees reports whether one of the places that match a clause best says the same, or no
// place says anything about it.
func (m *match) agrees(clause int) bool {
	best, held := 0.0, 0.0
	for i, p := range m.places {
		m.scores[i] = m.score(clause, p.mask)
		best = max(best, m.scores[i])
		held = max(held, shareOf(p.mask, m.clauses[clause]))
	}
	if held < leastMatch {
		return true
	}
	for i, p := range m.places {
		if m.scores[i] >= nearlyBest*best && m.agreesWith(clause, p) {
			return true
		}
	}
	return false
}

// agreesWith reports whether a place denies and restricts what a clause does, and nothing
// else of what the sentence is about.
func (m *match) agreesWith(at int, p place) bool {
	var open []cue
	for _, c := range m.claims.clauses[at].cues {
		if c.kind != language.Hints && !m.has(at, p, c) {
			if c.kind == language.Restricts {
				return false
			}
			open = append(open, c)
		}
	}
	if !cancel(open) {
		return false
	}
	open = open[:0]
	for _, r := range p.ranges {
		for _, part := range p.passage.clauses[r[0]:r[1]] {
			for _, c := range part.cues {
				if denies(c.kind) && m.isAbout(c) && !c.meets(m.cues) {
					open = append(open, c)
				}
			}
		}
	}
	return cancel(open)
}

// has reports whether a place denies or restricts the same as a clause of the sentence: in the
// clause that holds most of it, or over that.
func (m *match) has(at int, p place, c cue) bool {
	most, with := 0.0, -1.0
	// A sentence that holds all of the clause may deny it in a shorter clause of its own.
	isWhole := p.holdsAll(m.clauses[at])
	for i, r := range p.ranges {
		for j := r[0]; j < r[1]; j++ {
			held := m.weight(p.masks[j] & m.clauses[at])
			cues := p.passage.clauses[j].cues
			isMet := c.meets(cues)
			if isMet && (i == 1 && p.over || isWhole && i == 0 && slices.ContainsFunc(cues, c.equals)) {
				return true
			}
			if i == 1 && p.over {
				continue
			}
			if isMet {
				with = max(with, held)
			}
			most = max(most, held)
		}
	}
	return with >= most
}

// holdsAll reports whether the first range of a place holds all terms of a mask.
func (p place) holdsAll(mask uint64) bool {
	for _, part := range p.masks[p.ranges[0][0]:p.ranges[0][1]] {
		mask &^= part
	}
	return mask == 0
}

// meets reports whether one of other cues says the same about the same.
func (c cue) meets(others []cue) bool {
	for _, o := range others {
		if c.goesWith(o) && c.concerns(o) {
			return true
		}
	}
	return false
}

// equals reports whether two cues concern the very same terms.
func (c cue) equals(other cue) bool {
	return c.kind == other.kind && slices.Equal(c.window, other.window)
}

// goesWith reports whether a cue may say what another does: "only if" is "not without".
func (c cue) goesWith(other cue) bool {
	switch {
	case c.kind == language.Hints || other.kind == language.Hints || c.kind == other.kind:
		return true
	case c.kind == language.Restricts || other.kind == language.Restricts:
		return c.kind == language.Excepts || other.kind == language.Excepts
	}
	return true
}

// isAbout reports whether a passage's cue concerns what the sentence is about: the nearest
// term, and at least half of all.
func (m *match) isAbout(c cue) bool {
	shared := 0
	for _, term := range c.window {
		if _, ok := m.bit[term]; ok {
			shared++
		}
	}
	_, nearest := m.bit[c.window[0]]
	return nearest && 2*shared >= len(c.window)
}

// cancel reports whether denials take each other back: "not without".
func cancel(open []cue) bool {
	if len(open) == 0 {
		return true
	}
	return len(open) == 2 && (open[0].kind == language.Excepts) != (open[1].kind == language.Excepts)
}
