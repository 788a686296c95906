package plan

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// minuteSlot is the precision of a [Minute]. A request stops counting at most this
// long after its minute is over.
const minuteSlot = 200 * time.Millisecond

// MaxSlice is the longest time for which requests can be reserved.
const MaxSlice = 5 * time.Second

const slotsAMinute = int64(time.Minute / minuteSlot)

// Minute counts the requests of the last 60 seconds: a sliding window in slots of
// 200 ms. The zero value has counted none. However requests arrive, at most the
// limit is admitted in any 60 seconds, possibly all of it at once.
type Minute struct {
	// first is the number of the first slot in used. A slot counts the requests
	// usable until its end, which is its number times minuteSlot after 1970.
	first int64
	used  []int
	sum   int
}

// slotOf returns the number of the slot that ends at or right after a time.
func slotOf(at time.Time) int64 {
	return (at.UnixMicro() + minuteSlot.Microseconds() - 1) / minuteSlot.Microseconds()
}

// Used returns how many requests of the last minute count.
func (m *Minute) Used(now time.Time) int {
	m.forget(now)
	return m.sum
}

// Take counts up to want requests that may be used within use, which is at most
// [MaxSlice]. It returns how many it admits: fewer if the limit admits no more, and
// with 0 also how long to wait until it admits one.
func (m *Minute) Take(now time.Time, want, limit int, use time.Duration) (taken int, wait time.Duration) {
	m.forget(now)
	taken = max(0, min(want, limit-m.sum))
	if taken == 0 {
		return 0, m.waitFor(now, limit)
	}
	m.count(slotOf(now.Add(min(use, MaxSlice))), taken)
	return taken, 0
}

// forget drops what no longer counts. Slots too far ahead come from a clock that was
// later set back: their requests count from now.
func (m *Minute) forget(now time.Time) {
	latest := slotOf(now.Add(MaxSlice))
	if m.first+int64(len(m.used))-1 > latest {
		*m = Minute{first: latest, used: []int{m.sum}, sum: m.sum}
	}
	gone := int64(0)
	for gone < int64(len(m.used)) && !now.Before(slotEnd(m.first+gone+slotsAMinute)) {
		m.sum -= m.used[gone]
		gone++
	}
	m.first += gone
	m.used = slices.Delete(m.used, 0, int(gone))
}

func slotEnd(slot int64) time.Time {
	return time.UnixMicro(slot * minuteSlot.Microseconds())
}

func (m *Minute) count(slot int64, n int) {
	if len(m.used) == 0 {
		m.first = slot
	}
	// A longer slice may already count in a later slot.
	for m.first > slot {
		m.first--
		m.used = slices.Insert(m.used, 0, 0)
	}
	for m.first+int64(len(m.used)) <= slot {
		m.used = append(m.used, 0)
	}
	m.used[slot-m.first] += n
	m.sum += n
}

// waitFor returns how long to wait until one more is admitted.
func (m *Minute) waitFor(now time.Time, limit int) time.Duration {
	left := m.sum
	for i, n := range m.used {
		if left -= n; left < limit {
			return slotEnd(m.first + int64(i) + slotsAMinute).Sub(now)
		}
	}
	return time.Minute // the limit is 0
}

var errBadMinute = errors.New("the bytes are not a minute of requests")

// MarshalBinary encodes the minute for [Minute.UnmarshalBinary].
func (m Minute) MarshalBinary() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(m.first))
	for _, n := range m.used {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b, nil
}

// UnmarshalBinary decodes what [Minute.MarshalBinary] encoded. No bytes mean the
// zero value.
func (m *Minute) UnmarshalBinary(b []byte) error {
	*m = Minute{}
	for first := true; len(b) > 0; first = false {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return errBadMinute
		}
		b = b[size:]
		if first {
			m.first = int64(n)
			continue
		}
		m.used, m.sum = append(m.used, int(n)), m.sum+int(n)
	}
	return nil
}
