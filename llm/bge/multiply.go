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
	// most is the largest of the integers that states become: no sum of products
	// with a row of the widest matrix leaves 32 bits.
	most = 1 << 13
)

// productGo puts into sums, for each of four positions, the sums of products with a
// block of a matrix. Numbers has n for each position; n is even.
func productGo(block []int8, numbers []int16, n int, sums *[together * columns]int32) {
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
	// blocks has, for each block of outputs and each pair of inputs, those of its rows.
	blocks       []int8
	scales, bias []float32
}

// pack takes weights, which have the numbers of each output together.
func (m *matrix) pack(weights []int8) {
	m.blocks = make([]int8, len(weights))
	for o := range m.out {
		block := m.blocks[o/columns*columns*m.in:]
		for i, weight := range weights[o*m.in:][:m.in] {
			block[i/2*2*columns+o%columns*2+i%2] = weight
		}
	}
}

// apply returns, in into, the images of the rows of x. There are a multiple of four.
func (m *matrix) apply(into, x []float32, s *scratch) []float32 {
	numbers, units := s.asNumbers(x, m.in)
	return m.images(into, numbers, units)
}

// images returns, in into, the images of rows of integers that stand for a unit each.
func (m *matrix) images(into []float32, numbers []int16, units []float32) []float32 {
	rows := len(units)
	into = into[:rows*m.out]
	var sums [together * columns]int32
	for from := 0; from < m.out; from += columns {
		block := m.blocks[from*m.in:][:columns*m.in]
		scales, bias := m.scales[from:][:columns], m.bias[from:][:columns]
		for row := 0; row < rows; row += together {
			product(block, numbers[row*m.in:][:together*m.in], m.in, &sums)
			for r := range together {
				unit := units[row+r]
				for i, y := 0, into[(row+r)*m.out+from:][:columns]; i < columns; i++ {
					y[i] = float32(sums[r*columns+i])*unit*scales[i] + bias[i]
				}
			}
		}
	}
	return into
}

// asNumbers returns rows of x as integers, which stand for the row's unit each.
func (s *scratch) asNumbers(x []float32, in int) (numbers []int16, units []float32) {
	numbers, units = resize(&s.numbers, len(x)), resize(&s.units, len(x)/in)
	for row := range units {
		from := x[row*in:][:in]
		high := highest(from)
		if high == 0 {
			high = 1
		}
		units[row] = high / most
		round(numbers[row*in:][:in], from, most/high)
	}
	return numbers, units
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
// two, into a list.
func roundGo(into []int16, x []float32, factor float32) {
	for i, value := range x {
		into[i] = int16(math.RoundToEven(float64(value * factor)))
	}
}
