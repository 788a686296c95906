package embedded

import (
	"math"

	"parley/index/embedded/segment"
)

const (
	// busyRun is how many segments of a size are merged while a scope is
	// written to, and settledRun when it has been quiet: each passage is then
	// rewritten about once for each eightfold growth of its chatbot.
	busyRun    = 8
	settledRun = 2
	// smallest is the size below which all segments are alike, in bytes.
	smallest = 32 << 10
	// mostlyDead is the part of a segment, one in so many, that must be gone
	// for it to be rewritten.
	mostlyDead = 4
)

// level is the order of magnitude of a segment.
func (p piece) level() float64 {
	return math.Log(float64(max(p.bytes, smallest))) / math.Log(busyRun)
}

// plan returns the next segments to merge, which are neighbors, or nothing.
//
// Segments are divided, from the oldest on, into stretches that begin with the
// largest of what is left and end with the last one of about its size; a
// stretch of at least run segments is merged. That is Lucene's
// LogMergePolicy: segments stay in order, and are few.
func plan(pieces []piece, run int) []piece {
	for _, p := range pieces {
		if p.gone*mostlyDead >= p.passages {
			return []piece{p}
		}
	}
	for len(pieces) > 0 {
		end := stretch(pieces)
		if end >= run {
			if group := fitting(pieces[:end]); len(group) > 1 {
				return group
			}
		}
		pieces = pieces[end:]
	}
	return nil
}

// stretch returns the end of the first stretch.
func stretch(pieces []piece) int {
	largest := 0.0
	for _, p := range pieces {
		largest = max(largest, p.level())
	}
	end := len(pieces)
	for pieces[end-1].level() < largest-0.75 {
		end--
	}
	return end
}

// fitting returns the first neighbors that together are not too large.
func fitting(pieces []piece) []piece {
	for len(pieces) > 1 {
		total, n := int64(0), 0
		for n < len(pieces) && total+pieces[n].bytes <= segment.MaxSize {
			total += pieces[n].bytes
			n++
		}
		if n > 1 {
			return pieces[:n]
		}
		pieces = pieces[1:]
	}
	return nil
}
