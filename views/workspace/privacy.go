package workspace

import (
	"time"

	"parley/views/ui"
)

// Privacy is the page that lists the stored data, and for how long Parley keeps it.
type Privacy struct {
	// Copy and Erase are the forms about an end user.
	Copy, Erase ui.Form
	// MayExport shows the export of the workspace, and MayManage the forms and receipts.
	MayExport, MayManage bool
	Receipts             []Receipt
	Stored               []Stored
}

// Receipt is proof of an erasure.
type Receipt struct {
	ID, Kind, Erased, Remaining string
	At                          time.Time
	Done                        bool
}

// Stored is a table of the database.
type Stored struct {
	Name, Holds, Why, Kept, Personal string
}
