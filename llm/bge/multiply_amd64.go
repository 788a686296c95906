package bge

import "golang.org/x/sys/cpu"

// productAVX2 is productGo for n/2 pairs, at least one.
//
//go:noescape
func productAVX2(block *int8, numbers *int16, pairs int, sums *int32)

// addProductAVX2 is addProductGo for n above zero.
//
//go:noescape
func addProductAVX2(sum *float32, sumStride int, x *float32, xStride int, matrix *float32, n int)

// productVNNI is productAVX2 for an even number of pairs.
//
//go:noescape
func productVNNI(block *int8, numbers *int16, pairs int, sums *int32)

// expAVX2 is expAllGo for eight times so many numbers, at least one.
//
//go:noescape
func expAVX2(x *float32, eights int, high, factor float32) float32

var (
	wide  = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	wider = cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI
)

// product is productGo, if the processor can, with its vector instructions.
func product(block []int8, numbers []int16, n int, sums *[together * columns]int32) {
	if !wide || n < 2 {
		productGo(block, numbers, n, sums)
		return
	}
	// The assembly checks no bounds.
	_, _ = block[columns*n-1], numbers[together*n-1]
	if wider && n%4 == 0 {
		productVNNI(&block[0], &numbers[0], n/2, &sums[0])
		return
	}
	productAVX2(&block[0], &numbers[0], n/2, &sums[0])
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

// highestAVX2 is highestGo for sixteen times so many numbers, at least one.
//
//go:noescape
func highestAVX2(x *float32, sixteens int) float32

// roundAVX2 is roundGo for sixteen times so many numbers, at least one.
//
//go:noescape
func roundAVX2(into *int16, x *float32, factor float32, sixteens int)

// highest is highestGo for a multiple of sixteen numbers.
func highest(x []float32) float32 {
	if !wide || len(x) == 0 {
		return highestGo(x)
	}
	return highestAVX2(&x[0], len(x)/columns)
}

// round is roundGo for a multiple of sixteen numbers.
func round(into []int16, x []float32, factor float32) {
	if !wide || len(x) == 0 {
		roundGo(into, x, factor)
		return
	}
	_ = into[len(x)-1]
	roundAVX2(&into[0], &x[0], factor, len(x)/columns)
}

// expAll is expAllGo for a multiple of eight numbers.
func expAll(x []float32, high, factor float32) float32 {
	if !wide || len(x) == 0 {
		return expAllGo(x, high, factor)
	}
	return expAVX2(&x[0], len(x)/8, high, factor)
}
