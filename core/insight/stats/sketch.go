package stats

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

const (
	// precision is how many bits of a hash choose its register: 2,048 registers
	// count with a standard error of 2.3%.
	precision = 11
	registers = 1 << precision
	// entrySize is the size of a register that stands by itself: its number, and
	// its rank.
	entrySize = 3
)

// Sketch counts different names without keeping them: a HyperLogLog (Flajolet et
// al., 2007). The zero sketch has counted none.
//
// It is stored as it is: while few registers are set, each with its number, in
// order; then all of them. Never change the hash or the precision.
type Sketch []byte

// Add counts a name, unless it was counted before.
func (s *Sketch) Add(name string) {
	sum := sha256.Sum256([]byte(name))
	h := binary.BigEndian.Uint64(sum[:])
	s.set(int(h>>(64-precision)), byte(bits.LeadingZeros64(h<<precision|1<<(precision-1)))+1)
}

// Merge counts all that another sketch has counted.
func (s *Sketch) Merge(other Sketch) {
	if len(other) == 0 {
		return
	}
	if len(*s) == 0 {
		*s = slices.Clone(other)
		return
	}
	var all [registers]byte
	set := 0
	for _, sketch := range []Sketch{*s, other} {
		sketch.each(func(register int, rank byte) {
			if all[register] == 0 && rank > 0 {
				set++
			}
			all[register] = max(all[register], rank)
		})
	}
	if set*entrySize >= registers {
		*s = slices.Clone(all[:])
		return
	}
	merged := make(Sketch, 0, set*entrySize)
	for register, rank := range all {
		if rank > 0 {
			merged = append(merged, byte(register>>8), byte(register), rank)
		}
	}
	*s = merged
}

// Count is about how many different names were counted. Of a few hundred the
// error is below one in a hundred.
func (s Sketch) Count() int {
	empty, sum := registers, float64(registers)
	s.each(func(_ int, rank byte) {
		empty--
		sum += math.Ldexp(1, -int(rank)) - 1
	})
	const m = float64(registers)
	estimate := 0.7213 / (1 + 1.079/m) * m * m / sum
	if estimate <= 2.5*m && empty > 0 {
		estimate = m * math.Log(m/float64(empty)) // how full the registers are says more
	}
	return int(math.Round(estimate))
}

func (s Sketch) dense() bool { return len(s) == registers }

// each calls fn with the registers that are set.
func (s Sketch) each(fn func(register int, rank byte)) {
	if s.dense() {
		for register, rank := range s {
			if rank > 0 {
				fn(register, rank)
			}
		}
		return
	}
	for at := 0; at+entrySize <= len(s); at += entrySize {
		if register := int(binary.BigEndian.Uint16(s[at:])); register < registers {
			fn(register, s[at+2])
		}
	}
}

// set raises a register to a rank.
func (s *Sketch) set(register int, rank byte) {
	if s.dense() {
		(*s)[register] = max((*s)[register], rank)
		return
	}
	at := 0
	for ; at+entrySize <= len(*s); at += entrySize {
		if known := int(binary.BigEndian.Uint16((*s)[at:])); known == register {
			(*s)[at+2] = max((*s)[at+2], rank)
			return
		} else if known > register {
			break
		}
	}
	if len(*s)+entrySize < registers {
		*s = slices.Insert(*s, at, byte(register>>8), byte(register), rank)
		return
	}
	all := make(Sketch, registers)
	s.each(func(register int, rank byte) { all[register] = rank })
	all[register] = rank
	*s = all
}
