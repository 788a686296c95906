package billing

import "errors"

// enoughFailures one after another mean that Stripe is away: the rest waits for
// the next time.
const enoughFailures = 5

// tally collects what went wrong in work on many workspaces.
type tally struct {
	all     []error
	running int
}

// enough notes the outcome of one, and reports whether to stop.
func (t *tally) enough(err error) bool {
	if err == nil {
		t.running = 0
		return false
	}
	if t.running++; len(t.all) < enoughFailures {
		t.all = append(t.all, err)
	}
	return t.running >= enoughFailures
}

// err is nil if nothing failed, and has the first few errors otherwise.
func (t *tally) err() error { return errors.Join(t.all...) }
