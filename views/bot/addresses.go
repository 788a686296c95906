package bot

import (
	"time"

	"parley/views/ui"
)

// Addresses is the page of the web addresses that documents come from.
type Addresses struct {
	Tabs    KnowledgeTabs
	Sources []Source
	Pager   ui.Pager
	// Working counts the addresses that are being worked on.
	Working int
	MayEdit bool
	Add     Add
}

// Source is a row of the addresses.
type Source struct {
	ID, URL string
	// Kind is page or site, Schedule never, daily or weekly.
	Kind, Schedule string
	State, Reason  string
	// Pages is how many documents it has, with separated thousands, and Failed how
	// many of them could not be read, empty for none.
	Pages, Failed string
	// SyncedAt is when it was last read, and NextAt when it is to be.
	SyncedAt, NextAt *time.Time
}
