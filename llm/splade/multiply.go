package splade

// Both products work on four positions of a text and on a block of columns at a
// time, in an order that lets a processor with vector instructions do sixteen
// columns at once. Package amd64 code is used where the processor has it; the
// code in Go gives the same integers, and the same floats but for rounding.
const (
	// columns is how many columns of a matrix, or rows of the vocabulary, a block has.
	columns = 16
	// together is how many positions are multiplied at a time.
	together = 4
)

// largestGo raises each of largest, a block of the vocabulary, to its largest product
// with any of the positions. A block has, for each pair of dimensions, those of its
// rows; hidden has width numbers for each position.
func largestGo(rows, hidden []int16, largest *[columns]int32) {
	for ; len(hidden) > 0; hidden = hidden[width:] {
		var sums [columns]int32
		for pair := range width / 2 {
			a, b := int32(hidden[2*pair]), int32(hidden[2*pair+1])
			block := rows[2*columns*pair:][:2*columns]
			for i := range sums {
				sums[i] += a*int32(block[2*i]) + b*int32(block[2*i+1])
			}
		}
		for i, sum := range sums {
			largest[i] = max(largest[i], sum)
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

// matrix is a linear map of rows of in numbers to rows of out numbers.
type matrix struct {
	in, out int
	packed  []float32 // in blocks of sixteen columns; the rows of a block follow one another
	bias    []float32
}

// newMatrix packs weights, which have the numbers of each output together. in and
// out are multiples of sixteen.
func newMatrix(in, out int, weights, bias []float32) *matrix {
	m := &matrix{in: in, out: out, packed: make([]float32, in*out), bias: bias}
	for o := range out {
		for i := range in {
			m.packed[(o/columns*in+i)*columns+o%columns] = weights[o*in+i]
		}
	}
	return m
}

// apply returns, in into, the images of the rows of x. There are a multiple of four.
func (m *matrix) apply(into, x []float32) []float32 {
	rows := len(x) / m.in
	into = into[:rows*m.out]
	for row := range rows {
		copy(into[row*m.out:], m.bias)
	}
	for block := 0; block < m.out; block += columns {
		packed := m.packed[block*m.in:][:columns*m.in]
		for row := 0; row < rows; row += together {
			addProduct(into[row*m.out+block:], m.out, x[row*m.in:], m.in, packed, m.in)
		}
	}
	return into
}
