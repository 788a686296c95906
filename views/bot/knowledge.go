package bot

import (
	"time"

	"parley/views/shell"
	"parley/views/ui"
)

// Knowledge is the page of a chatbot's documents.
type Knowledge struct {
	Tabs      KnowledgeTabs
	Documents []Document
	// Search, Kind and State are the chosen filters.
	Search, Kind, State string
	// Source is the address whose pages are listed, or zero.
	Source Source
	// States are the choices by state, with their counts.
	States []ui.Option
	Pager  ui.Pager
	// Here is the address of the page with its filters.
	Here string
	// Any says that the chatbot has documents, though none may be listed.
	Any bool
	// Working counts the documents that are being worked on, and Reading the web
	// addresses whose pages are being looked up.
	Working, Reading int
	// Unencoded says how many passages wait for their encoding, or nothing.
	Unencoded string
	// MayEdit shows what adds, changes and removes.
	MayEdit bool
	Add     Add
}

// KnowledgeTabs lead to the parts of the knowledge, with how many there are of
// each.
type KnowledgeTabs struct{ Documents, Addresses string }

func (t KnowledgeTabs) tabs(chatbotID, current string) []ui.Tab {
	return []ui.Tab{
		{Text: "Documents", URL: shell.KnowledgeURL(chatbotID), Count: t.Documents, Current: current == "documents"},
		{Text: "Web addresses", URL: shell.AddressesURL(chatbotID), Count: t.Addresses, Current: current == "addresses"},
		{Text: "Removed", URL: shell.RemovedURL(chatbotID), Current: current == "removed"},
	}
}

// changing counts what the page looks after.
func (m Knowledge) changing() int {
	n := m.Working + m.Reading
	if m.Unencoded != "" {
		n++
	}
	return n
}

// filtered reports whether anything was chosen.
func (m Knowledge) filtered() bool {
	return m.Search != "" || m.Kind != "" || m.State != "" || m.Source.ID != ""
}

// chosen has the chosen filters, by the names of the inputs, so that a change leads
// back to it.
func (m Knowledge) chosen() []ui.Option {
	var all []ui.Option
	for _, o := range []ui.Option{{Value: "q", Text: m.Search}, {Value: "type", Text: m.Kind}, {Value: "state", Text: m.State}, {Value: "source", Text: m.Source.ID}} {
		if o.Text != "" {
			all = append(all, o)
		}
	}
	return all
}

// kindOptions are the kinds to choose from, in the order of the select.
func kindOptions() []ui.Option {
	all := []ui.Option{{Text: "All kinds"}}
	for _, kind := range []string{"pdf", "docx", "pptx", "xlsx", "csv", "epub", "html", "markdown", "text", "pairs"} {
		all = append(all, ui.Option{Value: kind, Text: kindNames[kind]})
	}
	return all
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
	// Done and All are the same in numbers, for a bar.
	Done, All int
	// NextAt is when it is tried again after a failure, or nil.
	NextAt *time.Time
	// Unread says what of its file or page was not read, or nothing.
	Unread string
	// Outdated says that an older version of the reader read it.
	Outdated bool
	// Kept says that its file can be downloaded, and NoRoom that the plan's storage had no room for it.
	Kept, NoRoom bool
	// Before says that it is answered from as it was before.
	Before bool
	// MayRetry, MayRead and MayCancel say what makes sense now.
	MayRetry, MayRead, MayCancel bool
	// Passages is their number, with separated thousands.
	Passages  string
	CreatedAt time.Time
}

// Removing says that it can neither be chosen nor changed any more.
func (d Document) Removing() bool { return d.State == "removing" }

var stateTones = map[string]ui.Tone{
	"pending": ui.Accent, "fetching": ui.Accent, "extracting": ui.Accent, "indexing": ui.Accent, "syncing": ui.Accent,
	"ready": ui.Good, "failed": ui.Bad, "removing": ui.Warn,
}

// Removed is the page of the receipts of removed documents.
type Removed struct {
	Tabs     KnowledgeTabs
	Receipts []Receipt
	Pager    ui.Pager
}

// Link leads to what its text names.
type Link struct{ Text, URL string }

// Receipt says that a document is gone.
type Receipt struct {
	ID, Title, URL string
	// Passages and Answers are numbers with separated thousands.
	Passages, Answers string
	RequestedAt       time.Time
	// ConfirmedAt is nil until the index holds nothing of it.
	ConfirmedAt *time.Time
	// Messages lead to the first of the answers, and More counts the answers that
	// are left out.
	Messages []Link
	More     string
}
