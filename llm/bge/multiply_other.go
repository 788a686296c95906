//go:build !amd64

package bge

func product(block []int8, numbers []int16, n int, sums *[together * columns]int32) {
	productGo(block, numbers, n, sums)
}

func addProduct(sum []float32, sumStride int, x []float32, xStride int, matrix []float32, n int) {
	addProductGo(sum, sumStride, x, xStride, matrix, n)
}

func highest(x []float32) float32 { return highestGo(x) }

func round(into []int16, x []float32, factor float32) { roundGo(into, x, factor) }

func expAll(x []float32, high, factor float32) float32 { return expAllGo(x, high, factor) }
