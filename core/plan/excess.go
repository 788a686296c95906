package plan

import (
	"cmp"
	"slices"
	"time"
)

// Holding is one of several things that a plan limits in number.
type Holding struct {
	ID string
	// Vital holdings are never over the limit: the oldest owner of a workspace.
	Vital bool
	// Kept holdings are those that the owner chose to keep.
	Kept      bool
	CreatedAt time.Time
}

// Over returns the ids of those holdings that are over a limit: after the vital
// ones and the chosen ones, the oldest stay.
func Over(limit int, holdings []Holding) map[string]bool {
	if !exceeds(len(holdings), limit) {
		return nil
	}
	ranked := slices.Clone(holdings)
	slices.SortStableFunc(ranked, func(a, b Holding) int {
		return cmp.Or(first(a.Vital, b.Vital), first(a.Kept, b.Kept), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	over := map[string]bool{}
	for _, h := range ranked[limit:] {
		if !h.Vital {
			over[h.ID] = true
		}
	}
	return over
}

// first orders what is so before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
