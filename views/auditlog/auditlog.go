// Package auditlog has the pages of what was done in a workspace: the list of entries, and an
// entry with all that it says. What they show is decided in web/auditlog.
package auditlog

import (
	"time"

	"parley/views/shell"
	"parley/views/ui"
)

// List is the page of a workspace's audit log.
type List struct {
	Entries []Entry
	// Filters are the chosen kind, actor, object, id, from, to, address and request.
	Filters ui.Form
	// Kinds, Actors and Objects are what one can choose from.
	Kinds, Actors, Objects []ui.Option
	// Filtered says that some entries are left out, and Deep that one of the further
	// filters does it.
	Filtered, Deep bool
	// Wrong says what is wrong with the filter.
	Wrong string
	// CSV and JSONL are the addresses of exports of the filtered entries.
	CSV, JSONL string
	Pager      ui.Pager
}

// Entry is a row.
type Entry struct {
	// URL leads to the page of the entry.
	URL   string
	At    time.Time
	Actor string
	// What is the act in words, and Action its stable name.
	What, Action string
	// Object is the thing that the act was about.
	Object Piece
	Detail []Piece
	// Changes are sentences such as “name: Old → New”.
	Changes [][]Piece
	Address string
}

// Record is the page of one entry.
type Record struct {
	Entry
	UserID, ObjectKind, ObjectID, RequestID string
	Settings                                []Setting
	// Tells says that the settings did not change: they say what was done.
	Tells bool
	// Removed says that the entry had an address, which was removed for its age.
	Removed bool
	// Place is the entry's number in the chain, and Hash its own. Entries from before there
	// were chains have neither.
	Place, Hash string
	// ByActor, OnObject, FromAddress and OfRequest are addresses of the entries that share
	// this with the entry.
	ByActor, OnObject, FromAddress, OfRequest string
}

// Setting is a setting before and after. Withheld says that the values are not kept.
type Setting struct {
	Name     string
	Old, New []Piece
	Withheld bool
}

// Piece is a part of a sentence. It leads to what it names, if there is an address.
type Piece struct{ Text, URL, Title string }

// exporting is the layout with what the filters choose as files.
func (m List) exporting(l shell.Layout) shell.Layout {
	l.Actions = exports(m)
	return l
}
