package words

import "testing"

func TestNear(t *testing.T) {
	t.Run("a text is as near as the cosine of its vector", func(t *testing.T) {
		question, texts := "What does shipping cost?", []string{"Delivery is free.", "The sky is blue.", "", "Delivery prices"}
		asked, err := Embedder{}.Questions(t.Context(), []string{question})
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := Embedder{}.Passages(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, near := range Near(question, texts) {
			want := max(0, float64(dot(vectors[i], asked[0])))
			if near < want-1e-5 || near > want+1e-5 {
				t.Errorf("%q is %v near, want %v", texts[i], near, want)
			}
		}
	})
	t.Run("what is about the same is nearer than what is not", func(t *testing.T) {
		if near := Near("What does shipping cost?", []string{"Delivery prices", "The sky is blue."}); near[0] <= near[1] {
			t.Errorf("got %v", near)
		}
	})
	t.Run("a rare noun tells more than a common verb, and an unknown word nothing", func(t *testing.T) {
		if noun, verb, none := Weight("bicycle"), Weight("make"), Weight(""); noun <= verb || none != 0 {
			t.Errorf("got %v, %v and %v", noun, verb, none)
		}
	})
}
