package bot

import (
	"time"

	"parley/views/shell"
	"parley/views/ui"
)

// Knowledge is the page of a chatbot's documents.
type Knowledge struct {
	Documents []Document
	Sources   []Source
	// Filters are the states to choose from, all first.
	Filters []Filter
	Pager   ui.Numbers
	// Working counts the documents and addresses that are being worked on.
	Working int
	// MayEdit shows what adds, changes and removes.
	MayEdit bool
	// Text, Pairs, Files and Address are the forms that add.
	Text, Pairs, Files, Address ui.Form
}

// Empty reports whether the chatbot has neither document nor address.
func (m Knowledge) Empty() bool { return len(m.Filters) == 0 && len(m.Sources) == 0 }

// opens reports whether a way to add is open: the one that was refused, or the
// first.
func (m Knowledge) opens(f ui.Form) bool {
	if f.Message != "" {
		return true
	}
	first := m.Pairs.Message == "" && m.Files.Message == "" && m.Address.Message == ""
	return first && f.Values["way"] == "text"
}

// Document is a row of the documents.
type Document struct {
	ID, Title, Kind string
	// URL is where it was found, or empty.
	URL string
	// State is one of the states of package knowledge.
	State string
	// Reason says why the document failed, or what it waits for.
	Reason string
	// Progress says how far the indexing has come, or nothing.
	Progress string
	// NextAt is when it is tried again after a failure, or nil.
	NextAt *time.Time
	// Before says that it is answered from as it was before.
	Before bool
	// MayRetry and MayCancel say what makes sense now.
	MayRetry, MayCancel bool
	// Chars and Passages are sizes, with separated thousands.
	Chars, Passages string
	CreatedAt       time.Time
}

// Source is a row of the addresses.
type Source struct {
	ID, URL string
	// Kind is page or site, Schedule never, daily or weekly.
	Kind, Schedule string
	State, Reason  string
	// Pages is how many documents it has, with separated thousands.
	Pages string
	// SyncedAt is when it was last read, and NextAt when it is to be.
	SyncedAt, NextAt *time.Time
}

// Filter is a state to choose.
type Filter struct {
	// Value is the one in the address; empty means all.
	Value, Text, Count string
	Current            bool
}

// filterURL is the page of the documents of a filter.
func filterURL(chatbotID, filter string) string {
	if filter == "" {
		return shell.KnowledgeURL(chatbotID)
	}
	return shell.KnowledgeURL(chatbotID) + "?state=" + filter
}

// Removed is the page of the receipts of removed documents.
type Removed struct {
	Receipts []Receipt
	Pager    ui.Numbers
}

// Receipt says that a document is gone.
type Receipt struct {
	ID, Title, URL string
	// Passages and Answers are numbers with separated thousands.
	Passages, Answers string
	RequestedAt       time.Time
	// ConfirmedAt is nil until the index holds nothing of it.
	ConfirmedAt *time.Time
	// MessageIDs name the first of the answers, and More counts those of them
	// that are left out.
	MessageIDs string
	More       string
}
