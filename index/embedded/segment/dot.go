package segment

import "math"

// Rows are compared with a question in integers: the sum of products is then the
// same in any order, and on any processor.

// mostOf is the largest of a question's numbers, at most 14 bits: no sum of products
// with a row leaves 32 bits, because a row's numbers are at least -128.
func mostOf(dimension int) int { return max(1, min(1<<14-1, math.MaxInt32>>7/max(1, dimension))) }

// asNumbers appends a question as integers, and returns what one of them stands for.
func asNumbers(question []float32, numbers []int16) (list []int16, unit float32) {
	most := float32(0)
	for _, x := range question {
		most = max(most, x, -x)
	}
	if most == 0 {
		most = 1
	}
	unit = most / float32(mostOf(len(question)))
	for _, x := range question {
		numbers = append(numbers, int16(math.Round(float64(x/unit))))
	}
	return numbers, unit
}

// dotGo is the sum of the products of a question's numbers and a row's, which
// are signed bytes. There are as many of the one as of the other.
func dotGo(question []int16, row []byte) int32 {
	question = question[:len(row)]
	var a, b, c, d int32
	i := 0
	for ; i+4 <= len(row); i += 4 {
		a += int32(question[i]) * int32(int8(row[i]))
		b += int32(question[i+1]) * int32(int8(row[i+1]))
		c += int32(question[i+2]) * int32(int8(row[i+2]))
		d += int32(question[i+3]) * int32(int8(row[i+3]))
	}
	for ; i < len(row); i++ {
		a += int32(question[i]) * int32(int8(row[i]))
	}
	return a + b + c + d
}
