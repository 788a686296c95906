package bot

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
	// Plan and Title are the name and the title of the plan that is offered.
	Plan, Title string
	// Gains are what the plan adds, each a short phrase.
	Gains []string
	// Price is the lowest, in words, or empty.
	Price string
	// Change shows what the change of plan does, and leads back here after it. It is
	// empty where the person cannot change to it: they are led to the page of plans,
	// where Why says who can.
	Change, Why string
}
