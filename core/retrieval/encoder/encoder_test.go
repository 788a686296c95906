package encoder

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/text/encode/bge"
)

func TestEncoder(t *testing.T) {
	t.Run("a question in another language has no vector, and a short one has", func(t *testing.T) {
		for text, want := range map[string]int{"refund?": bge.Width, "Wie lange dauert die Lieferung nach Österreich?": 0} {
			if vector, err := New().EncodeQuestion(t.Context(), "ws", text); err != nil || len(vector) != want {
				t.Errorf("%q has %d numbers, %v", text, len(vector), err)
			}
		}
	})
	t.Run("a workspace's question is remembered, and no other's", func(t *testing.T) {
		e := New()
		for _, workspace := range []string{"a", "a", "b"} {
			vector, err := e.EncodeQuestion(t.Context(), workspace, "refund?")
			if err != nil || len(vector) != bge.Width {
				t.Errorf("got %v, %v", vector, err)
			}
		}
		if n := e.questions.count; n != 2 || len(e.questions.of) != 2 {
			t.Errorf("%d are remembered", n)
		}
	})
	t.Run("of a long question only the beginning counts", func(t *testing.T) {
		long := strings.Repeat("refund ", 64)
		a, err := New().EncodeQuestion(t.Context(), "ws", long)
		b, other := New().EncodeQuestion(t.Context(), "ws", long+strings.Repeat("bread ", 10_000))
		if err != nil || other != nil || !slices.Equal(a, b) {
			t.Errorf("the end counts, %v, %v", err, other)
		}
	})
}

func BenchmarkLongQuestion(b *testing.B) {
	e := New()
	if err := e.Warm(); err != nil {
		b.Fatal(err)
	}
	long := strings.Repeat("How long does it take to send a parcel to Norway? ", 160)
	for n := 0; b.Loop(); n++ {
		if _, err := e.EncodeQuestion(b.Context(), "ws", strconv.Itoa(n)+" "+long); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRemember(b *testing.B) {
	r := newRemembered(rememberedQuestions)
	for n := 0; b.Loop(); n++ {
		r.add(strconv.Itoa(n%rememberedQuestions), hash{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, nil)
	}
}
