package audit_test

import (
	"testing"
	"time"

	"parley/core/audit"
)

func TestWithin(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for sentence, c := range map[string]struct {
		since time.Time
		days  int
		want  time.Time
	}{
		"nothing older than the days is shown":     {time.Time{}, 30, now.AddDate(0, 0, -30)},
		"an earlier day that was asked for is not": {now.AddDate(0, 0, -31), 30, now.AddDate(0, 0, -30)},
		"a later day is":               {now.AddDate(0, 0, -2), 30, now.AddDate(0, 0, -2)},
		"without a bound all is shown": {time.Time{}, -1, time.Time{}},
	} {
		if got := (audit.Filter{Since: c.since}).Within(c.days, now).Since; !got.Equal(c.want) {
			t.Errorf("%s: since %v", sentence, got)
		}
	}
}
