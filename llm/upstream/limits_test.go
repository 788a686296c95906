package upstream

import (
	"testing"
	"time"
)

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct{ given, want Limits }{
		"missing limits get defaults": {Limits{}, Limits{2 * time.Minute, 30 * time.Second, 2, 5 * time.Second}},
		"given limits stay": {
			Limits{time.Minute, time.Second, 1, time.Millisecond}, Limits{time.Minute, time.Second, 1, time.Millisecond},
		},
		"the first token may take no longer than the whole": {Limits{FirstToken: time.Hour}, Limits{2 * time.Minute, 2 * time.Minute, 2, 5 * time.Second}},
		"negative retries mean none":                        {Limits{Retries: -1}, Limits{2 * time.Minute, 30 * time.Second, 0, 5 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.given.Complete(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
