// Package segment owns the segments of the embedded index: their format, how to
// build one from a document, how to merge several, and how to search them. A
// segment is written once and read in place; type [Dead] records the documents
// that are removed later.
//
// Package embedded owns where segments are stored, which of them are merged, and
// which of them a search sees.
package segment

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sort"
	"strings"
)

// A segment is a header and sections in the order of fixed and then of
// sized, all numbers little-endian. The header is
//
//	0  magic, with the version of the format
//	4  CRC-32C of all that follows
//	8  the counts: passages, documents, sources, terms, vectors, dimension
//	32 the number of all terms of all passages, in eight bytes
//	40 the sizes of the last four sections
const (
	magic      = "PSG2"
	headerSize = 56
)

var le = binary.LittleEndian

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the checksum of a segment.
func checksum(data []byte) uint32 { return crc32.Checksum(data[8:], castagnoli) }

// sections are the parts of a segment and the numbers of their items. A section
// whose comment names no size varies in size.
type sections struct {
	documentTable
	termTable
	vectorTable
}

// documentTable holds the documents of a segment and their passages.
type documentTable struct {
	passages, documents, sources int

	ids       []byte // of passages, 8 each
	lengths   []byte // of passages in terms, 4 each
	forwardAt []byte // where a passage begins in forward, 4 each, and the end
	records   []byte // of documents, 16 each, in the order of their passages; see document
	byName    []byte // documents in the order of their names, 4 each
	nameAt    []byte // where the name of a document, then source, begins, 4 each, and the end
	names     []byte
	forward   []byte // of passages: the numbers of their terms; see forward.go

	// nameText is a copy of names, so that a name is a string without an
	// allocation.
	nameText string
}

// termTable holds the terms of a segment, and which passages contain them.
type termTable struct {
	terms int

	words    []byte // where a term begins in spelling and in postings, 4 and 4 each, and the ends
	spelling []byte // of the terms, which are in order
	postings []byte // of a term: how many, then [cursor]'s

	// termText is a copy of spelling, so that a term is a string without an
	// allocation.
	termText string
}

// vectorTable holds the vectors of a segment.
type vectorTable struct {
	vectors, dimension int

	means    []byte // of the vectors, a float32 for each dimension
	spreads  []byte // mean distances from those, likewise
	vectorOf []byte // the passage of a vector, 4 each, rising
	scales   []byte // a float32 each: a row times its scale is the vector
	signs    []byte // of vector minus mean, a bit for each dimension, in words of 8
	rows     []byte // an int8 for each dimension
}

// signWords is the size of a vector's sign bits, in words of 64.
func (t *vectorTable) signWords() int { return (t.dimension + 63) / 64 }

// counts returns the counts in the order of the header.
func (s *sections) counts() []*int {
	return []*int{&s.passages, &s.documents, &s.sources, &s.terms, &s.vectors, &s.dimension}
}

// fixed returns the sections whose size follows from the counts, and sizes.
func (s *sections) fixed() ([]*[]byte, []int) {
	parts := []*[]byte{
		&s.ids, &s.lengths, &s.forwardAt, &s.records, &s.byName, &s.nameAt, &s.words,
		&s.means, &s.spreads, &s.vectorOf, &s.scales, &s.signs, &s.rows,
	}
	sizes := []int{
		8 * s.passages, 4 * s.passages, 4 * (s.passages + 1), 16 * s.documents, 4 * s.documents, 4 * (s.documents + s.sources + 1), 8 * (s.terms + 1),
		4 * s.dimension, 4 * s.dimension, 4 * s.vectors, 4 * s.vectors, 8 * s.signWords() * s.vectors, s.dimension * s.vectors,
	}
	return parts, sizes
}

// sized returns the sections whose sizes the header has.
func (s *sections) sized() []*[]byte {
	return []*[]byte{&s.names, &s.spelling, &s.postings, &s.forward}
}

// Segment is a decoded segment. It reads from the bytes it was decoded from.
type Segment struct {
	sections
	// length is the number of terms of all passages.
	length uint64
}

var errDamaged = errors.New("a piece of the index is damaged")

