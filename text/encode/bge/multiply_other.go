//go:build !amd64 && !arm64

package bge

// Fast reports that there are no vector instructions here: a question takes some 50 ms, and
// a passage two seconds.
func Fast() bool { return false }

func grouping() (group int, sign int8) { return 2, 0 }

func (m *matrix) multiply(into []float32, l *lines, row, from int) {
	m.multiplyBy(productOf, into, l, row, from)
}

func (l *lines) round(row int, x []float32, factor float32) {
	roundGo(l.numbers[row*len(x):], x, factor)
}

func addProduct(sum []float32, sumStride int, x []float32, xStride int, matrix []float32, n int) {
	addProductGo(sum, sumStride, x, xStride, matrix, n)
}

func highest(x []float32) float32 { return highestGo(x) }

func largest(x []float32) float32 { return largestGo(x) }

func expAll(x []float32, high, factor float32) float32 { return expAllGo(x, high, factor) }

func gelu(x []float32) { geluGo(x) }
