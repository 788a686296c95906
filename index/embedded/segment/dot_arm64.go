package segment

// dotNEON is dotGo for n numbers, a multiple of 16 above zero. Every processor has its
// instructions.
//
//go:noescape
func dotNEON(question *int16, row *byte, n int) int32

// dotWide is how many numbers dotNEON takes at a time.
const dotWide = 16

// dot is the sum of the products of a question's numbers and a row's.
func dot(question []int16, row []byte) int32 {
	n := len(row) &^ (dotWide - 1)
	if n == 0 || len(question) < len(row) {
		return dotGo(question, row)
	}
	return dotNEON(&question[0], &row[0], n) + dotGo(question[n:], row[n:])
}
