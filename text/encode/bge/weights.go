package bge

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

	"parley/text/encode/wordpiece"
)

var (
	//go:embed weights.gz
	packed []byte
	//go:embed questions.gz
	packedQuestions []byte
)

// The shape of the model.
const (
	width = Width
	heads = 12
	inner = 1536
	// longest is how many positions the weights have.
	longest = 256
)

var errWeights = errors.New("the weights of the sentence encoder are damaged")

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

// model is weights, as they are computed with.
type model struct {
	*pieces
	first  norm
	layers []layer
	// last is of the state that stands for the text, or nil for the state itself.
	last *matrix
}

// pieces are what texts are made of, with a vector each. Both models have the same.
type pieces struct {
	*wordpiece.Vocabulary
	rows      []int8 // width each
	scale     float32
	positions []float32
}

// load unpacks the model of passages.
var load = sync.OnceValues(func() (*model, error) {
	raw, err := unzip(packed)
	if err != nil {
		return nil, err
	}
	return parse(raw)
})

// loadQuestions unpacks the model of questions.
var loadQuestions = sync.OnceValues(func() (*model, error) {
	m, err := load()
	if err != nil {
		return nil, err
	}
	raw, err := unzip(packedQuestions)
	if err != nil {
		return nil, err
	}
	return parseQuestions(raw, m.pieces)
})

func unzip(packed []byte) ([]byte, error) {
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the weights of the sentence encoder: %w", err)
	}
	raw := make([]byte, le.Uint32(packed[len(packed)-4:])) // the length, by RFC 1952, section 2.3.1
	if _, err := io.ReadFull(zipped, raw); err != nil {
		return nil, fmt.Errorf("the weights of the sentence encoder: %w", err)
	}
	return raw, nil
}

// passageLayers is how many layers the model of passages has.
const passageLayers = 12

// parse reads what tools/bge/pack.py wrote: a mark, the number of pieces, the scale of
// their rows as a 32-bit float, and the rows in eight bits; positions, norms and biases
// in 16-bit floats; of each linear map the rows in eight bits and a scale each as 32-bit
// floats; and the pieces, one per line.
func parse(raw []byte) (*model, error) {
	if len(raw) < 12 || string(raw[:4]) != "PBG1" {
		return nil, errWeights
	}
	n := int(le.Uint32(raw[4:]))
	r := &reader{rest: raw[8:]}
	p := &pieces{scale: r.floats(1)[0], rows: r.bytes(width * n), positions: r.halves(longest * width)}
	m := &model{pieces: p, first: r.norm(), layers: r.layers(passageLayers)}
	texts := strings.Split(strings.TrimSuffix(string(r.rest), "\n"), "\n")
	if r.short || len(texts) != n || slices.Contains(texts, "") {
		return nil, errWeights
	}
	p.Vocabulary = wordpiece.New(texts)
	return m, nil
}

// parseQuestions reads what tools/bge/questions.py wrote: a mark, the number of layers,
// the first norm, the layers, and the last linear map, written as parse reads them.
func parseQuestions(raw []byte, p *pieces) (*model, error) {
	if len(raw) < 8 || string(raw[:4]) != "PBQ1" {
		return nil, errWeights
	}
	n := int(le.Uint32(raw[4:]))
	if n > passageLayers {
		return nil, errWeights
	}
	r := &reader{rest: raw[8:]}
	m := &model{pieces: p, first: r.norm(), layers: r.layers(n), last: r.matrix(width, width)}
	if r.short || len(r.rest) > 0 {
		return nil, errWeights
	}
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

func (r *reader) bytes(n int) []int8 {
	taken := r.take(n)
	list := make([]int8, len(taken))
	for i, b := range taken {
		list[i] = int8(b)
	}
	return list
}

func (r *reader) floats(n int) []float32 {
	list := make([]float32, n)
	for i, data := 0, r.take(4*n); len(data) > 0; i, data = i+1, data[4:] {
		list[i] = math.Float32frombits(le.Uint32(data))
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

func (r *reader) layers(n int) []layer {
	list := make([]layer, n)
	for i := range list {
		list[i] = layer{
			query: r.matrix(width, width), key: r.matrix(width, width), value: r.matrix(width, width),
			attended: r.matrix(width, width), afterAttention: r.norm(),
			up: r.matrix(width, inner), down: r.matrix(inner, width), afterInner: r.norm(),
		}
	}
	return list
}

func (r *reader) matrix(in, out int) *matrix {
	rows := r.bytes(in * out)
	m := &matrix{in: in, out: out, scales: r.floats(out), bias: r.halves(out)}
	if !r.short {
		m.pack(rows)
	}
	return m
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
