package stripetest

import (
	"encoding/json"
	"time"
)

const (
	hour = time.Hour
	day  = 24 * hour
)

// moment is a time in seconds since 1970, and null in JSON if it is zero.
type moment int64

func momentOf(t time.Time) moment { return moment(t.Unix()) }

func (m moment) time() time.Time { return time.Unix(int64(m), 0).UTC() }

func (m moment) add(d time.Duration) moment { return m + moment(d/time.Second) }

// MarshalJSON writes a number or null.
func (m moment) MarshalJSON() ([]byte, error) { return orNull(int64(m)) }

// ref is the id of another object, or an optional text: null in JSON if it is empty.
type ref string

// MarshalJSON writes a string or null.
func (r ref) MarshalJSON() ([]byte, error) { return orNull(string(r)) }

func orNull[T comparable](value T) ([]byte, error) {
	var zero T
	if value == zero {
		return []byte("null"), nil
	}
	return json.Marshal(value)
}

func (s *Server) moment() moment { return momentOf(s.now) }

// months adds months to the anchor day of a subscription: the 31st becomes the last day of a
// short month.
// See https://docs.stripe.com/billing/subscriptions/billing-cycle.
func (m moment) months(n int) moment {
	anchor := m.time()
	moved := anchor.AddDate(0, n, 0)
	if moved.Day() != anchor.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return momentOf(moved)
}
