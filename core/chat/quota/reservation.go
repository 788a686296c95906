package quota

import "time"

// Reservation asks for messages of a month that a process may begin.
type Reservation struct {
	// Month is one such as "2026-11", in UTC.
	Month string
	// Limit is how many messages the month has.
	Limit int
	// Want is how many requests wait for one, at least 1.
	Want int
	// Free were reserved before and may be begun still; Open are being stored,
	// and some of them may just have been.
	Free, Open int
	// Lease is how long other processes leave the messages to this one.
	Lease time.Duration
}

// MonthUse is what the database says of a workspace's month.
type MonthUse struct {
	// Messages counts the messages that all processes have begun.
	Messages int
	// Mine and Others count those that this process and all others have
	// reserved and not begun. Held says that this process's lease has not ended.
	Mine, Others int
	Held         bool
}

// sliceShare is which part of the messages left in a month is reserved at a
// time: one hundredth.
const sliceShare = 100

// Grant returns how many messages this process may begin from now on, and how
// many to keep for it: these, and those that it is storing. A slice is a
// hundredth of what is left of the month, so that near its end a process
// reserves only what requests are waiting for.
func (r Reservation) Grant(use MonthUse) (free, kept int) {
	free = r.Free
	switch {
	case !use.Held:
		free, kept = 0, r.Open // the rest was given to others
	case r.Open == 0:
		kept = r.Free // nothing that is lost stays reserved
	default:
		kept = use.Mine
	}
	left := r.Limit - use.Messages - use.Others - kept
	more := min(max(r.Want, left/sliceShare)-free, left)
	if left >= 0 {
		more = max(more, 0)
	}
	more = max(more, -free) // the plan has become smaller
	return free + more, kept + more
}
