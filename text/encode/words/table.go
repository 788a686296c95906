package words

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

//go:embed table.gz
var packed []byte

// table holds a vector for each piece of a word: its row times its scale.
type table struct {
	*wordpiece.Vocabulary
	rows   []int8 // Dimension per piece
	scales []float32
}

// load unpacks the table.
var load = sync.OnceValues(func() (*table, error) {
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("the table of words: %w", err)
	}
	raw, err := io.ReadAll(zipped)
	if err != nil {
		return nil, fmt.Errorf("the table of words: %w", err)
	}
	return parse(raw)
})

var errTable = errors.New("the table of words is damaged")

// parse reads a table: the number of pieces as four bytes, the scales as 32-bit
// floats, the rows, and the pieces, one per line. All numbers are little-endian.
func parse(raw []byte) (*table, error) {
	if len(raw) < 4 {
		return nil, errTable
	}
	n := int(binary.LittleEndian.Uint32(raw))
	body := raw[4:]
	if n > len(body)/(4+Dimension) {
		return nil, errTable
	}
	t := &table{rows: make([]int8, n*Dimension), scales: make([]float32, n)}
	for i := range t.scales {
		t.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
	}
	body = body[4*n:]
	for i := range t.rows {
		t.rows[i] = int8(body[i])
	}
	lines := strings.Split(strings.TrimSuffix(string(body[len(t.rows):]), "\n"), "\n")
	if len(lines) != n {
		return nil, errTable
	}
	if slices.Contains(lines, "") {
		return nil, errTable
	}
	t.Vocabulary = wordpiece.New(lines)
	return t, nil
}

// add adds a piece's weighted vector to a sum. An unknown word adds nothing.
func (t *table) add(sum []float32, piece int32, weight float32) {
	if piece == wordpiece.Unknown {
		return
	}
	weight *= t.scales[piece]
	row := t.rows[int(piece)*Dimension:][:Dimension]
	for i, x := range row {
		sum[i] += weight * float32(x)
	}
}
