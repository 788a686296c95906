package words

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/text/encode/wordpiece"
)

func open(t testing.TB) *table {
	t.Helper()
	table, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// reference is a text with the results of the training's own code.
type reference struct {
	Text     string   `json:"text"`
	Pieces   []string `json:"pieces"`
	Passage  []int    `json:"passage"`
	Question []int    `json:"question"`
}

func TestReference(t *testing.T) {
	e, table := Embedder{}, open(t)
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var references []reference
	if err := json.Unmarshal(raw, &references); err != nil {
		t.Fatal(err)
	}
	for _, want := range references {
		t.Run("the vectors equal those of the training's code: "+want.Text[:min(20, len(want.Text))], func(t *testing.T) {
			if got := table.names(want.Text); strings.Join(got, " ") != strings.Join(want.Pieces, " ") {
				t.Fatalf("pieces are %q, want %q", got, want.Pieces)
			}
			passages, _ := e.Passages(t.Context(), []string{want.Text})
			questions, _ := e.Questions(t.Context(), []string{want.Text})
			for form, pair := range map[string]struct {
				got  []float32
				want []int
			}{"passage": {passages[0], want.Passage}, "question": {questions[0], want.Question}} {
				if c := cosine(pair.got, pair.want); c < 0.999 {
					t.Errorf("the %s's cosine to the reference is %v", form, c)
				}
			}
		})
	}
}

// names returns the pieces of a text by name, with [UNK] for one that is not in
// the table.
func (t *table) names(text string) []string {
	byNumber := t.Names()
	var names []string
	for piece := range t.Pieces(text) {
		name := "[UNK]"
		if piece != wordpiece.Unknown {
			name = byNumber[piece]
		}
		names = append(names, name)
	}
	return names
}

// cosine is 1 for two zero vectors.
func cosine(a []float32, b []int) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 && bb == 0 {
		return 1
	}
	return dot / math.Sqrt(aa*bb)
}

func TestAnyText(t *testing.T) {
	e := Embedder{}
	ctx := t.Context()
	t.Run("any text gets a vector of length one or zero", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
			for _, embed := range []func() ([][]float32, error){
				func() ([][]float32, error) { return e.Passages(ctx, []string{text}) },
				func() ([][]float32, error) { return e.Questions(ctx, []string{text}) },
			} {
				vectors, err := embed()
				if err != nil || len(vectors) != 1 || len(vectors[0]) != Dimension {
					t.Fatalf("got %d vectors, %v", len(vectors), err)
				}
				length := 0.0
				for _, x := range vectors[0] {
					length += float64(x) * float64(x)
				}
				if length != 0 && math.Abs(length-1) > 1e-4 {
					t.Fatalf("the length is %v", length)
				}
			}
		})
	})
	t.Run("a damaged table is refused", func(t *testing.T) {
		for _, raw := range []string{"", "\x01", "\xff\xff\xff\xff", "\x01\x00\x00\x00" + strings.Repeat("a", 4+Dimension)} {
			if _, err := parse([]byte(raw)); err == nil {
				t.Errorf("%q was accepted", raw)
			}
		}
	})
}

func BenchmarkPassage(b *testing.B) {
	e := Embedder{}
	text := strings.Repeat("The quick brown foxes jumped over lazy dogs while configuring databases and migrations of tenants. ", 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := e.Passages(b.Context(), []string{text}); err != nil {
			b.Fatal(err)
		}
	}
}
