// Package bge makes vectors of English texts with a small sentence encoder, the
// bge-small-en-v1.5 of the Beijing Academy of Artificial Intelligence (Xiao et al.,
// C-Pack, 2023): twelve layers of a BERT with a width of 384. Questions have a model of
// three layers that has learned the vectors which the large one gives questions.
//
// It owns the weights, and how a text becomes a vector. It does not own what a vector is
// kept as (package encode), when a passage or a question gets one, or what it counts in a
// ranking.
package bge

import (
	"context"
	"math"
	"runtime/debug"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/text/encode"
	"parley/text/encode/wordpiece"
	"parley/text/language"
	"parley/text/passage"
)

// Width is how many numbers a vector has.
const Width = 384

// Cut is how many pieces of a text are read, the marks at its ends among them.
const Cut = 160

// Pieces with a meaning of their own.
const (
	unknownPiece = 100
	beginPiece   = 101
	endPiece     = 102
)

// Warm unpacks the weights, so that no text waits for that. It takes about a second.
func Warm() error {
	_, err := loadQuestions()
	debug.FreeOSMemory() // unpacking took twice what is kept
	return err
}

// Passages returns the encodings of passages: of each the title, the headings and the
// beginning of the text are read. Passages that are clearly in another language than
// English have empty ones. A passage of [Cut] pieces takes some 30 ms of a
// processor with AVX-512, and 60 with AVX2 alone.
func Passages(ctx context.Context, passages []passage.Passage) ([]encode.Encoding, error) {
	m, err := load()
	if err != nil {
		return nil, err
	}
	encodings := make([]encode.Encoding, len(passages))
	for i, p := range passages {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if encodings[i] = encode.New(nil); IsEnglish(p.Text) {
			encodings[i] = m.encode(p)
		}
	}
	return encodings, nil
}

// encode returns the encoding of a passage, and of its parts.
func (m *model) encode(p passage.Passage) encode.Encoding {
	above := strings.Join(append([]string{p.Title}, p.HeadingPath...), "\n") + "\n\n"
	encoding := encode.New(m.vector(above+p.Text, Cut))
	for _, part := range encode.PartsOf(p.Text) {
		encoding = encoding.WithPart(part, m.vector(above+p.Text[part.Start:part.End], Cut))
	}
	return encoding
}

// IsEnglish reports whether a text is not clearly in another language.
func IsEnglish(text string) bool {
	in := language.Of(start(text, enough))
	return in == language.English || in == ""
}

// vector returns the unit vector of a text, of which so many pieces are read, at most [Cut].
func (m *model) vector(text string, cut int) []float32 {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	state := m.read(m.numbers(text, cut), s)
	square := float32(0)
	for _, x := range state {
		square += x * x
	}
	vector := make([]float32, width)
	for i, x := range state {
		vector[i] = x / float32(math.Sqrt(float64(square)))
	}
	return vector
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// numbers returns the pieces that the model reads, at most cut with the marks.
func (m *model) numbers(text string, cut int) []int32 {
	numbers := append(make([]int32, 0, cut), beginPiece)
	for piece := range m.Pieces(start(text, enough)) {
		if len(numbers) == cut-1 {
			break
		}
		if piece == wordpiece.Unknown {
			piece = unknownPiece
		}
		numbers = append(numbers, piece)
	}
	return append(numbers, endPiece)
}

// enough is how long, in bytes, a text is that surely has more pieces than are read,
// unless it is nothing but spaces.
const enough = 64 << 10

// start is the beginning of a text that is very long: a text is normalized as a whole.
func start(text string, enough int) string {
	if len(text) <= enough {
		return text
	}
	end := enough
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
