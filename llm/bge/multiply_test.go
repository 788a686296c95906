package bge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKernels(t *testing.T) {
	t.Run("sums of products are the same in Go and with vector instructions", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			n := 2 * rapid.IntRange(1, inner/2).Draw(t, "pairs")
			block, numbers := make([]int8, columns*n), make([]int16, together*n)
			for i := range block {
				block[i] = int8(r.IntN(256) - 128)
			}
			for i := range numbers {
				numbers[i] = int16(r.IntN(2*most+1) - most)
			}
			var want, got [together * columns]int32
			productGo(block, numbers, n, &want)
			if product(block, numbers, n, &got); got != want {
				t.Fatalf("got %v, want %v", got, want)
			}
			defer narrow()()
			if product(block, numbers, n, &got); got != want {
				t.Fatalf("with AVX2: got %v, want %v", got, want)
			}
		})
	})
	t.Run("the largest sums fit", func(t *testing.T) {
		block, numbers := slices.Repeat([]int8{-128}, columns*inner), slices.Repeat([]int16{-most}, together*inner)
		var got [together * columns]int32
		if product(block, numbers, inner, &got); got[0] != 128*most*inner {
			t.Errorf("got %d", got[0])
		}
	})
	t.Run("numbers are rounded the same in Go and with vector instructions", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			x := make([]float32, columns*rapid.IntRange(1, 20).Draw(t, "blocks"))
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			high := highestGo(x)
			if got := highest(x); got != high {
				t.Fatalf("the highest is %v, want %v", got, high)
			}
			want, got := make([]int16, len(x)), make([]int16, len(x))
			roundGo(want, x, most/high)
			if round(got, x, most/high); !slices.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		})
	})
	t.Run("floats are multiplied the same but for rounding", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			n := rapid.IntRange(0, 40).Draw(t, "n")
			x, matrix := make([]float32, together*(n+1)), make([]float32, columns*n+1)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			for i := range matrix {
				matrix[i] = float32(r.NormFloat64())
			}
			want, got := make([]float32, together*columns), make([]float32, together*columns)
			addProductGo(want, columns, x, n+1, matrix, n)
			addProduct(got, columns, x, n+1, matrix, n)
			for i := range want {
				if math.Abs(float64(want[i]-got[i])) > 1e-4 {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
		})
	})
}

func TestCurves(t *testing.T) {
	t.Run("exp is within 0.0002 of e to that power", func(t *testing.T) {
		for x := float32(0); x > -59; x -= 0.01 {
			if want := math.Exp(float64(x)); math.Abs(float64(exp(x))/want-1) > 2e-4 {
				t.Fatalf("exp(%v) is %v, want %v", x, exp(x), want)
			}
		}
		if exp(-1e9) > 1e-30 {
			t.Errorf("exp(-1e9) is %v", exp(-1e9))
		}
	})
	t.Run("powers are the same in Go and with vector instructions, but for rounding", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			x := rapid.SliceOfN(rapid.Float32Range(-100, 5), 16, 16).Draw(t, "x")
			x[7] = lowest
			want, got := slices.Clone(x), slices.Clone(x)
			sum, gotSum := expAllGo(want, 5, 0.2), expAll(got, 5, 0.2)
			for i := range want {
				if math.Abs(float64(want[i]-got[i])) > 1e-5 {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
			if math.Abs(float64(sum-gotSum)) > 1e-4 {
				t.Fatalf("the sum is %v, want %v", gotSum, sum)
			}
		})
	})
	t.Run("gelu is within 0.0001 of its curve", func(t *testing.T) {
		for x := float32(-9); x < 9; x += 0.01 {
			got := []float32{x}
			gelu(got)
			if want := float64(x) * (0.5 + 0.5*math.Erf(float64(x)/math.Sqrt2)); math.Abs(float64(got[0])-want) > 1e-4 {
				t.Fatalf("gelu(%v) is %v, want %v", x, got[0], want)
			}
		}
	})
}
