package segment

import (
	"slices"
	"sort"
)

// Dead has the passages of a segment that were removed since it was written, and
// how they change its counts. A Dead never changes. Nil means that nothing was
// removed.
type Dead struct {
	live   passageSet
	count  int
	length uint64
	// frequencies counts the dead passages that have each term.
	frequencies []uint32
}

// Size is the memory it holds, in bytes.
func (d *Dead) Size() int64 {
	if d == nil {
		return 0
	}
	return int64(8*len(d.live) + 4*len(d.frequencies))
}

// passageSet has a bit for each passage of a segment.
type passageSet []uint64

func newPassageSet(n int) passageSet { return make(passageSet, (n+63)/64) }

func (p passageSet) has(i int) bool { return p[i>>6]>>(i&63)&1 == 1 }

func (p passageSet) add(i int) { p[i>>6] |= 1 << (i & 63) }

func (p passageSet) remove(i int) { p[i>>6] &^= 1 << (i & 63) }

// Bury returns the dead passages after the documents of the sequences have been
// removed, too.
func (s *Segment) Bury(before *Dead, sequences []uint64) *Dead {
	if len(sequences) == 0 {
		return before
	}
	d := &Dead{live: newPassageSet(s.passages), frequencies: make([]uint32, s.terms)}
	if before != nil {
		d.count, d.length = before.count, before.length
		copy(d.live, before.live)
		copy(d.frequencies, before.frequencies)
	} else {
		for passage := range s.passages {
			d.live.add(passage)
		}
	}
	var scratch []uint32
	for _, sequence := range sequences {
		n := s.documents
		for i := sort.Search(n, func(i int) bool { return s.document(i).sequence >= sequence }); i < n && s.document(i).sequence == sequence; i++ {
			for passage := s.document(i).first; passage < s.end(i); passage++ {
				scratch = s.bury(d, passage, scratch[:0])
			}
		}
	}
	return d
}

// Lives reports whether the document of a sequence is in the view and not dead.
func (v View) Lives(sequence uint64) bool {
	i := sort.Search(v.documents, func(i int) bool { return v.document(i).sequence >= sequence })
	return i < v.documents && v.document(i).sequence == sequence && (v.Dead == nil || v.Dead.live.has(v.document(i).first))
}

func (s *Segment) bury(d *Dead, passage int, scratch []uint32) []uint32 {
	if !d.live.has(passage) {
		return scratch
	}
	d.live.remove(passage)
	d.count++
	d.length += uint64(at32(s.lengths, passage))
	for list, size := s.forwardOf(passage); len(list) > 0; list = list[size:] {
		scratch = append(scratch, numberAt(list, size))
	}
	slices.Sort(scratch)
	for _, number := range slices.Compact(scratch) {
		d.frequencies[number]++
	}
	return scratch
}

// View is a segment with its dead passages.
type View struct {
	*Segment
	Dead *Dead
}

// Live is the number of passages that are not dead.
func (v View) Live() int {
	if v.Dead == nil {
		return v.passages
	}
	return v.passages - v.Dead.count
}

// liveLength is the number of terms of all live passages.
func (v View) liveLength() uint64 {
	if v.Dead == nil {
		return v.length
	}
	return v.length - v.Dead.length
}

// frequency is the number of live passages that have the term.
func (v View) frequency(term int) int {
	_, n := v.postingsOf(term)
	if v.Dead != nil {
		n -= int(v.Dead.frequencies[term])
	}
	return n
}
