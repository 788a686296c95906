package bge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKernels(t *testing.T) {
	t.Run("rows have the same images with all instructions", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			in, out, rows := 16*rapid.IntRange(1, 24).Draw(t, "in"), 16*rapid.IntRange(1, 3).Draw(t, "out"), together*rapid.IntRange(1, 3).Draw(t, "rows")
			weights, x := make([]int8, in*out), make([]float32, rows*in)
			for i := range weights {
				weights[i] = int8(r.IntN(255) - 127)
			}
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			want := imagesOf(weights, x, in, out)
			withEach(func(kind string) {
				if got := imagesWith(weights, x, in, out); !nearly(got, want, 1e-2) {
					t.Fatalf("with %s they begin with %v, and not with %v", kind, got[:columns], want[:columns])
				}
			})
		})
	})
	t.Run("the largest sums fit", func(t *testing.T) {
		for _, x := range []float32{1, -1} {
			weights, row := slices.Repeat([]int8{-127}, inner*columns), slices.Repeat([]float32{x}, together*inner)
			withEach(func(kind string) {
				if got := imagesWith(weights, row, inner, columns)[0]; math.Abs(float64(got+127*inner*x)) > 1 {
					t.Errorf("with %s: %v has %v", kind, x, got)
				}
			})
		}
	})
	t.Run("numbers are rounded the same with all instructions", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			x := make([]float32, columns*rapid.IntRange(1, 20).Draw(t, "blocks"))
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			high, highest1 := highestGo(x), largestGo(x)
			want := make([]int8, len(x))
			sum := roundGo(want, x, most/high)
			withEach(func(kind string) {
				if got, got1 := highest(x), largest(x); got != high || got1 != highest1 {
					t.Fatalf("with %s: the highest are %v and %v, want %v and %v", kind, got, got1, high, highest1)
				}
				l := new(scratch).asNumbers(x, len(x))
				got := l.numbers
				switch kind {
				case "AVX2":
					for i, number := range l.long {
						got[i] = int8(number)
					}
				case "AVX-512":
					if l.sums[0] != sum {
						t.Fatalf("the sum is %d, want %d", l.sums[0], sum)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("with %s: got %v, want %v", kind, got, want)
				}
			})
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

// imagesWith returns the images of rows with the instructions in use.
func imagesWith(weights []int8, x []float32, in, out int) []float32 {
	m := &matrix{in: in, out: out, scales: slices.Repeat([]float32{1}, out), bias: make([]float32, out)}
	m.pack(weights)
	return m.apply(make([]float32, len(x)/in*out), x, new(scratch))
}

// imagesOf is imagesWith, one product after the other.
func imagesOf(weights []int8, x []float32, in, out int) []float32 {
	var images []float32
	for ; len(x) > 0; x = x[in:] {
		high := highestGo(x[:in])
		numbers := make([]int8, in)
		roundGo(numbers, x[:in], most/high)
		for o := range out {
			sum := 0
			for i, number := range numbers {
				sum += int(number) * int(weights[o*in+i])
			}
			images = append(images, float32(sum)*high/most)
		}
	}
	return images
}

func nearly(a, b []float32, by float64) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) <= by })
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
	t.Run("powers are the same with all instructions, but for rounding", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			x := rapid.SliceOfN(rapid.Float32Range(-100, 5), 16, 16).Draw(t, "x")
			x[7] = lowest
			want := slices.Clone(x)
			sum := expAllGo(want, 5, 0.2)
			withEach(func(kind string) {
				got := slices.Clone(x)
				if gotSum := expAll(got, 5, 0.2); !nearly(got, want, 1e-5) || math.Abs(float64(sum-gotSum)) > 1e-4 {
					t.Fatalf("with %s: got %v and %v, want %v and %v", kind, got, gotSum, want, sum)
				}
			})
		})
	})
	t.Run("gelu is within 0.0002 of its curve", func(t *testing.T) {
		withEach(func(kind string) {
			for x := float32(-40); x < 40; x += 0.01 {
				got := slices.Repeat([]float32{x}, 8)
				gelu(got)
				if want := float64(x) * (0.5 + 0.5*math.Erf(float64(x)/math.Sqrt2)); math.Abs(float64(got[7])-want) > 2e-4 {
					t.Fatalf("with %s: gelu(%v) is %v, want %v", kind, x, got[7], want)
				}
			}
		})
	})
}
