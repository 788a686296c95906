package quota

import (
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/plan"
)

func TestThePlaygroundHasAMonthOfItsOwn(t *testing.T) {
	l, q := newLedger()
	small := plan.Plan{Title: "Small", Limits: plan.Limits{MessageChars: 100, MessagesPerMonth: 1, PlaygroundPerMonth: 2}}
	take := func(origin chat.Origin) error {
		ticket, err := q.Take(t.Context(), "ws", "cb", origin, small, "Question?")
		if err != nil {
			return err
		}
		month, reserved := ticket.Counts(l.now)
		if want := map[chat.Origin]string{chat.API: "2026-11", chat.Playground: "2026-11-playground"}[origin]; month != want || !reserved {
			t.Errorf("%s counts in %s, reserved: %t", origin, month, reserved)
		}
		l.stored["ws "+month]++
		ticket.Keep()
		return nil
	}
	for _, c := range []struct {
		origin chat.Origin
		want   string
	}{
		{chat.Playground, ""},
		{chat.Playground, ""},
		{chat.Playground, "Your playground questions for this month are used up: the Small plan includes 2. Wait for the next month or upgrade the plan."},
		{chat.API, ""},
		{chat.API, "The Small plan includes 1 messages a month, and you have used them all. Wait for the next month or upgrade the plan."},
	} {
		err := take(c.origin)
		if c.want == "" && err != nil || c.want != "" && (!fault.Is(err, fault.RateLimited) || fault.As(err).Message != c.want || fault.As(err).RetryAfter < time.Hour) {
			t.Errorf("%s gives %v, want %q", c.origin, err, c.want)
		}
	}
}
