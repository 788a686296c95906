package testrun

import "testing"

func TestOverlap(t *testing.T) {
	for name, c := range map[string]struct {
		answer, reference string
		want              Overlap
	}{
		"the same words in another order are the same":    {"The red Bike.", "bike, red", Overlap{1, 1, 1}},
		"half of the words on one side are half of it":    {"red bike blue car", "red bike", Overlap{2.0 / 3, 0.5, 1}},
		"a word counts as often as both have it":          {"red red", "red", Overlap{2.0 / 3, 0.5, 1}},
		"texts without a common word have nothing":        {"red", "blue", Overlap{}},
		"writing without spaces counts by characters":     {"十点开门", "十点", Overlap{2.0 / 3, 0.5, 1}},
		"an empty answer has nothing, and breaks nothing": {"", "blue", Overlap{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := OverlapOf(c.answer, c.reference); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
