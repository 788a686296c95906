package bge

import "golang.org/x/sys/cpu"

// wide says that the processor has products of four integers at once (Armv8.2, which
// Apple's have, Graviton since the second, and the Raspberry Pi since the fifth).
var wide = cpu.ARM64.HasASIMDDP

// Fast reports whether the processor has instructions that make encoding a question cheap.
func Fast() bool { return wide }

// grouping returns how many inputs of an output stand together in a matrix, and which bits
// of its weights are turned.
func grouping() (group int, sign int8) {
	if wide {
		return 4, 0
	}
	return 2, 0
}

// productSDOT is productGo for a multiple of sixteen numbers, at least that many, with four
// inputs of an output together.
//
//go:noescape
func productSDOT(block, numbers *int8, n int, sums *int32)

// multiply puts the images of four rows into sixteen columns of them.
func (m *matrix) multiply(into []float32, l *lines, row, from int) {
	if wide {
		m.multiplyBy(productOfFours, into, l, row, from)
		return
	}
	m.multiplyBy(productOf, into, l, row, from)
}

// productOfFours is productOf with vector instructions.
func productOfFours(block []int8, l *lines, row, n int, sums *[together * columns]int32) {
	// The assembly checks no bounds.
	_, numbers := block[columns*n-1], l.numbers[row*n:][:together*n]
	productSDOT(&block[0], &numbers[0], n, &sums[0])
}

// roundNEON is roundGo for sixteen times so many numbers, at least one, without their sum.
//
//go:noescape
func roundNEON(into *int8, x *float32, factor float32, sixteens int)

// round fills a row.
func (l *lines) round(row int, x []float32, factor float32) {
	numbers := l.numbers[row*len(x):][:len(x)]
	if !wide {
		roundGo(numbers, x, factor)
		return
	}
	roundNEON(&numbers[0], &x[0], factor, len(x)/columns)
}

// addProductNEON is addProductGo for n above zero.
//
//go:noescape
func addProductNEON(sum *float32, sumStride int, x *float32, xStride int, matrix *float32, n int)

// addProduct is addProductGo, if the processor can, with its vector instructions.
func addProduct(sum []float32, sumStride int, x []float32, xStride int, matrix []float32, n int) {
	if !wide || n == 0 {
		addProductGo(sum, sumStride, x, xStride, matrix, n)
		return
	}
	// The assembly checks no bounds.
	_, _, _ = sum[(together-1)*sumStride+columns-1], x[(together-1)*xStride+n-1], matrix[columns*n-1]
	addProductNEON(&sum[0], sumStride, &x[0], xStride, &matrix[0], n)
}

// highestNEON is highestGo for sixteen times so many numbers, at least one.
//
//go:noescape
func highestNEON(x *float32, sixteens int) float32

// highest is highestGo for a multiple of sixteen numbers.
func highest(x []float32) float32 {
	if !wide || len(x) == 0 {
		return highestGo(x)
	}
	return highestNEON(&x[0], len(x)/columns)
}

// largestNEON is largestGo for sixteen times so many numbers, at least one.
//
//go:noescape
func largestNEON(x *float32, sixteens int) float32

// largest is largestGo for a multiple of sixteen numbers, at least one.
func largest(x []float32) float32 {
	if !wide {
		return largestGo(x)
	}
	return largestNEON(&x[0], len(x)/columns)
}

// expNEON is expAllGo for four times so many numbers, at least one.
//
//go:noescape
func expNEON(x *float32, fours int, high, factor float32) float32

// expAll is expAllGo for a multiple of eight numbers.
func expAll(x []float32, high, factor float32) float32 {
	if !wide || len(x) == 0 {
		return expAllGo(x, high, factor)
	}
	return expNEON(&x[0], len(x)/4, high, factor)
}

// geluNEON is geluGo for four times so many numbers, at least one.
//
//go:noescape
func geluNEON(x *float32, fours int)

// gelu is geluGo for a multiple of eight numbers.
func gelu(x []float32) {
	if !wide || len(x) == 0 {
		geluGo(x)
		return
	}
	geluNEON(&x[0], len(x)/4)
}
