package workspace

import "time"

// Deletion is the page of a workspace that is being deleted.
type Deletion struct {
	WorkspaceID, Name string
	// At is when everything in it is erased.
	At time.Time
	// MayRestore shows the button that takes the deletion back.
	MayRestore bool
	// Paid says that there may have been a subscription.
	Paid bool
}
