package plan

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

const day = 24 * time.Hour

// noon is the current time in the tests. Dates count days from it.
var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func days(n int) *time.Time {
	at := noon.Add(time.Duration(n) * day)
	return &at
}

func TestAccess(t *testing.T) {
	const grace = 21 * day
	before := Access{Plan: Basic, Until: days(5)}
	for sentence, c := range map[string]struct {
		standing Standing
		want     Access
	}{
		"an ongoing subscription gives its plan without an end":           {Standing{Status: Active, Plan: Standard}, Access{Plan: Standard}},
		"one that was canceled for later gives the plan until then":       {Standing{Status: Active, Plan: Standard, EndsAt: days(9)}, Access{Plan: Standard, Until: days(9)}},
		"a second before the end access remains":                          {Standing{Status: Active, Plan: Standard, EndsAt: after(noon, time.Second)}, Access{Plan: Standard, Until: after(noon, time.Second)}},
		"at the end access is over":                                       {Standing{Status: Active, Plan: Standard, EndsAt: days(0)}, Access{Plan: Free}},
		"a canceled trial ends, too":                                      {Standing{Status: Trialing, Plan: Premium, EndsAt: days(-1)}, Access{Plan: Free}},
		"after a failed payment access continues":                         {Standing{Status: PastDue, Plan: Standard, PastDueSince: days(-1)}, Access{Plan: Standard, Until: days(20)}},
		"but not longer than the grace":                                   {Standing{Status: PastDue, Plan: Standard, PastDueSince: days(-21)}, Access{Plan: Free}},
		"and not beyond the end of the subscription":                      {Standing{Status: PastDue, Plan: Standard, PastDueSince: days(-1), EndsAt: days(2)}, Access{Plan: Standard, Until: days(2)}},
		"a later end does not extend the grace":                           {Standing{Status: PastDue, Plan: Standard, PastDueSince: days(-1), EndsAt: days(30)}, Access{Plan: Standard, Until: days(20)}},
		"an overdue payment without a date does not end access":           {Standing{Status: PastDue, Plan: Standard}, Access{Plan: Standard}},
		"the date of a payment made meanwhile does not matter":            {Standing{Status: Active, Plan: Standard, PastDueSince: days(-99)}, Access{Plan: Standard}},
		"a canceled subscription gives no access, whatever its dates say": {Standing{Status: Canceled, Plan: Standard, EndsAt: days(9)}, Access{Plan: Free}},
		"an unknown status keeps the access, with its end":                {Standing{Status: "hibernating", Plan: Premium}, Access{Plan: Basic, Until: days(5), Unknown: true}},
		"so does an unknown plan":                                         {Standing{Status: Active, Plan: "gold"}, Access{Plan: Basic, Until: days(5), Unknown: true}},
		"a missing plan counts as unknown":                                {Standing{Status: Active}, Access{Plan: Basic, Until: days(5), Unknown: true}},
		"an unknown plan of a canceled subscription does not matter":      {Standing{Status: Canceled, Plan: "gold"}, Access{Plan: Free}},
	} {
		t.Run(sentence, func(t *testing.T) {
			wantAccess(t, c.standing.Access(before, grace, noon), c.want)
		})
	}

	t.Run("an unknown status after access that has ended gives the free plan", func(t *testing.T) {
		got := Standing{Status: "hibernating"}.Access(Access{Plan: Premium, Until: days(0)}, grace, noon)
		wantAccess(t, got, Access{Plan: Free, Unknown: true})
	})
	t.Run("an unknown status without previous access gives the free plan", func(t *testing.T) {
		wantAccess(t, Standing{Status: "hibernating", Plan: Premium}.Access(Access{}, grace, noon), Access{Plan: Free, Unknown: true})
	})
}

func after(at time.Time, d time.Duration) *time.Time {
	at = at.Add(d)
	return &at
}

func wantAccess(t *testing.T, got, want Access) {
	t.Helper()
	same := got.Until == nil && want.Until == nil || got.Until != nil && want.Until != nil && got.Until.Equal(*want.Until)
	if got.Plan != want.Plan || got.Unknown != want.Unknown || !same {
		t.Errorf("it gives %+v, want %+v", got, want)
	}
}

func TestTerminal(t *testing.T) {
	for status := range gives {
		if want := status == Canceled || status == IncompleteExpired; status.Terminal() != want {
			t.Errorf("%q is terminal: %v", status, !want)
		}
	}
}

func TestAccessProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moment := rapid.Custom(func(t *rapid.T) *time.Time {
			if rapid.Bool().Draw(t, "none") {
				return nil
			}
			return days(rapid.IntRange(-40, 40).Draw(t, "days"))
		})
		plans := rapid.SampledFrom(append(Names(), "", "gold"))
		standing := Standing{
			Status: rapid.SampledFrom([]Status{
				None, Trialing, Active, PastDue, Incomplete, IncompleteExpired, Unpaid, Canceled, Paused, "hibernating",
			}).Draw(t, "status"),
			Plan: plans.Draw(t, "plan"), PastDueSince: moment.Draw(t, "since"), EndsAt: moment.Draw(t, "ends"),
		}
		last := Access{Plan: plans.Draw(t, "last"), Until: moment.Draw(t, "until")}
		grace := time.Duration(rapid.IntRange(0, 30).Draw(t, "grace")) * day

		access := standing.Access(last, grace, noon)
		if !access.Plan.known() {
			t.Fatalf("it gives an unknown plan: %+v", access)
		}
		if access.Until != nil && !noon.Before(*access.Until) {
			t.Fatalf("it gives access that has ended: %+v", access)
		}
		// Applying the rule to its own result changes nothing, until the promised
		// end.
		again := standing.Access(access, grace, noon)
		if again.Plan != access.Plan {
			t.Fatalf("%+v becomes %+v", access, again)
		}
		if access.Until == nil {
			return
		}
		if ended := standing.Access(access, grace, *access.Until); ended.Plan != Free {
			t.Fatalf("at its end it gives %+v", ended)
		}
	})
}
