// Package splade expands passages: it says which words a passage is about, those that
// do not stand in it among them, and how much. It runs a small SPLADE model (Formal et
// al., SPLADE v2, 2021): two layers of a BERT with a width of 128.
//
// It owns the weights, and how a text becomes weighted terms. It does not own when a
// passage is expanded (package core/knowledge), or what an expansion counts in a
// ranking (package core/retrieval).
package splade

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/core/language"
	"parley/core/retrieval"
	"parley/core/retrieval/lexical"
	"parley/internal/wordpiece"
)

// Cut is how many pieces of a text are read, the marks at its ends among them.
const Cut = 220

// Pieces with a meaning of their own.
const (
	unknownPiece = 100
	beginPiece   = 101
	endPiece     = 102
)

// kept is how many terms an expansion has at most.
const kept = 100

// Expander expands passages. The first call unpacks the weights. It is safe for
// concurrent use.
type Expander struct{}

var _ retrieval.Expander = Expander{}

// Expand returns the expansions of passages: of each the title, the headings and the
// beginning of the text are read. Passages that are clearly in another language than
// English have empty ones. A passage takes some 20 ms.
func (Expander) Expand(ctx context.Context, passages []retrieval.Passage) ([]retrieval.Expansion, error) {
	m, err := load()
	if err != nil {
		return nil, err
	}
	expansions := make([]retrieval.Expansion, len(passages))
	for i, p := range passages {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var terms []retrieval.ExpansionTerm
		if in := language.Of(p.Text); in == language.English || in == "" {
			terms = m.expand(strings.Join(append([]string{p.Title}, p.HeadingPath...), "\n")+"\n\n"+p.Text, kept)
		}
		expansions[i] = retrieval.NewExpansion(terms)
	}
	return expansions, nil
}

// expand returns the terms that a text is about, the weightiest first and those of
// equal weight by their text, at most keep of them.
func (m *model) expand(text string, keep int) []retrieval.ExpansionTerm {
	numbers := m.numbers(text)
	if len(numbers) <= 2 {
		return nil
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	hidden, unit := m.hidden(numbers, s)
	return m.outputs.terms(hidden, unit, keep)
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// numbers returns the pieces that the model reads, at most [Cut].
func (m *model) numbers(text string) []int32 {
	numbers := append(make([]int32, 0, Cut), beginPiece)
	for piece := range m.Pieces(start(text)) {
		if len(numbers) == Cut-1 {
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

// start cuts a text that is very long: it is normalized as a whole.
func start(text string) string {
	if len(text) <= enough {
		return text
	}
	end := enough
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// outputs are the pieces that are terms, in blocks of sixteen.
type outputs struct {
	// blocks has, for each block and each pair of dimensions, those of its rows.
	blocks []int16
	// scales and biases are those of the pieces; termOf has the number of each
	// one's term in names.
	scales, biases []float32
	termOf         []int32
	names          []string
}

// newOutputs takes the pieces of a model that are whole words and become one term.
func newOutputs(m *model) outputs {
	var o outputs
	var rows []int32
	known := map[string]int32{}
	for number, piece := range m.pieces {
		terms := termsOf(piece)
		if len(terms) != 1 {
			continue
		}
		term, ok := known[terms[0]]
		if !ok {
			term = int32(len(o.names))
			known[terms[0]] = term
			o.names = append(o.names, terms[0])
		}
		rows = append(rows, int32(number))
		o.termOf = append(o.termOf, term)
		o.scales = append(o.scales, m.scales[number])
		o.biases = append(o.biases, m.biases[number])
	}
	o.blocks = make([]int16, (len(rows)+columns-1)/columns*columns*width)
	for i, number := range rows {
		block := o.blocks[i/columns*columns*width:]
		for at, value := range m.rows[int(number)*width:][:width] {
			block[at/2*2*columns+i%columns*2+at%2] = int16(value)
		}
	}
	return o
}

// termsOf returns the terms of a piece: none for what continues a word, or is no
// word of two letters or digits.
func termsOf(piece string) []string {
	if len(piece) < 2 {
		return nil
	}
	for _, c := range []byte(piece) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return nil
		}
	}
	return lexical.Terms(piece, language.English)
}

// terms returns the weightiest terms of a text's states.
func (o *outputs) terms(hidden []int16, unit float32, keep int) []retrieval.ExpansionTerm {
	weights := make([]float32, len(o.names))
	for from := 0; from < len(o.termOf); from += columns {
		found := [columns]int32{}
		for i := range found {
			found[i] = math.MinInt32
		}
		largest(o.blocks[from*width:][:columns*width], hidden, &found)
		for i := range min(columns, len(o.termOf)-from) {
			logit := float32(found[i])*unit*o.scales[from+i] + o.biases[from+i]
			if term := o.termOf[from+i]; logit > weights[term] {
				weights[term] = logit
			}
		}
	}
	var list []retrieval.ExpansionTerm
	for term, logit := range weights {
		if logit > 0 {
			list = append(list, retrieval.ExpansionTerm{Text: o.names[term], Weight: float32(math.Log1p(float64(logit)))})
		}
	}
	slices.SortFunc(list, func(a, b retrieval.ExpansionTerm) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	return list[:min(keep, len(list))]
}
