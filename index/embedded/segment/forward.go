package segment

// The forward list of a passage has the numbers of its terms in their order, each of
// as many bytes as the largest number of the segment needs: a search reads thousands
// of them, and a processor cannot predict the ends of varints.

// numberSize is the size of a term's number, in bytes, in a segment with so many
// terms.
func numberSize(terms int) int {
	switch {
	case terms <= 1<<16:
		return 2
	case terms <= 1<<24:
		return 3
	}
	return 4
}

// appendNumber appends a number of a size to a forward list.
func appendNumber(list []byte, size int, number uint32) []byte {
	for range size {
		list = append(list, byte(number))
		number >>= 8
	}
	return list
}

// numberAt reads the number of a size with which a forward list begins.
func numberAt(list []byte, size int) uint32 {
	number := uint32(le.Uint16(list))
	for i, b := range list[2:size] {
		number |= uint32(b) << (16 + 8*i)
	}
	return number
}

// forwardOf returns the forward list of a passage, and the size of its numbers.
func (s *Segment) forwardOf(passage int) (list []byte, size int) {
	return s.forward[at32(s.forwardAt, passage):at32(s.forwardAt, passage+1)], numberSize(s.terms)
}
