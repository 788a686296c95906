package encode

import "math"

// Add adds so many times a vector that is as long.
func Add(sum, vector []float32, times float32) {
	for i, x := range vector {
		sum[i] += times * x
	}
}

// ToUnit gives a vector the length one, and reports whether it could: one that is zero stays so.
func ToUnit(vector []float32) bool {
	square := Product(vector, vector)
	if square == 0 {
		return false
	}
	factor := float32(1 / math.Sqrt(float64(square)))
	for i := range vector {
		vector[i] *= factor
	}
	return true
}

// Product returns the sum of the products of the numbers of two vectors that are equally
// long, four sums at a time, as in [dot].
func Product(vector, with []float32) float32 {
	var a, b, c, d float32
	for len(vector) >= 4 && len(with) >= 4 {
		a += vector[0] * with[0]
		b += vector[1] * with[1]
		c += vector[2] * with[2]
		d += vector[3] * with[3]
		vector, with = vector[4:], with[4:]
	}
	for i, x := range vector {
		a += x * with[i]
	}
	return a + b + c + d
}
