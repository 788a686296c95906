package workspace

import "parley/views/ui"

// Settings is the page of a workspace's settings.
type Settings struct {
	Leave  Leave
	Delete ui.Form
	// MayDelete shows the form.
	MayDelete bool
	// Paid says that there may be a subscription to end.
	Paid bool
}
