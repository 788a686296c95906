// Package encode defines how the vectors of texts are kept: a passage's encoding, with the
// vectors of its parts.
//
// It does not own how a vector is made of a text (packages bge and words), or what it
// counts in a ranking (package core/retrieval).
package encode

import (
	"encoding/binary"
	"math"
)

// Encoding is a passage's vector in eight bits a number: encodingMark, what a number
// of one stands for as a 32-bit float, little-endian, and the numbers. Behind it stand
// its parts: where each begins and ends in the text, as 32-bit integers, and its vector
// in the same way, without the mark.
type Encoding []byte

const (
	// encodingMark says how an encoding was made. One with another is not understood.
	encodingMark = 2
	encodingHead = 5
	partHead     = 12
)

// New returns the encoding of a vector. The encoding of an empty vector says that there is
// nothing to encode.
func New(vector []float32) Encoding {
	return appendVector(append(make(Encoding, 0, encodingHead+len(vector)), encodingMark), vector)
}

// WithPart returns the encoding with the vector of a part, which is as long as the first.
func (e Encoding) WithPart(p Part, vector []float32) Encoding {
	e = binary.LittleEndian.AppendUint32(e, uint32(p.Start))
	return appendVector(binary.LittleEndian.AppendUint32(e, uint32(p.End)), vector)
}

func appendVector(e Encoding, vector []float32) Encoding {
	high := float32(0)
	for _, x := range vector {
		high = max(high, x, -x)
	}
	e = binary.LittleEndian.AppendUint32(e, math.Float32bits(high/math.MaxInt8))
	for _, x := range vector {
		number := int8(0)
		if high > 0 {
			number = int8(math.Round(float64(x / high * math.MaxInt8)))
		}
		e = append(e, byte(number))
	}
	return e
}

// Cosine returns the cosine similarity of the passage and a unit vector. ok is false if the
// encoding has another dimension or format.
func (e Encoding) Cosine(with []float32) (cosine float64, ok bool) {
	if len(with) == 0 || len(e) < encodingHead+len(with) || e[0] != encodingMark || (len(e)-encodingHead-len(with))%(partHead+len(with)) != 0 {
		return 0, false
	}
	return cosineAt(e[1:], with), true
}

// cosineAt returns the cosine similarity of a unit vector and a kept one. e begins with
// what a number of one stands for, and the numbers follow.
func cosineAt(e []byte, with []float32) float64 {
	return float64(dot(e[4:4+len(with)], with) * stepOf(e))
}

// stepOf is what a number of one stands for.
func stepOf(e []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(e)) }

// Parts returns the parts with how close each is to a unit vector.
func (e Encoding) Parts(with []float32) []Part {
	if _, ok := e.Cosine(with); !ok || !e.HasParts(len(with)) {
		return nil
	}
	var parts []Part
	for e = e[encodingHead+len(with):]; len(e) > 0; e = e[partHead+len(with):] {
		start, end := binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:])
		parts = append(parts, Part{Start: int(start), End: int(end), Closeness: cosineAt(e[8:], with)})
	}
	return parts
}

// numberOf is what a byte stands for. Looking it up is faster than converting it.
var numberOf = func() (numbers [256]float32) {
	for i := range numbers {
		numbers[i] = float32(int8(i))
	}
	return numbers
}()

// dot returns the sum of the products of numbers in eight bits and as many others. Four sums
// at a time keep the processor from waiting for each.
func dot(numbers []byte, with []float32) float32 {
	var a, b, c, d float32
	for len(numbers) >= 4 && len(with) >= 4 {
		a += numberOf[numbers[0]] * with[0]
		b += numberOf[numbers[1]] * with[1]
		c += numberOf[numbers[2]] * with[2]
		d += numberOf[numbers[3]] * with[3]
		numbers, with = numbers[4:], with[4:]
	}
	for i, x := range numbers {
		a += numberOf[x] * with[i]
	}
	return a + b + c + d
}

// HasParts reports whether an encoding of such a width has more than the vector of the whole.
func (e Encoding) HasParts(width int) bool { return len(e) > encodingHead+width }

// Direction returns the unit vector of a passage and its parts, the mean of which counts so much.
func (e Encoding) Direction(width int, share float64) []float32 {
	sum := make([]float32, width)
	addAt(sum, e[1:], 1)
	parts := (len(e) - encodingHead - width) / (partHead + width)
	for part := range parts {
		addAt(sum, e[encodingHead+width+part*(partHead+width)+8:], float32(share)/float32(parts))
	}
	ToUnit(sum)
	return sum
}

// HasVector reports whether there was anything to encode.
func (e Encoding) HasVector() bool { return len(e) > encodingHead }

// AddTo adds the vector of the whole to one that is as long.
func (e Encoding) AddTo(sum []float32) { addAt(sum, e[1:], 1) }

// addAt adds so many times the vector that begins with what a number of one stands for.
func addAt(sum []float32, e []byte, times float32) {
	times *= stepOf(e)
	numbers := e[4 : 4+len(sum)]
	for i := range sum {
		sum[i] += times * numberOf[numbers[i]]
	}
}
