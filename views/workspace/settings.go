package workspace

import "parley/views/ui"

// Settings is the page of a workspace's settings.
type Settings struct {
	// Name is the form that renames it.
	Name ui.Form
	// Factor is the form that demands a second factor.
	Factor ui.Form
	Leave  Leave
	// Delete is the form that deletes it.
	Delete ui.Form
	// MayRename, MaySecure and MayDelete show their forms.
	MayRename, MaySecure, MayDelete bool
	// MayManageSSO leads to the page of single sign-on.
	MayManageSSO bool
	// Paid says that there may be a subscription to end.
	Paid bool
}
