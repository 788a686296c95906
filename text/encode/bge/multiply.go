package bge

import "math"

// Products work on four positions of a text and on a block of columns at a time, in
// an order that lets a processor with vector instructions do sixteen columns at once.
// The assembly is used where the processor has it; the code in Go gives the same
// integers, and the same floats but for rounding.
const (
	// columns is how many outputs a block of a matrix has.
	columns = 16
	// together is how many positions are multiplied at a time.
	together = 4
	// most is the largest of the integers that states become.
	most = 127
)

// lines are rows of integers that stand for a unit each.
type lines struct {
	numbers []int8
	// long are the same numbers where the instructions in use take those.
	long []int16
	// sums has the sum of each row's numbers, where the instructions need it.
	sums  []int32
	units []float32
}

// productGo puts into sums, for each of four positions, the sums of products with a
// block of a matrix. Numbers has n for each position; n is even.
func productGo(block, numbers []int8, n int, sums *[together * columns]int32) {
	*sums = [together * columns]int32{}
	for position := range together {
		into := sums[position*columns:][:columns]
		for pair := range n / 2 {
			a, b := int32(numbers[position*n+2*pair]), int32(numbers[position*n+2*pair+1])
			line := block[2*columns*pair:][:2*columns]
			for i := range into {
				into[i] += a*int32(line[2*i]) + b*int32(line[2*i+1])
			}
		}
	}
}

// addProductGo adds to a block of four rows and sixteen columns of sum the product of
// four rows of x, n numbers each, and the n rows of a matrix of sixteen columns.
// Strides are the distances between rows.
func addProductGo(sum []float32, sumStride int, x []float32, xStride int, matrix []float32, n int) {
	for row := range together {
		var sums [columns]float32
		for i, value := range x[row*xStride:][:n] {
			line := matrix[columns*i:][:columns]
			for j, factor := range line {
				sums[j] += value * factor
			}
		}
		into := sum[row*sumStride:][:columns]
		for j, s := range sums {
			into[j] += s
		}
	}
}

// matrix is a linear map of rows of in numbers to rows of out numbers. In and out
// are multiples of sixteen.
type matrix struct {
	in, out int
	// blocks has the weights by block of outputs, then by group of inputs, then by output:
	// see pack.
	blocks       []int8
	scales, bias []float32
}

// pack takes weights, which have the numbers of each output together.
func (m *matrix) pack(weights []int8) {
	m.blocks = make([]int8, len(weights))
	group, sign := grouping()
	for o := range m.out {
		block := m.blocks[o/columns*columns*m.in:]
		for i, weight := range weights[o*m.in:][:m.in] {
			block[i/group*group*columns+o%columns*group+i%group] = weight ^ sign
		}
	}
}

// apply returns, in into, the images of the rows of x. There are a multiple of four.
func (m *matrix) apply(into, x []float32, s *scratch) []float32 {
	return m.images(into, s.asNumbers(x, m.in))
}

// images returns, in into, the images of rows of integers.
func (m *matrix) images(into []float32, l *lines) []float32 {
	into = into[:len(l.units)*m.out]
	for from := 0; from < m.out; from += columns {
		for row := 0; row < len(l.units); row += together {
			m.multiply(into, l, row, from)
		}
	}
	return into
}

// multiplyBy puts into a block of four rows and sixteen columns what the products make.
func (m *matrix) multiplyBy(product func(block []int8, l *lines, row, n int, sums *[together * columns]int32), into []float32, l *lines, row, from int) {
	var sums [together * columns]int32
	product(m.blocks[from*m.in:][:columns*m.in], l, row, m.in, &sums)
	scales, bias := m.scales[from:][:columns], m.bias[from:][:columns]
	for r := range together {
		unit := l.units[row+r]
		for i, y := 0, into[(row+r)*m.out+from:][:columns]; i < columns; i++ {
			y[i] = float32(sums[r*columns+i])*unit*scales[i] + bias[i]
		}
	}
}

// productOf is productGo for four of the lines.
func productOf(block []int8, l *lines, row, n int, sums *[together * columns]int32) {
	productGo(block, l.numbers[row*n:][:together*n], n, sums)
}

// asNumbers returns rows of x as integers. They are valid until the next use.
func (s *scratch) asNumbers(x []float32, in int) *lines {
	l := &s.lines
	resize(&l.numbers, len(x))
	resize(&l.long, len(x))
	resize(&l.sums, len(x)/in)
	resize(&l.units, len(x)/in)
	for row := range l.units {
		from := x[row*in:][:in]
		high := highest(from)
		if high == 0 {
			high = 1
		}
		l.units[row] = high / most
		l.round(row, from, most/high)
	}
	return l
}

// highestGo returns the largest of the numbers without their signs.
func highestGo(x []float32) float32 {
	high := float32(0)
	for _, value := range x {
		high = max(high, value, -value)
	}
	return high
}

// roundGo puts the integers nearest to the products of x with factor, the even ones of
// two, into a list, and returns their sum.
func roundGo(into []int8, x []float32, factor float32) int32 {
	sum := int32(0)
	for i, value := range x {
		into[i] = int8(math.RoundToEven(float64(value * factor)))
		sum += int32(into[i])
	}
	return sum
}
