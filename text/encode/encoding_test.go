package encode

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

var east, north = []float32{1, 0}, []float32{0, 1}

func TestEncoding(t *testing.T) {
	t.Run("the cosine is that of the vector, but for eight bits", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			vector := unitVector(rapid.SliceOfN(rapid.Float32Range(-1, 1), 8, 8).Draw(t, "passage"))
			with := unitVector(rapid.SliceOfN(rapid.Float32Range(-1, 1), 8, 8).Draw(t, "question"))
			want := 0.0
			for i, x := range vector {
				want += float64(x) * float64(with[i])
			}
			if got, ok := New(vector).Cosine(with); !ok || math.Abs(got-want) > 0.02 {
				t.Fatalf("got %v, %v, want %v", got, ok, want)
			}
		})
	})
	t.Run("its parts have their places and cosines, and the first vector stays", func(t *testing.T) {
		e := New(east).WithPart(Part{Start: 0, End: 70}, north).WithPart(Part{Start: 70, End: 300}, east)
		got := e.Parts(east)
		if cosine, ok := e.Cosine(east); !ok || math.Abs(cosine-1) > 0.02 || len(got) != 2 || got[0] != (Part{Start: 0, End: 70}) || got[1].Start != 70 || got[1].End != 300 || math.Abs(got[1].Closeness-1) > 0.02 {
			t.Errorf("got %v, %v, %+v", cosine, ok, got)
		}
		if got := New(east).Parts(east); got != nil {
			t.Errorf("without parts there are %v", got)
		}
		if got := e[:len(e)-1].Parts(east); got != nil {
			t.Errorf("of one that is cut there are %v", got)
		}
	})
	t.Run("what was not made here has no cosine, and breaks nothing", func(t *testing.T) {
		for _, e := range []Encoding{nil, {}, {2}, {1, 0, 0, 0, 0, 7, 7}, New(nil), New([]float32{1}), New([]float32{1, 2, 3})} {
			if got, ok := e.Cosine(east); ok {
				t.Errorf("%v has %v", e, got)
			}
		}
		if got, ok := New(nil).Cosine(nil); ok {
			t.Errorf("nothing has %v with nothing", got)
		}
	})
}

func unitVector(v []float32) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square < 1e-6 {
		return append([]float32{1}, make([]float32, len(v)-1)...)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

func TestDirection(t *testing.T) {
	t.Run("is that of the whole and, at a half, of the mean of the parts", func(t *testing.T) {
		e := New(east).WithPart(Part{End: 70}, north).WithPart(Part{Start: 70, End: 300}, north)
		got := e.Direction(2, 0.5)
		if math.Abs(float64(got[0])-2*float64(got[1])) > 0.02 || math.Abs(float64(Product(got, got))-1) > 0.001 {
			t.Errorf("got %v", got)
		}
	})
}
