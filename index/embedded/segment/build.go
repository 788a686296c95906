package segment

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"parley/core/retrieval"
)

// MaxSize is about the size of the largest segment, in bytes. It bounds what
// one change writes and what a merge holds in memory.
const MaxSize = 32 << 20

// Build returns the segments of a document: one, unless that were too large. All entries
// belong to one document with one source, and their passages are distinct.
func Build(entries []retrieval.Entry) ([][]byte, error) {
	if err := check(entries); err != nil {
		return nil, err
	}
	return buildAll(entries, MaxSize), nil
}

// Group is documents that share a segment, or one that is too large for that.
type Group struct {
	Contents []retrieval.Content
	Segments [][]byte
}

// BuildAll returns the segments of several documents, in groups. Each has entries. The
// sequences of a group's documents count from zero.
func BuildAll(contents []retrieval.Content) ([]Group, error) {
	var groups []Group
	first, size := 0, 0
	for i, c := range contents {
		if err := check(c.Entries); err != nil {
			return nil, err
		}
		need := 0
		for _, e := range c.Entries {
			need += sizeOf(e)
		}
		if size+need > MaxSize && i > first {
			groups = append(groups, groupOf(contents[first:i]))
			first, size = i, 0
		}
		size += need
	}
	if first < len(contents) {
		groups = append(groups, groupOf(contents[first:]))
	}
	return groups, nil
}

func groupOf(contents []retrieval.Content) Group {
	var entries []retrieval.Entry
	for _, c := range contents {
		entries = append(entries, c.Entries...)
	}
	if len(contents) == 1 { // which may be too large for one
		return Group{contents, buildAll(entries, MaxSize)}
	}
	return Group{contents, [][]byte{build(entries)}}
}

// sizeOf is about what an entry needs in a segment, in bytes.
func sizeOf(e retrieval.Entry) int {
	// A term has a word in the dictionary at most, with a posting, and a
	// number in the forward list; five bytes more is what most terms need.
	need := 64 + 2*len(e.Vector)
	for _, term := range e.Terms {
		need += len(term) + 13
	}
	return need
}

// buildAll makes a new segment whenever one could be larger than limit.
func buildAll(entries []retrieval.Entry, limit int) [][]byte {
	var built [][]byte
	first, size := 0, 0
	for i, e := range entries {
		need := sizeOf(e)
		if size+need > limit && i > first {
			built = append(built, build(entries[first:i]))
			first, size = i, 0
		}
		size += need
	}
	return append(built, build(entries[first:]))
}

func check(entries []retrieval.Entry) error {
	dimension, seen := 0, make(map[int64]bool, len(entries))
	for _, e := range entries {
		switch {
		case e.DocumentID != entries[0].DocumentID:
			return fmt.Errorf("passage %d belongs to document %q, not to %q", e.PassageID, e.DocumentID, entries[0].DocumentID)
		case e.SourceID != entries[0].SourceID:
			return fmt.Errorf("passage %d has another source than the document's first one", e.PassageID)
		case e.PassageID <= 0 || seen[e.PassageID]:
			return fmt.Errorf("passage %d is there twice, or its number is not above zero", e.PassageID)
		case len(e.Vector) > 0 && dimension > 0 && len(e.Vector) != dimension:
			return fmt.Errorf("the vector of passage %d has dimension %d, others of its document have %d", e.PassageID, len(e.Vector), dimension)
		}
		seen[e.PassageID] = true
		dimension = max(dimension, len(e.Vector))
		for _, x := range e.Vector {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return errors.New("a vector has a number that is not finite")
			}
		}
	}
	return nil
}

// Dimension returns the dimension of the entries' vectors, or zero.
func Dimension(entries []retrieval.Entry) int {
	for _, e := range entries {
		if len(e.Vector) > 0 {
			return len(e.Vector)
		}
	}
	return 0
}

// build makes one segment of the entries of documents, one after the other.
func build(entries []retrieval.Entry) []byte {
	var w writer
	w.dimension = Dimension(entries)
	numbers := w.dictionary(entries)
	size := numberSize(len(w.spelled))
	// A pair is a term of a passage: sorted, they are the postings.
	pairs := make([]uint64, 0, len(numbers))
	sequence := uint64(0)
	for passage, e := range entries {
		if passage == 0 || e.DocumentID != entries[passage-1].DocumentID {
			w.addDocument(e.DocumentID, e.SourceID, sequence)
			sequence++
		}
		w.beginPassage(e.PassageID, len(e.Terms))
		for _, number := range numbers[:len(e.Terms)] {
			w.forward = appendNumber(w.forward, size, number)
			pairs = append(pairs, uint64(number)<<32|uint64(passage))
		}
		numbers = numbers[len(e.Terms):]
		if len(e.Vector) > 0 {
			scale, row := quantize(e.Vector)
			w.addVector(passage, scale, row)
		}
	}
	slices.Sort(pairs)
	w.addPostings(pairs)
	return w.finish()
}

// dictionary gives the distinct terms numbers in their order, and returns the numbers of
// all terms of all entries.
func (w *writer) dictionary(entries []retrieval.Entry) []uint32 {
	var numbers []uint32
	seen := map[string]uint32{}
	for _, e := range entries {
		for _, term := range e.Terms {
			number, known := seen[term]
			if !known {
				number = uint32(len(seen))
				seen[term] = number
				w.spelled = append(w.spelled, term)
			}
			numbers = append(numbers, number)
		}
	}
	slices.Sort(w.spelled)
	places := make([]uint32, len(w.spelled))
	for i, term := range w.spelled {
		places[seen[term]] = uint32(i)
	}
	for i, number := range numbers {
		numbers[i] = places[number]
	}
	return numbers
}

// addPostings writes the lists of all terms from sorted pairs of a term and a
// passage.
func (w *writer) addPostings(pairs []uint64) {
	var found [][2]int
	for at := 0; at < len(pairs); {
		term := pairs[at] >> 32
		found = found[:0]
		for at < len(pairs) && pairs[at]>>32 == term {
			frequency := 1
			for at+frequency < len(pairs) && pairs[at+frequency] == pairs[at] {
				frequency++
			}
			found = append(found, [2]int{int(uint32(pairs[at])), frequency})
			at += frequency
		}
		w.beginTerm(w.spelled[term], len(found))
		for _, posting := range found {
			w.list.add(posting[0], posting[1])
		}
		w.endTerm()
	}
}
