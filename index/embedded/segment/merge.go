package segment

import (
	"strings"
)

// Part is a segment whose live passages a merge takes.
type Part struct {
	View
	// First is the sequence from which the segment's documents count theirs.
	First uint64
}

// Merge returns one segment of the live passages of several, in their order. Its documents'
// sequences count from the first part's First. It returns nil if nothing is alive.
func Merge(parts []Part) []byte {
	var w writer
	for _, p := range parts {
		w.dimension = max(w.dimension, p.dimension)
	}
	passages := make([][]int, len(parts))
	for i, p := range parts {
		passages[i] = w.placePassages(p, p.First-parts[0].First)
	}
	if w.passages == 0 {
		return nil
	}
	terms := w.mergeTerms(parts, passages)
	w.mergeForward(parts, passages, terms)
	return w.finish()
}

// gone is the new number of a dead passage.
const gone = -1

// placePassages adds a part's live documents and passages, and returns the new
// numbers of the passages. Their forward lists follow later.
func (w *writer) placePassages(p Part, offset uint64) []int {
	places := make([]int, p.passages)
	for i := range p.documents {
		d := p.document(i)
		if p.Dead != nil && !p.Dead.live.has(d.first) {
			// All of a document is dead, or nothing.
			for passage := d.first; passage < p.end(i); passage++ {
				places[passage] = gone
			}
			continue
		}
		w.addDocument(p.name(i), p.sourceName(d.source), d.sequence+offset)
		for passage := d.first; passage < p.end(i); passage++ {
			places[passage] = w.passages
			w.ids = append(w.ids, p.ids[8*passage:8*passage+8]...)
			w.lengths = append(w.lengths, p.lengths[4*passage:4*passage+4]...)
			w.passages++
			w.length += uint64(at32(p.lengths, passage))
		}
	}
	for vector := range p.vectors {
		if place := places[at32(p.vectorOf, vector)]; place != gone {
			w.addVector(place, p.scales[4*vector:4*vector+4], p.row(vector))
		}
	}
	return places
}

// mergeTerms walks the sorted dictionaries of all parts at once, and returns
// for each the new numbers of its terms.
func (w *writer) mergeTerms(parts []Part, passages [][]int) [][]uint32 {
	numbers, next := make([][]uint32, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		numbers[i] = make([]uint32, p.terms)
	}
	var having []int
	for {
		var term string
		term, having = smallest(parts, next, having[:0])
		if len(having) == 0 {
			return numbers
		}
		n := 0
		for _, i := range having {
			n += parts[i].frequency(next[i])
		}
		if n > 0 {
			w.beginTerm(term, n)
		}
		for _, i := range having {
			if n > 0 {
				numbers[i][next[i]] = uint32(w.terms - 1)
				w.takePostings(parts[i], next[i], passages[i])
			}
			next[i]++
		}
		if n > 0 {
			w.endTerm()
		}
	}
}

// smallest returns the first of the terms that come next in the parts, and the
// parts that have it.
func smallest(parts []Part, next, having []int) (string, []int) {
	var least string
	for i, p := range parts {
		if next[i] == p.terms {
			continue
		}
		term := p.term(next[i])
		order := -1
		if len(having) > 0 {
			order = strings.Compare(term, least)
		}
		switch {
		case order < 0:
			least, having = term, append(having[:0], i)
		case order == 0:
			having = append(having, i)
		}
	}
	return least, having
}

func (w *writer) takePostings(p Part, term int, places []int) {
	list, _ := p.postingsOf(term)
	for c := (cursor{data: list}); c.next(); {
		if place := places[c.passage]; place != gone {
			w.list.add(place, c.frequency)
		}
	}
}

func (w *writer) mergeForward(parts []Part, passages [][]int, terms [][]uint32) {
	into := numberSize(w.terms)
	for i, p := range parts {
		for passage, place := range passages[i] {
			if place == gone {
				continue
			}
			w.forwardAt = le.AppendUint32(w.forwardAt, uint32(len(w.forward)))
			for list, size := p.forwardOf(passage); len(list) > 0; list = list[size:] {
				w.forward = appendNumber(w.forward, into, terms[i][numberAt(list, size)])
			}
		}
	}
}
