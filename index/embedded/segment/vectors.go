package segment

import (
	"math"
	"math/bits"
)

// Vectors are stored as int8 numbers with a scale. Their signs, relative to the mean
// of the segment, approximate them: sum up the question's numbers where a vector's
// sign is positive, each times the mean distance of vectors from the mean in that
// dimension, and the sum says fairly well which vectors are worth an exact
// comparison. With the question in four bits that sum takes four counts of common
// bits (Gao and Long, RaBitQ, 2024, section 3.3).

// quantize returns a vector's scale, in four bytes, and row.
func quantize(vector []float32) (scale, row []byte) {
	most := float32(0)
	for _, x := range vector {
		most = max(most, x, -x)
	}
	row = make([]byte, len(vector))
	if most > 0 {
		for i, x := range vector {
			row[i] = byte(int8(math.Round(float64(x / most * math.MaxInt8))))
		}
	}
	return le.AppendUint32(nil, math.Float32bits(most/math.MaxInt8)), row
}

func (w *writer) addVector(passage int, scale, row []byte) {
	w.vectorOf = le.AppendUint32(w.vectorOf, uint32(passage))
	w.scales = append(w.scales, scale...)
	w.rows = append(w.rows, row...)
	w.vectors++
}

// finishVectors adds the means and signs.
func (w *writer) finishVectors() {
	if w.vectors == 0 {
		w.dimension = 0
		return
	}
	sums := make([]float64, w.dimension)
	for v := range w.vectors {
		scale := float64(at32f(w.scales, v))
		for i, x := range w.rows[v*w.dimension : (v+1)*w.dimension] {
			sums[i] += scale * float64(int8(x))
		}
	}
	means := make([]float32, w.dimension)
	for i, sum := range sums {
		means[i] = float32(sum / float64(w.vectors))
		w.means = le.AppendUint32(w.means, math.Float32bits(means[i]))
	}
	clear(sums)
	signs := make([]uint64, w.signWords())
	for v := range w.vectors {
		scale := at32f(w.scales, v)
		clear(signs)
		for i, x := range w.rows[v*w.dimension : (v+1)*w.dimension] {
			distance := scale*float32(int8(x)) - means[i]
			if distance > 0 {
				signs[i>>6] |= 1 << (i & 63)
			}
			sums[i] += math.Abs(float64(distance))
		}
		for _, word := range signs {
			w.signs = le.AppendUint64(w.signs, word)
		}
	}
	for _, sum := range sums {
		w.spreads = le.AppendUint32(w.spreads, math.Float32bits(float32(sum/float64(w.vectors))))
	}
}

func at32f(section []byte, i int) float32 { return math.Float32frombits(at32(section, i)) }

func (t *vectorTable) row(vector int) []byte {
	return t.rows[vector*t.dimension : (vector+1)*t.dimension]
}

const (
	planeCount = 4
	// roughLow and roughHigh are the lowest and highest values of the question's
	// numbers in four bits.
	roughLow, roughHigh = -8, 7
)

// planesOf appends the question's numbers in four bits, as two's complement:
// for each 64 of them a word of their lowest bits, and so on.
func (t *vectorTable) planesOf(question []float32, planes []uint64) []uint64 {
	most := float32(0)
	for i, x := range question {
		x *= at32f(t.spreads, i)
		most = max(most, x, -x)
	}
	if most == 0 {
		most = 1
	}
	for i, x := range question {
		if i&63 == 0 {
			planes = append(planes, make([]uint64, planeCount)...)
		}
		number := uint64(int64(math.Round(float64(x * at32f(t.spreads, i) / most * roughHigh))))
		for plane := range planeCount {
			planes[planeCount*(i>>6)+plane] |= number >> plane & 1 << (i & 63)
		}
	}
	return planes
}

// roughly returns the sum of the question's numbers where the vector's sign is
// positive.
func (t *vectorTable) roughly(vector int, planes []uint64) int {
	size := len(planes) / planeCount
	signs := t.signs[8*size*vector:]
	sum := 0
	for i := range size {
		word, p := le.Uint64(signs[8*i:]), planes[planeCount*i:planeCount*i+planeCount]
		sum += bits.OnesCount64(word&p[0]) + 2*bits.OnesCount64(word&p[1]) + 4*bits.OnesCount64(word&p[2]) - 8*bits.OnesCount64(word&p[3])
	}
	return sum
}

// cosine returns the cosine of a vector and the question, whose numbers stand for
// so many units each.
func (t *vectorTable) cosine(vector int, question []int16, unit float32) float32 {
	return float32(dot(question, t.row(vector))) * unit * at32f(t.scales, vector)
}
