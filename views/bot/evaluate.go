package bot

import "parley/views/ui"

// Evaluate is the page that tries questions on a chatbot's knowledge.
type Evaluate struct {
	Tabs []ui.Tab
	Form ui.Form
	// Results is empty before questions are asked.
	Results []Result
	// Measured counts the questions that name a document. Shares and MRR are
	// of them.
	Measured int
	Shares   []Share
	MRR      string
}

// Share is how many of the questions have their document among the first so
// many passages.
type Share struct{ Depth, Percent string }

// Result has the passages that the search found for a question.
type Result struct {
	Question string
	// Expected is the title of the document that should answer, or empty.
	Expected string
	// Rank is the place of its first passage, or empty when it was not found.
	Rank     string
	Passages []Hit
}

// Hit is a passage that was found.
type Hit struct {
	Title, Path, Place, Text, Score string
	// Expected says that it is of the document that should answer.
	Expected bool
}
