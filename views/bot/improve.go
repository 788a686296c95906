package bot

import (
	"time"

	"parley/views/ui"
)

// Improve is the page of the questions that were not answered well.
type Improve struct {
	Tabs   []ui.Tab
	Groups []GapGroup
	// More is how many further groups there are.
	More    int
	Settled []SettledGap
	MayEdit bool
}

// GapGroup is questions that are alike.
type GapGroup struct {
	ID       string
	Question string
	// Phrases are other questions of the group.
	Phrases []string
	Count   int
	// Disliked counts those whose answer got a thumb down.
	Disliked int
	At       time.Time
	// Answer leads to the form for an answer, Dismiss is where a form posts, and
	// Conversation leads to where the question was asked last.
	Answer, Dismiss, Conversation string
}

// SettledGap is a question that was answered.
type SettledGap struct {
	Question, Document string
}

// AnswerGap is the form for a question and its answer.
type AnswerGap struct {
	Form ui.Form
	// Before is the answer until now, sanitized.
	Before string
}

// CheckAnswer shows whether an answer that was added works.
type CheckAnswer struct {
	Question, Message string
	// Document is its id, and Title what it is called.
	Document, Title, DocumentURL string
	// Ready says that it is answered from, Failed that it never will, and Reason why.
	Ready, Failed bool
	Reason        string
	// Action is where a form posts that asks again, and Tests where one that adds a
	// test question does.
	Action, Tests, Back string

	// Asked says that it was asked again, and the rest what came of that.
	Asked, Works, Cites bool
	HTML                string
	Passages            []CitedPassage
	// Settled is how many questions it answers.
	Settled int
}
