package splade

import "golang.org/x/sys/cpu"

// largestAVX2 is largestGo for four times so many positions, at least one.
//
//go:noescape
func largestAVX2(rows, hidden *int16, fours int, largest *int32)

// addProductAVX2 is addProductGo for n above zero.
//
//go:noescape
func addProductAVX2(sum *float32, sumStride int, x *float32, xStride int, matrix *float32, n int)

var wide = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// largest is largestGo for a multiple of four positions.
func largest(rows, hidden []int16, found *[columns]int32) {
	if fours := len(hidden) / (together * width); wide && fours > 0 && len(rows) >= columns*width {
		largestAVX2(&rows[0], &hidden[0], fours, &found[0])
		return
	}
	largestGo(rows, hidden, found)
}

// addProduct is addProductGo, if the processor can, with its vector instructions.
func addProduct(sum []float32, sumStride int, x []float32, xStride int, matrix []float32, n int) {
	if !wide || n == 0 {
		addProductGo(sum, sumStride, x, xStride, matrix, n)
		return
	}
	// The assembly checks no bounds.
	_, _, _ = sum[(together-1)*sumStride+columns-1], x[(together-1)*xStride+n-1], matrix[columns*n-1]
	addProductAVX2(&sum[0], sumStride, &x[0], xStride, &matrix[0], n)
}
