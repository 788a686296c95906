package splade

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"parley/internal/wordpiece"
)

//go:embed weights.gz
var packed []byte

// The shape of the model.
const (
	width  = 128
	heads  = 2
	inner  = 512
	layers = 2
	// longest is how many positions the model knows here.
	longest = 256
)

var errWeights = errors.New("the weights of the expansion are damaged")

var le = binary.LittleEndian

// norm is a layer normalization.
type norm struct{ gain, shift []float32 }

// layer is one of the model's.
type layer struct {
	query, key, value, attended *matrix
	afterAttention              norm
	up, down                    *matrix
	afterInner                  norm
}

// model is the weights, as they are computed with.
type model struct {
	*wordpiece.Vocabulary
	pieces    []string
	rows      []int8 // of the pieces, width each
	scales    []float32
	biases    []float32
	positions []float32
	first     norm
	layers    [layers]layer
	transform *matrix
	last      norm
	outputs   outputs
}

// load unpacks the model.
var load = sync.OnceValues(func() (*model, error) {
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the weights of the expansion: %w", err)
	}
	raw, err := io.ReadAll(zipped)
	if err != nil {
		return nil, fmt.Errorf("the weights of the expansion: %w", err)
	}
	return parse(raw)
})

// parse reads what tools/splade/pack.py wrote: a mark, the number of pieces, their
// rows in eight bits, scales and biases as 32-bit floats, all else in 16-bit
// floats, and the pieces, one per line.
func parse(raw []byte) (*model, error) {
	if len(raw) < 8 || string(raw[:4]) != "PSP1" {
		return nil, errWeights
	}
	n := int(le.Uint32(raw[4:]))
	r := &reader{rest: raw[8:]}
	m := &model{rows: make([]int8, 0, width*min(n, len(raw)/width))}
	for _, b := range r.take(width * n) {
		m.rows = append(m.rows, int8(b))
	}
	m.scales, m.biases = r.floats(n), r.floats(n)
	m.positions = r.halves(longest * width)
	m.first = r.norm()
	for i := range m.layers {
		m.layers[i] = layer{
			query: r.matrix(width, width), key: r.matrix(width, width), value: r.matrix(width, width),
			attended: r.matrix(width, width), afterAttention: r.norm(),
			up: r.matrix(width, inner), down: r.matrix(inner, width), afterInner: r.norm(),
		}
	}
	m.transform, m.last = r.matrix(width, width), r.norm()
	m.pieces = strings.Split(strings.TrimSuffix(string(r.rest), "\n"), "\n")
	if r.short || len(m.pieces) != n || slices.Contains(m.pieces, "") {
		return nil, errWeights
	}
	m.Vocabulary = wordpiece.New(m.pieces)
	m.outputs = newOutputs(m)
	return m, nil
}

// reader takes numbers from the front of rest. After short it returns zeros.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.short, n = true, 0
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) floats(n int) []float32 {
	list := make([]float32, 0, min(n, len(r.rest)/4))
	for data := r.take(4 * n); len(data) > 0; data = data[4:] {
		list = append(list, math.Float32frombits(le.Uint32(data)))
	}
	return list
}

func (r *reader) halves(n int) []float32 {
	list := make([]float32, n)
	for i, data := 0, r.take(2*n); len(data) > 0; i, data = i+1, data[2:] {
		list[i] = fromHalf(le.Uint16(data))
	}
	return list
}

func (r *reader) norm() norm { return norm{r.halves(width), r.halves(width)} }

func (r *reader) matrix(in, out int) *matrix {
	weights := r.halves(in * out)
	return newMatrix(in, out, weights, r.halves(out))
}

// fromHalf returns a finite 16-bit float of IEEE 754.
func fromHalf(h uint16) float32 {
	sign, exponent, fraction := float32(1), int(h>>10&31), float64(h&1023)/1024
	if h>>15 == 1 {
		sign = -1
	}
	if exponent == 0 {
		return sign * float32(math.Ldexp(fraction, -14))
	}
	return sign * float32(math.Ldexp(1+fraction, exponent-15))
}
