package workspace

import (
	"time"

	"parley/views/ui"
)

// Audit is the page of what was done in a workspace.
type Audit struct {
	Entries []AuditEntry
	// Kinds and Actors are what one can choose from; Kind and Actor are chosen.
	Kinds, Actors []ui.Option
	Kind, Actor   string
	// From and To are the first and last day, such as 2026-11-22.
	From, To string
	// Filtered says that some entries are left out.
	Filtered bool
	// Wrong says what is wrong with the filter.
	Wrong string
	Pager ui.Pager
}

// AuditEntry is a row.
type AuditEntry struct {
	ID    string
	At    time.Time
	Actor string
	// What is the act in words, and Action its stable name.
	What, Action string
	// Object is what was acted on.
	Object Piece
	Detail []Piece
	// Changes are sentences such as “name: Old → New”.
	Changes [][]Piece
	Address string
}

// Piece is a part of a sentence. It leads to what it names, if there is an address.
type Piece struct{ Text, URL, Title string }
