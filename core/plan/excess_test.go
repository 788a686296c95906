package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOver(t *testing.T) {
	plain := func(id string, age int) Holding { return Holding{ID: id, CreatedAt: *days(-age)} }
	kept := func(h Holding) Holding { h.Kept = true; return h }
	vital := func(h Holding) Holding { h.Vital = true; return h }
	three := []Holding{plain("young", 1), plain("old", 9), plain("middle", 5)}
	for sentence, c := range map[string]struct {
		limit    int
		holdings []Holding
		want     []string
	}{
		"within the limit none is over":                   {3, three, nil},
		"without a limit none is over":                    {Unlimited, three, nil},
		"the oldest stay":                                 {1, three, []string{"middle", "young"}},
		"all are over a limit of zero":                    {0, three, []string{"middle", "old", "young"}},
		"the owner's choice stays before the oldest":      {2, []Holding{kept(plain("young", 1)), plain("old", 9), plain("middle", 5)}, []string{"middle"}},
		"if too many are chosen, the oldest of them stay": {1, []Holding{kept(plain("young", 1)), kept(plain("middle", 5)), plain("old", 9)}, []string{"old", "young"}},
		"an owner stays before the owner's choice":        {1, []Holding{kept(plain("old", 9)), vital(plain("young", 1))}, []string{"old"}},
		"all owners stay, even beyond the limit":          {1, []Holding{vital(plain("one", 9)), vital(plain("two", 8)), plain("old", 20)}, []string{"old"}},
		"owners stay under a limit of zero":               {0, []Holding{vital(plain("one", 9))}, nil},
		"at equal age the lower identifier stays":         {1, []Holding{plain("b", 1), plain("a", 1)}, []string{"b"}},
		"an empty list has none over":                     {0, nil, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			var got []string
			for id := range Over(c.limit, c.holdings) {
				got = append(got, id)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("over are %v, want %v", got, c.want)
			}
		})
	}
}

func TestOverProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		holdings := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Holding {
			return Holding{
				ID: rapid.StringMatching("[a-z]{3}").Draw(t, "id"), Vital: rapid.Bool().Draw(t, "vital"),
				Kept: rapid.Bool().Draw(t, "kept"), CreatedAt: *days(rapid.IntRange(-5, 0).Draw(t, "age")),
			}
		}), 0, 12, func(h Holding) string { return h.ID }).Draw(t, "holdings")
		limit := rapid.IntRange(-1, 12).Draw(t, "limit")
		over := Over(limit, holdings)

		vital, awake := 0, len(holdings)-len(over)
		for _, h := range holdings {
			if h.Vital {
				vital++
			}
			if h.Vital && over[h.ID] {
				t.Fatalf("%s is vital and over", h.ID)
			}
		}
		if want := min(len(holdings), max(limit, vital)); limit != Unlimited && awake != want {
			t.Fatalf("%d are active, want %d", awake, want)
		}
		if limit == Unlimited && len(over) > 0 {
			t.Fatalf("%v are over although there is no limit", over)
		}
		// A higher limit activates some and suspends none.
		for id := range Over(limit+1, holdings) {
			if limit != Unlimited && !over[id] {
				t.Fatalf("%s is suspended under a higher limit", id)
			}
		}
		slices.Reverse(holdings)
		for id := range Over(limit, holdings) {
			if !over[id] {
				t.Fatalf("%s is suspended when the order differs", id)
			}
		}
	})
}
