package splade

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/retrieval"
)

// reference is a text with what the original model, in 32-bit floats, says of it.
type reference struct {
	Text    string             `json:"text"`
	Pieces  []int32            `json:"pieces"`
	Weights map[string]float64 `json:"weights"`
}

func references(t *testing.T) []reference {
	t.Helper()
	raw, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []reference
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func open(t testing.TB) *model {
	t.Helper()
	m, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// within is how far a weight may be from the original's: the weights here have eight
// bits.
const within = 0.08

func TestReference(t *testing.T) {
	m := open(t)
	for _, r := range references(t) {
		name := r.Text[:min(20, len(r.Text))]
		t.Run("the pieces are those of the original: "+name, func(t *testing.T) {
			if got := m.numbers(r.Text); !slices.Equal(got, r.Pieces) {
				t.Errorf("pieces are %v, want %v", got, r.Pieces)
			}
		})
		t.Run("the weights are those of the original: "+name, func(t *testing.T) {
			want := map[string]float64{}
			for piece, weight := range r.Weights {
				if terms := termsOf(piece); len(terms) == 1 {
					want[terms[0]] = max(want[terms[0]], weight)
				}
			}
			got := map[string]float64{}
			for _, term := range m.expand(r.Text, math.MaxInt) {
				got[term.Text] = float64(term.Weight)
				if math.Abs(want[term.Text]-float64(term.Weight)) > within {
					t.Errorf("%s weighs %v, want %v", term.Text, term.Weight, want[term.Text])
				}
			}
			for term, weight := range want {
				if math.Abs(weight-got[term]) > within {
					t.Errorf("%s weighs %v, want %v", term, got[term], weight)
				}
			}
		})
	}
}

func TestExpand(t *testing.T) {
	m := open(t)
	t.Run("a passage gets words that do not stand in it", func(t *testing.T) {
		found := m.expand("The company was founded in 1976 by Steve Jobs. It makes phones in California.", 40)
		if len(found) < 20 || !slices.ContainsFunc(found, func(term retrieval.ExpansionTerm) bool { return term.Text == "establish" }) {
			t.Errorf("got %v", found)
		}
		for i := range found[1:] {
			if found[i].Weight < found[i+1].Weight {
				t.Errorf("%v are not in order", found)
			}
		}
	})
	t.Run("a text without words has no terms", func(t *testing.T) {
		for _, text := range []string{"", " \n\t", "\x00\x01", strings.Repeat(" ", 1<<20)} {
			if found := m.expand(text, 10); len(found) != 0 {
				t.Errorf("%.10q has %v", text, found)
			}
		}
	})
	t.Run("of a text only the beginning counts", func(t *testing.T) {
		long := strings.Repeat("bread ", Cut)
		if a, b := m.expand(long, 50), m.expand(long+strings.Repeat("bicycles ", 1<<20), 50); !slices.Equal(a, b) {
			t.Errorf("%v is not %v", b, a)
		}
	})
	t.Run("title and headings count, and a passage in another language has nothing", func(t *testing.T) {
		passages := []retrieval.Passage{
			{Text: "It takes five days and costs nothing."},
			{Title: "Parcels", HeadingPath: []string{"Shipping"}, Text: "It takes five days and costs nothing."},
			{Text: "Die Lieferung dauert fünf Tage und kostet nichts. Wir schicken die Ware aus unserem Lager, sobald sie bezahlt ist."},
		}
		found, err := Expander{}.Expand(t.Context(), passages)
		if err != nil || len(found) != 3 || len(found[0]) < 20 || slices.Equal(found[0], found[1]) || !slices.Equal(found[2], retrieval.NewExpansion(nil)) {
			t.Errorf("got %v, %v", found, err)
		}
	})
	t.Run("who has no time left gets nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if found, err := (Expander{}).Expand(ctx, make([]retrieval.Passage, 3)); found != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v", found, err)
		}
	})
	t.Run("any text is expanded to terms that an index takes", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
			found := m.expand(text, 20)
			if len(found) > 20 {
				t.Fatalf("got %d terms", len(found))
			}
			for _, term := range found {
				if term.Text == "" || strings.ContainsAny(term.Text, " \n\t") || !(term.Weight > 0 && term.Weight < 10) {
					t.Errorf("got %v", term)
				}
			}
		})
	})
	t.Run("damaged weights are refused", func(t *testing.T) {
		for _, raw := range []string{"", "PSP1", "PSP1\x00\x00\x00\x00", "PSP1\x02\x00\x00\x00" + strings.Repeat("a", 1<<20), "PSP1\xff\xff\xff\xffab", "XXXX\x01\x00\x00\x00"} {
			if _, err := parse([]byte(raw)); err == nil {
				t.Errorf("%.20q was accepted", raw)
			}
		}
	})
}

func TestMultiply(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 7))
	t.Run("the largest products are the same in Go and by this processor", func(t *testing.T) {
		for positions := together; positions <= 5*together; positions += together {
			rows, hidden := make([]int16, columns*width), make([]int16, positions*width)
			for i := range rows {
				rows[i] = int16(random.IntN(255) - 127)
			}
			for i := range hidden {
				hidden[i] = int16(random.IntN(2*most+1) - most)
			}
			got, want := [columns]int32{3: math.MaxInt32}, [columns]int32{3: math.MaxInt32}
			largest(rows, hidden, &got)
			largestGo(rows, hidden, &want)
			if got != want {
				t.Errorf("%d positions give %v, want %v", positions, got, want)
			}
		}
	})
	t.Run("no sum leaves 32 bits", func(t *testing.T) {
		if sum := int64(most) * 127 * width; sum > math.MaxInt32 {
			t.Errorf("a sum may be %d", sum)
		}
	})
	t.Run("products are nearly the same in Go and by this processor", func(t *testing.T) {
		for n := 1; n < 300; n += 37 {
			sumStride, xStride := columns+random.IntN(20), n+random.IntN(20)
			x, matrix := floats(random, together*xStride), floats(random, columns*n)
			got := floats(random, together*sumStride)
			want := slices.Clone(got)
			addProduct(got, sumStride, x, xStride, matrix, n)
			addProductGo(want, sumStride, x, xStride, matrix, n)
			for i := range want {
				if math.Abs(float64(got[i]-want[i])) > 1e-3 {
					t.Fatalf("with %d numbers, number %d is %v, want %v", n, i, got[i], want[i])
				}
			}
		}
	})
}

func floats(random *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(random.NormFloat64())
	}
	return list
}

// BenchmarkExpand is for a passage of the full length.
func BenchmarkExpand(b *testing.B) {
	m := open(b)
	text := strings.Repeat("The company was founded in 1976 by Steve Jobs. ", 40)
	for b.Loop() {
		m.expand(text, kept)
	}
}
