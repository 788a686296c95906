package bot

import "parley/views/ui"

// Tokens is the page of a chatbot's API tokens, which a script fills.
type Tokens struct {
	// MayManage shows what revokes, and MayCreate what creates.
	MayManage, MayCreate bool
	// APIURL is the address of the public API, with /api/v1.
	APIURL string
	// TimeZone is the IANA name of the zone in which times are shown, empty for the
	// browser's own.
	TimeZone string
	// Upgrade is what a plan without API access is told, nil for another.
	Upgrade *Upgrade
}

// mayMake shows what makes tokens, and renames and rolls them.
func (m Tokens) mayMake() bool { return m.MayManage && m.MayCreate && m.Upgrade == nil }

// Upgrade offers a plan where the present one ends.
type Upgrade struct {
	// From is the title of the present plan.
	From string
	// Plan and Title are those of the plan that is offered.
	Plan, Title string
	// Gains are what the plan adds, each a short phrase.
	Gains []string
	// Prices are what the person can choose from. Without any, they are led to
	// the page of plans, where Why says who changes it.
	Prices []ui.Option
	// Price is the lowest, in words, or empty.
	Price string
	Why   string
	// Next is the page to come back to.
	Next string
}
