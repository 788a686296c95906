package bge

import "golang.org/x/sys/cpu"

var (
	wide  = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	wider = wide && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI
)

// Fast reports whether the processor has instructions that make encoding a question cheap:
// without them it takes some 50 ms, and a passage two seconds.
func Fast() bool { return wide }

// grouping returns how many inputs of an output stand together in a matrix, and which bits
// of its weights are turned: VPDPBUSD takes four products of signed numbers with others
// without a sign.
func grouping() (group int, sign int8) {
	if wider {
		return 4, -128
	}
	return 2, 0
}

// multiplyVNNI puts into a block of four rows, stride apart, and sixteen columns what a
// block of a matrix makes of four rows of numbers, four for each of quads, and of their
// sums and units.
//
//go:noescape
func multiplyVNNI(into *float32, stride int, block, numbers *int8, quads int, sums *int32, units, scales, bias *float32)

// productAVX2 is productGo for n/2 pairs, at least one.
//
//go:noescape
func productAVX2(block *int8, numbers *int16, pairs int, sums *int32)

// multiply puts the images of four rows into sixteen columns of them.
func (m *matrix) multiply(into []float32, l *lines, row, from int) {
	switch {
	case wider:
		// The assembly checks no bounds.
		block, numbers := m.blocks[from*m.in:][:columns*m.in], l.numbers[row*m.in:][:together*m.in]
		scales, bias, to := m.scales[from:][:columns], m.bias[from:][:columns], into[row*m.out+from:][:(together-1)*m.out+columns]
		multiplyVNNI(&to[0], m.out, &block[0], &numbers[0], m.in/4, &l.sums[row : row+together][0], &l.units[row : row+together][0], &scales[0], &bias[0])
	case wide:
		m.multiplyBy(productOfLong, into, l, row, from)
	default:
		m.multiplyBy(productOf, into, l, row, from)
	}
}

// productOfLong is productOf with vector instructions.
func productOfLong(block []int8, l *lines, row, n int, sums *[together * columns]int32) {
	_, numbers := block[columns*n-1], l.long[row*n:][:together*n]
	productAVX2(&block[0], &numbers[0], n/2, &sums[0])
}

// round fills a row.
func (l *lines) round(row int, x []float32, factor float32) {
	n := len(x)
	switch numbers := l.numbers[row*n:][:n]; {
	case wider:
		l.sums[row] = roundAVX512(&numbers[0], &x[0], factor, n/columns)
	case wide:
		long := l.long[row*n:][:n]
		roundAVX2(&long[0], &x[0], factor, n/columns)
	default:
		roundGo(numbers, x, factor)
	}
}

// roundAVX512 is roundGo for sixteen times so many numbers, at least one.
//
//go:noescape
func roundAVX512(into *int8, x *float32, factor float32, sixteens int) int32

// roundAVX2 is roundGo into longer integers, without their sum.
//
//go:noescape
func roundAVX2(into *int16, x *float32, factor float32, sixteens int)

// addProductAVX2 is addProductGo for n above zero.
//
//go:noescape
func addProductAVX2(sum *float32, sumStride int, x *float32, xStride int, matrix *float32, n int)

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

// highest is highestGo for a multiple of sixteen numbers.
func highest(x []float32) float32 {
	if !wide || len(x) == 0 {
		return highestGo(x)
	}
	return highestAVX2(&x[0], len(x)/columns)
}

// largestAVX2 is largestGo for sixteen times so many numbers, at least one.
//
//go:noescape
func largestAVX2(x *float32, sixteens int) float32

// largest is largestGo for a multiple of sixteen numbers, at least one.
func largest(x []float32) float32 {
	if !wide {
		return largestGo(x)
	}
	return largestAVX2(&x[0], len(x)/columns)
}

// expAVX2 is expAllGo for eight times so many numbers, at least one.
//
//go:noescape
func expAVX2(x *float32, eights int, high, factor float32) float32

// expAll is expAllGo for a multiple of eight numbers.
func expAll(x []float32, high, factor float32) float32 {
	if !wide || len(x) == 0 {
		return expAllGo(x, high, factor)
	}
	return expAVX2(&x[0], len(x)/8, high, factor)
}

// geluAVX2 is geluGo for eight times so many numbers, at least one.
//
//go:noescape
func geluAVX2(x *float32, eights int)

// gelu is geluGo for a multiple of eight numbers.
func gelu(x []float32) {
	if !wide || len(x) == 0 {
		geluGo(x)
		return
	}
	geluAVX2(&x[0], len(x)/8)
}
