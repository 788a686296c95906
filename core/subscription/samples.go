package subscription

import (
	"time"

	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/tenant"
)

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) []outbox.Letter {
	now := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	week := now.AddDate(0, 0, 7)
	workspace := tenant.Workspace{ID: "ws_1", Name: "Acme", Granted: plan.Free}
	standard := Billed{Plan: plan.Standard, Status: plan.Active, Amount: 7_900, Currency: "usd", Interval: plan.Monthly}
	ending, trial, unpaid := standard, standard, standard
	ending.EndsAt = &week
	trial.Status, trial.TrialEnd = plan.Trialing, &week
	unpaid.Status, unpaid.PastDueSince, unpaid.InvoiceURL = plan.PastDue, &now, "https://invoice.stripe.com/i/acct_1/test_1"
	ended := unpaid
	ended.Status = plan.Unpaid
	notices := &Notices{mails: mails}
	var letters []outbox.Letter
	for _, news := range [][]notice{
		declines(workspace, Subscription{Billed: ending}, now),
		endOfTrial(workspace, Subscription{Billed: trial}, now),
		failedPayment(workspace, Subscription{Billed: unpaid, Access: plan.Access{Plan: plan.Standard, Until: &week}}, now),
		endForDebt(workspace, Subscription{Billed: ended, Access: plan.Access{Plan: plan.Free}}, now),
	} {
		for _, n := range news {
			letters = append(letters, notices.letter(n, workspace))
		}
	}
	return letters
}