// Decode checks data and returns the segment in it, which keeps using data.
func Decode(data []byte) (*Segment, error) {
	if len(data) < headerSize || string(data[:4]) != magic || le.Uint32(data[4:]) != checksum(data) {
		return nil, errDamaged
	}
	var s Segment
	for i, field := range s.counts() {
		*field = int(le.Uint32(data[8+4*i:]))
	}
	s.length = le.Uint64(data[32:])
	parts, sizes := s.fixed()
	for i, part := range s.sized() {
		parts, sizes = append(parts, part), append(sizes, int(le.Uint32(data[40+4*i:])))
	}
	at := headerSize
	for i, part := range parts {
		if sizes[i] > len(data)-at {
			return nil, errDamaged
		}
		*part = data[at : at+sizes[i] : at+sizes[i]]
		at += sizes[i]
	}
	if at != len(data) {
		return nil, errDamaged
	}
	s.nameText, s.termText = string(s.names), string(s.spelling)
	return &s, nil
}

// encode returns the data of the segment with the sections, whose passages have
// length terms.
func (s *sections) encode(length uint64) []byte {
	parts, _ := s.fixed()
	parts = append(parts, s.sized()...)
	size := headerSize
	for _, part := range parts {
		size += len(*part)
	}
	data := make([]byte, headerSize, size)
	copy(data, magic)
	for i, field := range s.counts() {
		le.PutUint32(data[8+4*i:], uint32(*field))
	}
	le.PutUint64(data[32:], length)
	for i, part := range s.sized() {
		le.PutUint32(data[40+4*i:], uint32(len(*part)))
	}
	for _, part := range parts {
		data = append(data, *part...)
	}
	le.PutUint32(data[4:], checksum(data))
	return data
}

// Size is the memory that the segment holds, in bytes, which is nearly the size of its data.
func (s *Segment) Size() int64 {
	size := headerSize + len(s.nameText) + len(s.termText)
	parts, _ := s.fixed()
	for _, part := range append(parts, s.sized()...) {
		size += len(*part)
	}
	return int64(size)
}

// Passages is the number of passages, dead ones among them.
func (s *Segment) Passages() int { return s.passages }

func at32(section []byte, i int) uint32 { return le.Uint32(section[4*i:]) }

func (t *documentTable) id(passage int) int64 { return int64(le.Uint64(t.ids[8*passage:])) }

// document is a document's record. Its passages go on to the first one of the
// next document.
type document struct {
	// sequence says which change brought the document, counted from the change that brought
	// the segment's first document.
	sequence uint64
	first    int
	// source is the number of the source, counted from one; zero is none.
	source int
}

func (t *documentTable) document(i int) document {
	record := t.records[16*i:]
	return document{sequence: le.Uint64(record), first: int(le.Uint32(record[8:])), source: int(le.Uint32(record[12:]))}
}

// end returns the first passage after a document.
func (t *documentTable) end(document int) int {
	if document+1 == t.documents {
		return t.passages
	}
	return t.document(document + 1).first
}

// documentOf returns the number of a passage's document.
func (t *documentTable) documentOf(passage int) int {
	return sort.Search(t.documents, func(i int) bool { return t.document(i).first > passage }) - 1
}

// name returns the name of a document or, with numbers after those, of a source.
func (t *documentTable) name(i int) string {
	return t.nameText[at32(t.nameAt, i):at32(t.nameAt, i+1)]
}

// find returns the numbers of the documents that have the name: one, but for a
// document that was too long for one segment.
func (t *documentTable) find(name string) []int {
	var found []int
	from := sort.Search(t.documents, func(i int) bool { return t.name(int(at32(t.byName, i))) >= name })
	for ; from < t.documents && t.name(int(at32(t.byName, from))) == name; from++ {
		found = append(found, int(at32(t.byName, from)))
	}
	return found
}

func (t *termTable) term(i int) string {
	return t.termText[le.Uint32(t.words[8*i:]):le.Uint32(t.words[8*i+8:])]
}

// lookup returns the number of a term, or -1.
func (t *termTable) lookup(term string) int {
	low, high := 0, t.terms
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch order := strings.Compare(t.term(middle), term); {
		case order == 0:
			return middle
		case order < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return -1
}

// compareNames orders documents by name, and documents of the same name by number.
func compareNames(names []string) func(a, b uint32) int {
	return func(a, b uint32) int {
		return cmp.Or(strings.Compare(names[a], names[b]), cmp.Compare(a, b))
	}
}
