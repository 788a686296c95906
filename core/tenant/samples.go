package tenant

import (
	"time"

	"parley/core/outbox"
	"parley/core/plan"
)

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) []outbox.Letter {
	workspace := Workspace{ID: "ws_1", Name: `Acme & <b>Sons</b>`, Plan: plan.Standard}
	now := func() time.Time { return time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC) }
	invitations, quotas := &Invitations{mails: mails}, &QuotaNotices{mails: mails, now: now}
	return []outbox.Letter{
		invitations.letter(workspace, "ada@example.com", "code"),
		quotas.letter(workspace, QuotaUse{Used: 8_100, Included: 10_000}),
		quotas.letter(workspace, QuotaUse{Used: 10_000, Included: 10_000}),
	}
}
