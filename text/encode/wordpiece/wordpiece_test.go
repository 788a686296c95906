package wordpiece

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPieces(t *testing.T) {
	v := New([]string{"play", "##ing", "##er", "cafe", "!", "東"})
	for sentence, c := range map[string]struct {
		text string
		want []int32
	}{
		"a word is cut into the longest pieces": {"playing", []int32{0, 1}},
		"capitals and accents do not count":     {"Café PLAYER", []int32{3, 0, 2}},
		"a mark and an ideograph stand alone":   {"play!東", []int32{0, 4, 5}},
		"what cannot be cut is unknown":         {"playful cafe", []int32{Unknown, 3}},
		"a word that is too long is unknown":    {"play" + strings.Repeat("er", maxWord), []int32{Unknown}},
		"spaces alone have no pieces":           {" \n\t", nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := slices.Collect(v.Pieces(c.text)); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	t.Run("the pieces are named in the order of their numbers", func(t *testing.T) {
		if got := v.Names(); len(got) != 6 || got[1] != "##ing" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("any text is cut into known pieces", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			for piece := range v.Pieces(rapid.String().Draw(t, "text")) {
				if piece < Unknown || piece > 5 {
					t.Fatalf("there is no piece %d", piece)
				}
			}
		})
	})
}
