//go:build !amd64

package splade

// largest is largestGo.
func largest(rows, hidden []int16, found *[columns]int32) { largestGo(rows, hidden, found) }

// addProduct is addProductGo.
func addProduct(sum []float32, sumStride int, x []float32, xStride int, matrix []float32, n int) {
	addProductGo(sum, sumStride, x, xStride, matrix, n)
}
