package bot

import (
	"time"

	"parley/views/shell"
	"parley/views/ui"
)

// DocumentDetails is the page of a document. What is shown of it depends on the
// tab.
type DocumentDetails struct {
	Document
	Tab string
	// Text is a part of the extracted text, and Parts leads to the others.
	Text  string
	Parts ui.Pager
	// Passages are those that the index has, as far as the page goes.
	Found []DocumentPassage
	// Answers are the latest that were given the document, among so many
	// conversations.
	Answers []DocumentAnswer
	Among   string
	// Facts say which version is live, and when it was read.
	Facts   []ui.Fact
	MayEdit bool
}

// The tabs of a document.
const (
	TabText     = "text"
	TabPassages = "passages"
	TabAnswers  = "answers"
	TabVersions = "versions"
)

// IsDocumentTab reports whether a document has such a tab.
func IsDocumentTab(tab string) bool {
	return tab == TabText || tab == TabPassages || tab == TabAnswers || tab == TabVersions
}

func (m DocumentDetails) tabs(chatbotID string) []ui.Tab {
	at := shell.DocumentURL(chatbotID, m.ID)
	return []ui.Tab{
		{Text: "Text", URL: at, Current: m.Tab == TabText},
		{Text: "Passages", URL: at + "?tab=passages", Count: m.Document.Passages, Current: m.Tab == TabPassages},
		{Text: "Answers", URL: at + "?tab=answers", Current: m.Tab == TabAnswers},
		{Text: "Versions", URL: at + "?tab=versions", Current: m.Tab == TabVersions},
	}
}

// DocumentPassage is a passage as the index has it.
type DocumentPassage struct {
	// Number counts from 1; Tokens is how long the passage is for a model.
	Number, Tokens string
	// Path are the headings above it, and Place is where it begins in the file.
	Path, Place, Text string
	// Encoded says that the passage has its encoding.
	Encoded bool
}

// DocumentAnswer is an answer that was given the document.
type DocumentAnswer struct {
	Question, Text string
	// Cited says that the answer names the document.
	Cited bool
	// URL is the conversation's page.
	URL string
	At  time.Time
}
