package bge

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/text/encode"
	"parley/text/passage"
)

// reference is a text with what the original model makes of it.
type reference struct {
	Text   string    `json:"text"`
	Pieces []int32   `json:"pieces"`
	Vector []float32 `json:"vector"`
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

func openQuestions(t testing.TB) *model {
	t.Helper()
	m, err := loadQuestions()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func dot(a, b []float32) float32 {
	sum := float32(0)
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// near is how near a vector is to the original's: both keep states in eight bits.
const near = 0.99

func TestReference(t *testing.T) {
	m := open(t)
	for _, r := range references(t) {
		name := r.Text[:min(20, len(r.Text))]
		t.Run("the pieces are those of the original: "+name, func(t *testing.T) {
			if got := m.numbers(r.Text, Cut); !slices.Equal(got, r.Pieces) {
				t.Errorf("pieces are %v, want %v", got, r.Pieces)
			}
		})
		t.Run("the vector is that of the original: "+name, func(t *testing.T) {
			if cosine := dot(m.vector(r.Text, Cut), r.Vector); cosine < near {
				t.Errorf("the cosine is %v", cosine)
			}
		})
	}
}

func TestVector(t *testing.T) {
	m := open(t)
	t.Run("it has the length one, and says which text is nearer in meaning", func(t *testing.T) {
		question := openQuestions(t).vector("I forgot my password", questionCut)
		same, other := m.vector("Reset the credentials of your account.", Cut), m.vector("Our bakery opens at seven.", Cut)
		if length := dot(question, question); length < 0.999 || length > 1.001 {
			t.Errorf("its square is %v", length)
		}
		if dot(question, same) < dot(question, other)+0.1 {
			t.Errorf("cosines are %v and %v", dot(question, same), dot(question, other))
		}
	})
	t.Run("that of a question is near what the large model gives after its instruction", func(t *testing.T) {
		for _, question := range []string{"How do I back up my data?", "what does it cost to send a parcel to norway", "Who may bring a dog?"} {
			want := m.vector("Represent this sentence for searching relevant passages: "+question, Cut)
			if cosine := dot(openQuestions(t).vector(question, questionCut), want); cosine < 0.8 {
				t.Errorf("%q: the cosine is %v", question, cosine)
			}
		}
	})
	t.Run("any text has a vector, and of a long one only the beginning counts", func(t *testing.T) {
		for _, text := range []string{"", " \n\t", "\x00\xff\xfe", strings.Repeat(" ", 1<<20)} {
			if vector := m.vector(text, Cut); len(vector) != width || vector[0] != vector[0] {
				t.Errorf("%.10q has %v", text, vector)
			}
		}
		long := strings.Repeat("bread ", Cut)
		if !slices.Equal(m.vector(long, Cut), m.vector(long+strings.Repeat("bicycles ", 1<<20), Cut)) {
			t.Error("the end counts")
		}
	})
	t.Run("a text has the same vector whatever was read before it, and beside it", func(t *testing.T) {
		want := m.vector("Bread and butter.", Cut)
		m.vector(strings.Repeat("An entirely different text of more words. ", 30), Cut)
		done := make(chan []float32)
		for range 4 {
			go func() { done <- m.vector("Bread and butter.", Cut) }()
		}
		for range 4 {
			if got := <-done; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	})
}

func TestPassages(t *testing.T) {
	t.Run("title and headings count, and a passage in another language has nothing", func(t *testing.T) {
		passages := []passage.Passage{
			{Text: "It takes five days and costs nothing."},
			{Title: "Parcels", HeadingPath: []string{"Shipping"}, Text: "It takes five days and costs nothing."},
			{Text: "Die Lieferung dauert fünf Tage und kostet nichts. Wir schicken die Ware aus unserem Lager, sobald sie bezahlt ist."},
		}
		found, err := Passages(t.Context(), passages)
		if err != nil || len(found) != 3 || len(found[0]) < width || slices.Equal(found[0], found[1]) || !slices.Equal(found[2], encode.New(nil)) {
			t.Errorf("got %v, %v", found, err)
		}
	})
	t.Run("the parts of a passage have vectors of their own", func(t *testing.T) {
		one := passage.Passage{Text: "## Shipping\n\nIt takes five days and costs nothing, to every address in the country."}
		two := passage.Passage{Text: one.Text + "\n\n## Parking\n\nLeave your car in the yard behind the shop, where it may stand for two hours."}
		found, err := Passages(t.Context(), []passage.Passage{one, two})
		if err != nil || len(found[1]) < 3*width || len(found[0]) > 2*width {
			t.Errorf("they have %d and %d bytes, %v", len(found[0]), len(found[1]), err)
		}
	})
	t.Run("it ends when it is canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		cancel(stop)
		if _, err := Passages(ctx, make([]passage.Passage, 2)); !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
	})
}

func TestParse(t *testing.T) {
	t.Run("what is not the weights is refused", func(t *testing.T) {
		for _, raw := range []string{"", "PBG1", "PBG0" + strings.Repeat("\x00", 100), "PBG1\xff\xff\xff\xff\x00\x00\x00\x00", "PBG1\x01\x00\x00\x00" + strings.Repeat("\x00", 1000)} {
			if _, err := parse([]byte(raw)); !errors.Is(err, errWeights) {
				t.Errorf("%.10q: got %v", raw, err)
			}
		}
		for _, raw := range []string{"", "PBQ1", "PBG1" + strings.Repeat("\x00", 100), "PBQ1\xff\xff\xff\xff", "PBQ1\x01\x00\x00\x00" + strings.Repeat("\x00", 1000)} {
			if _, err := parseQuestions([]byte(raw), nil); !errors.Is(err, errWeights) {
				t.Errorf("%.10q: got %v", raw, err)
			}
		}
	})
}

func BenchmarkPassage(b *testing.B) {
	m := open(b)
	text := strings.Repeat("The company was founded in 1976 by Steve Jobs. ", 40)
	for b.Loop() {
		m.vector(text, Cut)
	}
}

func BenchmarkQuestion(b *testing.B) {
	m := openQuestions(b)
	for b.Loop() {
		m.vector("How long does it take to send a parcel to Norway?", questionCut)
	}
}
