package plan

import (
	"cmp"
	"slices"
	"time"
)

// Holding is one of several items whose number a plan limits.
type Holding struct {
	ID string
	// Vital holdings never count as over the limit: the oldest owner of a workspace.
	Vital bool
	// Kept holdings are the owner's choice of what to keep.
	Kept      bool
	CreatedAt time.Time
}

// Over returns the ids of the holdings over a limit. Vital holdings stay first, then
// the owner's choice, then the oldest.
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

// first orders true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
