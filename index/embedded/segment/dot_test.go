package segment

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDot(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	t.Run("it is the sum of products, whatever the length and the processor", func(t *testing.T) {
		for n := range 600 {
			question, row, want := make([]int16, n), make([]byte, n), int64(0)
			for i := range row {
				question[i], row[i] = int16(random.IntN(2*mostOf(n)+1)-mostOf(n)), byte(random.IntN(256))
				want += int64(question[i]) * int64(int8(row[i]))
			}
			if got, plain := int64(dot(question, row)), int64(dotGo(question, row)); got != want || plain != want {
				t.Fatalf("%d numbers give %d and in Go %d, want %d", n, got, plain, want)
			}
		}
	})
	t.Run("no sum leaves 32 bits", func(t *testing.T) {
		for _, n := range []int{1, 16, 128, 1536, 4096, 65_536} {
			vector, row, want := make([]float32, n), make([]byte, n), int64(0)
			for i := range row {
				vector[i], row[i] = 1, 0x80
			}
			question, unit := asNumbers(vector, nil)
			for _, x := range question {
				want += int64(x) * -128
			}
			if got := int64(dot(question, row)); got != want || want < math.MinInt32 || math.Abs(float64(want)*float64(unit)/-128-float64(n)) > 1e-3*float64(n) {
				t.Errorf("%d numbers give %d, want %d, in units of %v", n, got, want, unit)
			}
		}
	})
}

func BenchmarkDot(b *testing.B) {
	question, row := make([]int16, 128), make([]byte, 128)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			dotGo(question, row)
		}
	})
	b.Run("by this processor", func(b *testing.B) {
		for b.Loop() {
			dot(question, row)
		}
	})
}
