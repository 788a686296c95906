package workspace

import (
	"testing"
	"time"

	"parley/web/webtest"
)

func TestBesides(t *testing.T) {
	month := func(text string) time.Time {
		parsed, err := time.Parse(monthFormat, text)
		webtest.Must(t, err)
		return parsed
	}
	since, now := time.Date(2026, 9, 30, 23, 59, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 30, 0, 0, time.FixedZone("", 3600))
	for shown, want := range map[string][2]string{
		"2026-09": {"", "2026-10"}, "2026-10": {"2026-09", "2026-11"}, "2026-12": {"2026-11", ""}, "2025-01": {"", "2025-02"},
	} {
		t.Run("beside "+shown+" are the months in which there can be answers", func(t *testing.T) {
			previous, next := neighborMonths(month(shown), since, now) // which is still December
			if previous != want[0] || next != want[1] {
				t.Errorf("%q and %q, want %q", previous, next, want)
			}
		})
	}
}
