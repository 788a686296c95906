package workspace

import "parley/views/shell"

// Month is what a workspace's answers used in a month.
type Month struct {
	// Name is written like November 2026.
	Name string
	// Previous and Next are the months beside it, as in its address; empty if
	// there is none to go to.
	Previous, Next string
	Rows           []Spent
	// Sum has the sums of all rows, and no more.
	Sum Spent
}

// Spent is a row: the attempts at answers of a chatbot, by a model, with one
// end. Its numbers are written for people.
type Spent struct {
	Chatbot shell.Chatbot
	// Deleted says that the chatbot is no more, so that it has no name.
	Deleted bool
	// Model is empty where none was reached.
	Model  string
	Status string

	Answers, PromptTokens, CompletionTokens string
	// Counted is how many answers have tokens that were counted here.
	Counted string
	// FirstToken and Total are means, empty where there are none.
	FirstToken, Total string
	// Refuted is how many citations were taken out or corrected.
	Refuted string
}

func (m Month) url(workspaceID, month string) string {
	return shell.BillingURL(workspaceID) + "?month=" + month + "#spent"
}

// statusNames say how an attempt at an answer ended.
var statusNames = map[string]string{
	"complete": "Complete", "stopped": "Stopped", "interrupted": "Interrupted", "failed": "Failed",
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
