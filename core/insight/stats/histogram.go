package stats

import "time"

// bounds are the upper bounds of the buckets of a [Histogram], in milliseconds.
// The last bucket has none. They are stored by their places: never change them.
var bounds = [...]int{
	50, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000, 7500, 10_000, 15_000, 20_000, 30_000, 60_000,
}

// Histogram counts answers by the time until their first text.
type Histogram [len(bounds) + 1]int

// Observe counts one more.
func (h *Histogram) Observe(took time.Duration) {
	ms := int(took.Milliseconds())
	for i, bound := range bounds {
		if ms <= bound {
			h[i]++
			return
		}
	}
	h[len(bounds)]++
}

func (h *Histogram) add(other *Histogram) {
	for i, n := range other {
		h[i] += n
	}
}

// Quantile is the time within which a share of the answers, from 0 to 1, had
// their first text, or zero of none. Within a bucket it is interpolated. What
// took longer than the last bound counts as that.
func (h *Histogram) Quantile(share float64) time.Duration {
	total := 0
	for _, n := range h {
		total += n
	}
	if total == 0 {
		return 0
	}
	wanted, below, from := share*float64(total), 0, 0
	for i, bound := range bounds {
		if n := h[i]; n > 0 && float64(below+n) >= wanted {
			ms := float64(from) + float64(bound-from)*(wanted-float64(below))/float64(n)
			return time.Duration(ms * float64(time.Millisecond))
		}
		below, from = below+h[i], bound
	}
	return time.Duration(bounds[len(bounds)-1]) * time.Millisecond
}
